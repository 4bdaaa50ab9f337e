package plancount

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/blocked"
	"github.com/politecrawl/politecrawl/crawler/internal/forecast"
	"github.com/politecrawl/politecrawl/crawler/internal/politeness"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/plan"
	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
	"github.com/politecrawl/politecrawl/robotsext/secret"
)

// Sum sets the totals of a plan. The caller has set End, StartedAt and the counts of what was
// read. An error says that the unread sitemaps are not known.
func (s *Counter) Sum(p *plan.Plan) error {
	why := "its host allows no request yet"
	if p.End != plan.Deferred {
		why = "the plan ended first"
	}
	unread, err := s.Frontier.unread(why)
	now := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	p.Duration, p.Rejected = plan.Millis(now.Sub(p.StartedAt)), make(map[output.Reason]int)
	p.FrontierBytes, p.MemoryBytes = forecast.FrontierBytes(s.known+len(s.files), s.bytes), forecast.MemoryBytes(s.known)
	p.Origins, p.Others, p.Disallowed = []*plan.Origin{}, []*plan.Origin{}, []*plan.Rule{}
	p.Files = append(append([]*plan.Sitemap{}, s.files...), unread...) // [] in JSON if there are none
	course := &forecast.Timetable{Workers: s.set.Limits.Workers, PerIP: s.set.PerIP}
	for _, origins := range s.servers() {
		hosts, clock := s.server(origins, now, p.StartedAt)
		course.Servers = append(course.Servers, clock)
		for i, h := range origins {
			add(p, hosts[i])
			for _, rule := range h.rules {
				p.Disallowed = append(p.Disallowed, rule)
			}
			if s.isInCrawl(h.origin) {
				p.Origins = append(p.Origins, hosts[i])
			} else {
				p.Others = append(p.Others, hosts[i])
			}
		}
	}
	if s.others.urls+s.others.requests > 0 {
		rest := s.host(s.others, now, 0)
		rest.Requests = s.others.requests
		add(p, rest)
		p.Others = append(p.Others, rest)
	}
	byPages(p.Origins)
	byPages(p.Others)
	slices.SortFunc(p.Disallowed, func(a, b *plan.Rule) int {
		return cmp.Or(b.URLs-a.URLs, cmp.Compare(a.Origin, b.Origin), a.Line-b.Line)
	})
	applyLimits(p, course.Forecast(s.set.Limits.MaxPages, s.set.MaxTime))
	return err
}

// add adds the counts of an origin.
func add(p *plan.Plan, h *plan.Origin) {
	p.URLs += h.URLs
	p.Pages += h.Pages
	p.Requests += h.Requests
	for reason, n := range h.Rejected {
		p.Rejected[reason] += n
	}
}

// applyLimits applies the limits of the whole crawl.
func applyLimits(p *plan.Plan, f forecast.Forecast) {
	p.PagesBeyondLimit = p.Pages - f.Pages
	p.Requests -= p.PagesBeyondLimit
	p.Pages = f.Pages
	p.CrawlEnd, p.CrawlDuration, p.Bottleneck, p.Slowest = f.Limit, plan.Millis(f.Duration), f.Bound, f.Slowest
	switch {
	case p.CrawlEnd != "":
	case p.End == plan.Deferred:
		p.CrawlEnd = plan.Deferred
	default:
		p.CrawlEnd = plan.Finished
	}
}

// servers returns the origins of each server.
func (s *Counter) servers() [][]*hostCounts {
	byServer := make(map[frontier.Host][]*hostCounts)
	for _, o := range slices.Sorted(maps.Keys(s.hosts)) {
		server := weburl.ServerOf(string(o))
		byServer[server] = append(byServer[server], s.hosts[o])
	}
	return slices.Collect(maps.Values(byServer))
}

// server adds up the origins of a server, which share its delay and max-host-pages.
func (s *Counter) server(origins []*hostCounts, now, began time.Time) (hosts []*plan.Origin, all forecast.Server) {
	var delay, responseTime time.Duration
	responses, most := 0, -1
	for _, h := range origins {
		host := s.host(h, now, all.Pages)
		hosts = append(hosts, host)
		host.Requests = h.requests + host.Pages
		all.Before, all.Pages = all.Before+h.requests, all.Pages+host.Pages
		if host.Requests > most {
			all.Name, most = host.Origin, host.Requests
		}
		responses, responseTime = responses+h.responses, responseTime+h.responseTime
		delay = max(delay, time.Duration(host.Delay))
		if h.addr.IsValid() {
			all.Addr = h.addr
		}
		if h.group == nil {
			continue
		}
		if hours := forecast.NewHours(h.group.VisitTimes(), began); hours != nil {
			all.Hours = hours // the last one counts
		}
	}
	if responses > 0 {
		responseTime /= time.Duration(responses)
	}
	course := forecast.NewServer(max(delay, s.delays.After(responseTime)), responseTime, s.set.Limits.MaxInFlight)
	all.Cycle, all.Took = course.Cycle, course.Took
	for _, host := range hosts {
		host.Delay, host.Duration = plan.Millis(delay), plan.Millis(all.End(host.Requests))
	}
	return hosts, all
}

// host adds up an origin without its requests. Others is the number of pages already planned
// for its server.
func (s *Counter) host(h *hostCounts, now time.Time, others int) *plan.Origin {
	host := &plan.Origin{
		Origin: string(h.origin), URLs: h.urls, Pages: h.pages, Rejected: h.rejected,
		Delay: plan.Millis(s.delays.RequestedDelay(h.group)),
	}
	if h.responses > 0 {
		host.Response = plan.Millis(h.responseTime / time.Duration(h.responses))
	}
	if rec := cmp.Or(h.rec, h.failing); rec != nil {
		host.Robots, host.RobotsURL, host.RobotsStatus = rec.Outcome.String(), rec.Origin.RobotsURL(), rec.Status
		if rec.Err != nil {
			host.RobotsError = secret.RedactText(rec.Err.Error())
		}
		if blocked.IsRefused(rec) {
			host.RobotsError = blocked.Text(rec.Err)
		}
		if blocked.IsUnrequested(rec) {
			host.Robots = ""
		}
		if rec.Outcome == robotsext.OutcomeUnreachable {
			reason := output.BlockedAddress
			if !blocked.IsRefused(rec) {
				reason, host.RetryAt = output.RobotsUnreachable, rec.RetryAt
			}
			if n := len(h.waiting); n > 0 {
				host.Rejected[reason] += n
			}
		}
	}
	if left := max(s.set.Limits.MaxHostPages-others, 0); s.set.Limits.MaxHostPages > 0 && host.Pages > left {
		host.Rejected[output.MaxHostPages] = host.Pages - left
		host.Pages = left
	}
	if h.group != nil {
		host.Group = h.group.Name()
		host.CrawlDelay = plan.Millis(s.requestedDelay(h.rec))
		for _, w := range h.group.VisitTimes() {
			host.VisitTimes = append(host.VisitTimes, forecast.Window(w))
		}
		if until, closed := politeness.ClosedUntil(h.group, now); closed {
			host.OpensAt = until.UTC().Format(time.RFC3339)
		}
	}
	listed := s.discovery.Sitemaps.Listed(h.origin)
	host.Sitemaps = listed
	host.SitemapsUnread = max(0, listed-s.set.MaxSitemaps)
	return host
}

// requestedDelay returns the delay that a robots.txt requests, without an upper limit.
func (s *Counter) requestedDelay(rec *robotsext.Record) time.Duration {
	return robotstxt.Parse(rec.Body, &robotstxt.Options{MaxCrawlDelay: -1, RequestRateDelay: true}).Group(s.set.Token).CrawlDelay()
}

// byPages sorts the hosts of a plan, those with the most pages first.
func byPages(hosts []*plan.Origin) {
	slices.SortFunc(hosts, func(a, b *plan.Origin) int {
		return cmp.Or(b.Pages-a.Pages, b.URLs-a.URLs, cmp.Compare(a.Origin, b.Origin))
	})
}
