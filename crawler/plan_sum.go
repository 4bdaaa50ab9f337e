package crawler

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"time"

	"github.com/politecrawl/politecrawl/crawler/errtext"
	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// plan sums up what is known.
func (p *Planner) plan() (*Plan, error) {
	c := p.c
	now, sum := time.Now(), c.tally.summary()
	c.ending.Lock()
	end := c.end
	c.ending.Unlock()
	unread, err := p.unread(end)

	s := p.census
	s.mu.Lock()
	defer s.mu.Unlock()
	plan := &Plan{
		End: end, Began: sum.Began, Took: Seconds(now.Sub(sum.Began)),
		Rejected: make(map[output.Reason]int),
		Robots:   sum.Robots, Sitemaps: sum.Sitemaps, Entries: sum.Entries, Refused: sum.Refused,
		FrontierBytes: frontierSize(s.known+len(s.files), s.bytes), MemoryBytes: memorySize(s.known),
		Hosts: []*PlannedHost{}, Others: []*PlannedHost{}, Disallowed: []*PlannedRule{},
		Files: slices.Concat([]*PlannedSitemap{}, s.files, unread),
	}
	course := &timetable{workers: c.cfg.Workers, perIP: c.cfg.PerIP}
	for _, h := range s.hosts {
		host := p.host(h, now)
		hourly := newHours(windowsOf(h.group), sum.Began)
		clock := newClock(max(time.Duration(host.Delay), c.pace.after(time.Duration(host.Answer))), time.Duration(host.Answer), c.cfg.PerHost)
		clock.host, clock.before, clock.pages, clock.addr, clock.hours = host.Host, h.requests, host.Pages, h.addr, hourly
		host.Requests = clock.before + clock.pages
		host.Seconds = Seconds(clock.end(host.Requests))
		course.clocks = append(course.clocks, clock)
		plan.add(host)
		for _, rule := range h.rules {
			plan.Disallowed = append(plan.Disallowed, rule)
		}
		if s.belongs(h.host) {
			plan.Hosts = append(plan.Hosts, host)
		} else {
			plan.Others = append(plan.Others, host)
		}
	}
	if s.others.urls+s.others.requests > 0 {
		rest := p.host(s.others, now)
		rest.Requests = s.others.requests
		plan.add(rest)
		plan.Others = append(plan.Others, rest)
	}
	byPages(plan.Hosts)
	byPages(plan.Others)
	slices.SortFunc(plan.Disallowed, func(a, b *PlannedRule) int {
		return cmp.Or(b.URLs-a.URLs, cmp.Compare(a.Host, b.Host), a.Line-b.Line)
	})
	plan.within(course.forecast(c.cfg.MaxPages, c.cfg.MaxTime))
	return plan, err
}

// add counts a host.
func (plan *Plan) add(h *PlannedHost) {
	plan.URLs += h.URLs
	plan.Pages += h.Pages
	plan.Requests += h.Requests
	for reason, n := range h.Rejected {
		plan.Rejected[reason] += n
	}
}

// within brings the limits of the crawl as a whole to bear.
func (plan *Plan) within(f forecast) {
	plan.Beyond = plan.Pages - f.pages
	plan.Requests -= plan.Beyond
	plan.Pages = f.pages
	plan.CrawlEnd, plan.Seconds, plan.Bound, plan.Slowest = f.end, Seconds(f.takes), f.bound, f.slowest
	if plan.CrawlEnd == EndFinished && plan.End == EndLater {
		plan.CrawlEnd = EndLater
	}
}

// host sums up a host, but for its requests.
func (p *Planner) host(h *headcount, now time.Time) *PlannedHost {
	c := p.c
	host := &PlannedHost{
		Host: string(h.host), URLs: h.urls, Pages: h.pages, Rejected: h.rejected,
		Delay: Seconds(c.pace.wanted(h.group)),
	}
	if h.answers > 0 {
		host.Answer = Seconds(h.took / time.Duration(h.answers))
	}
	if rec := cmp.Or(h.rec, h.failing); rec != nil {
		host.Outcome, host.RobotsURL, host.Status = rec.Outcome.String(), rec.Origin.RobotsURL(), rec.Status
		if rec.Err != nil {
			host.Error = errtext.Of(rec.Err)
		}
		if isRefused(rec) {
			host.Error = refusalIn(rec.Err)
		}
		if isUnasked(rec) {
			host.Outcome = ""
		}
		if rec.Outcome == robotsext.Unreachable {
			reason := output.Address
			if !isRefused(rec) {
				reason, host.RetryAt = output.Later, rec.RetryAt
			}
			if n := len(h.waiting); n > 0 {
				host.Rejected[reason] += n
			}
		}
	}
	if limit := c.cfg.MaxHostPages; limit > 0 && host.Pages > limit {
		host.Rejected[output.HostFull] = host.Pages - limit
		host.Pages = limit
	}
	if h.group != nil {
		host.Group = h.group.Name()
		host.CrawlDelay = Seconds(p.asked(h.rec))
		for _, w := range h.group.VisitTimes() {
			host.VisitTimes = append(host.VisitTimes, clockOf(w))
		}
		if until, closed := closedUntil(h.group, now); closed {
			host.OpensAt = until.UTC().Format(time.RFC3339)
		}
	}
	c.files.mu.Lock()
	defer c.files.mu.Unlock()
	listed := c.files.taken[robotsext.Origin(h.host)]
	host.Sitemaps = listed
	host.SitemapsBeyond = max(0, listed-c.cfg.MaxSitemaps)
	return host
}

// asked is the delay that a robots.txt asks for, however long.
func (p *Planner) asked(rec *robotsext.Record) time.Duration {
	return robotstxt.Parse(rec.Body, &robotstxt.Options{MaxCrawlDelay: -1, RequestRateDelay: true}).Group(p.c.token).CrawlDelay()
}

func windowsOf(group *robotstxt.Group) []robotstxt.Window {
	if group == nil {
		return nil
	}
	return group.VisitTimes()
}

// unread lists the sitemaps that are left in the frontier.
func (p *Planner) unread(end End) (list []*PlannedSitemap, err error) {
	why := "not to be asked for yet"
	if end != EndLater {
		why = "the planning ended before"
	}
	for item, err := range p.c.frontier.Waiting(p.c.books, frontier.Host("")) {
		if err != nil {
			return list, err
		}
		t, err := decodeTrail(item.Meta)
		if err != nil {
			return list, fmt.Errorf("crawler: plan: %w", err)
		}
		if !t.sitemap() {
			continue // a start URL, whose host says the same
		}
		u, err := url.Parse(item.URL)
		if err != nil {
			return list, fmt.Errorf("crawler: plan: %w", err)
		}
		u.Fragment = ""
		list = append(list, &PlannedSitemap{URL: u.String(), Host: string(t.listed), Unread: why})
	}
	slices.SortFunc(list, func(a, b *PlannedSitemap) int { return cmp.Compare(a.URL, b.URL) })
	return list, nil
}
