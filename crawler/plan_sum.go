package crawler

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/forecast"
	"github.com/politecrawl/politecrawl/crawler/internal/politeness"
	"github.com/politecrawl/politecrawl/crawler/internal/provenance"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
	"github.com/politecrawl/politecrawl/robotsext/secret"
)

// plan sums up what is known.
func (p *Planner) plan() (*Plan, error) {
	c := p.c
	now, sum := time.Now(), c.tally.summary()
	end, _, _ := c.life.ending()
	unread, err := p.unread(end)

	s := p.census
	s.mu.Lock()
	defer s.mu.Unlock()
	plan := &Plan{
		End: end, Began: sum.Began, Took: Seconds(now.Sub(sum.Began)),
		Rejected: make(map[output.Reason]int),
		Robots:   sum.Robots, Sitemaps: sum.Sitemaps, Entries: sum.Entries, Refused: sum.Refused,
		FrontierBytes: forecast.FrontierBytes(s.known+len(s.files), s.bytes), MemoryBytes: forecast.MemoryBytes(s.known),
		Hosts: []*PlannedHost{}, Others: []*PlannedHost{}, Disallowed: []*PlannedRule{},
		Files: slices.Concat([]*PlannedSitemap{}, s.files, unread),
	}
	course := &forecast.Timetable{Workers: c.cfg.Limits.Workers, PerIP: c.cfg.Politeness.PerIP}
	for _, origins := range s.servers() {
		hosts, clock := p.server(origins, now, sum.Began)
		course.Servers = append(course.Servers, clock)
		for i, h := range origins {
			plan.add(hosts[i])
			for _, rule := range h.rules {
				plan.Disallowed = append(plan.Disallowed, rule)
			}
			if s.belongs(h.origin) {
				plan.Hosts = append(plan.Hosts, hosts[i])
			} else {
				plan.Others = append(plan.Others, hosts[i])
			}
		}
	}
	if s.others.urls+s.others.requests > 0 {
		rest := p.host(s.others, now, 0)
		rest.Requests = s.others.requests
		plan.add(rest)
		plan.Others = append(plan.Others, rest)
	}
	byPages(plan.Hosts)
	byPages(plan.Others)
	slices.SortFunc(plan.Disallowed, func(a, b *PlannedRule) int {
		return cmp.Or(b.URLs-a.URLs, cmp.Compare(a.Host, b.Host), a.Line-b.Line)
	})
	plan.within(course.Forecast(c.cfg.Limits.MaxPages, c.cfg.Limits.MaxTime))
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
func (plan *Plan) within(f forecast.Forecast) {
	plan.Beyond = plan.Pages - f.Pages
	plan.Requests -= plan.Beyond
	plan.Pages = f.Pages
	plan.CrawlEnd, plan.Seconds, plan.Bound, plan.Slowest = EndFinished, Seconds(f.Duration), f.Bound, f.Slowest
	if f.Limit != "" {
		plan.CrawlEnd = End(f.Limit)
	}
	if plan.CrawlEnd == EndFinished && plan.End == EndLater {
		plan.CrawlEnd = EndLater
	}
}

// servers returns the origins of each server.
func (s *census) servers() [][]*headcount {
	byServer := make(map[frontier.Host][]*headcount)
	for _, o := range slices.Sorted(maps.Keys(s.hosts)) {
		server := weburl.ServerOf(string(o))
		byServer[server] = append(byServer[server], s.hosts[o])
	}
	return slices.Collect(maps.Values(byServer))
}

// server sums up the origins of a server, which share its clock and max-host-pages.
func (p *Planner) server(origins []*headcount, now, began time.Time) (hosts []*PlannedHost, all forecast.Server) {
	var delay, took time.Duration
	answers, most := 0, -1
	for _, h := range origins {
		host := p.host(h, now, all.Pages)
		hosts = append(hosts, host)
		host.Requests = h.requests + host.Pages
		all.Before, all.Pages = all.Before+h.requests, all.Pages+host.Pages
		if host.Requests > most {
			all.Name, most = host.Host, host.Requests
		}
		answers, took = answers+h.answers, took+h.took
		delay = max(delay, time.Duration(host.Delay))
		if h.addr.IsValid() {
			all.Addr = h.addr
		}
		if hours := forecast.NewHours(windowsOf(h.group), began); hours != nil {
			all.Hours = hours // of the last, where there are several
		}
	}
	c := p.c
	if answers > 0 {
		took /= time.Duration(answers)
	}
	pace := forecast.NewServer(max(delay, c.network.delays.After(took)), took, c.cfg.Politeness.PerHost)
	all.Cycle, all.Took = pace.Cycle, pace.Took
	for _, host := range hosts {
		host.Delay, host.Seconds = Seconds(delay), Seconds(all.End(host.Requests))
	}
	return hosts, all
}

// host sums up an origin, but for its requests. Other pages of its server are planned
// already.
func (p *Planner) host(h *headcount, now time.Time, others int) *PlannedHost {
	c := p.c
	host := &PlannedHost{
		Host: string(h.origin), URLs: h.urls, Pages: h.pages, Rejected: h.rejected,
		Delay: Seconds(c.network.delays.Wanted(h.group)),
	}
	if h.answers > 0 {
		host.Answer = Seconds(h.took / time.Duration(h.answers))
	}
	if rec := cmp.Or(h.rec, h.failing); rec != nil {
		host.Outcome, host.RobotsURL, host.Status = rec.Outcome.String(), rec.Origin.RobotsURL(), rec.Status
		if rec.Err != nil {
			host.Error = secret.Users(rec.Err.Error())
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
	if left := max(c.cfg.Limits.MaxHostPages-others, 0); c.cfg.Limits.MaxHostPages > 0 && host.Pages > left {
		host.Rejected[output.HostFull] = host.Pages - left
		host.Pages = left
	}
	if h.group != nil {
		host.Group = h.group.Name()
		host.CrawlDelay = Seconds(p.asked(h.rec))
		for _, w := range h.group.VisitTimes() {
			host.VisitTimes = append(host.VisitTimes, forecast.Window(w))
		}
		if until, closed := politeness.ClosedUntil(h.group, now); closed {
			host.OpensAt = until.UTC().Format(time.RFC3339)
		}
	}
	listed := c.found.sitemaps.Listed(h.origin)
	host.Sitemaps = listed
	host.SitemapsBeyond = max(0, listed-c.cfg.Sitemaps.MaxFiles)
	return host
}

// asked is the delay that a robots.txt asks for, however long.
func (p *Planner) asked(rec *robotsext.Record) time.Duration {
	return robotstxt.Parse(rec.Body, &robotstxt.Options{MaxCrawlDelay: -1, RequestRateDelay: true}).Group(p.c.reading.token).CrawlDelay()
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
	for item, err := range p.c.frontier.(frontier.Lister).Waiting(p.c.life.commitCtx) {
		if err != nil {
			return list, err
		}
		t, err := provenance.Decode(item.Meta)
		if err != nil {
			return list, fmt.Errorf("plan: %w", err)
		}
		if !t.IsSitemap() {
			continue // a start URL, whose host says the same
		}
		u, err := url.Parse(item.URL)
		if err != nil {
			return list, fmt.Errorf("plan: %w", err)
		}
		u.Fragment = ""
		list = append(list, &PlannedSitemap{URL: u.String(), Host: string(t.SitemapOf), Unread: why})
	}
	slices.SortFunc(list, func(a, b *PlannedSitemap) int { return cmp.Compare(a.URL, b.URL) })
	return list, nil
}

// byPages sorts the hosts of a plan, those with the most to fetch first.
func byPages(hosts []*PlannedHost) {
	slices.SortFunc(hosts, func(a, b *PlannedHost) int {
		return cmp.Or(b.Pages-a.Pages, b.URLs-a.URLs, cmp.Compare(a.Host, b.Host))
	})
}
