// Package plancount counts what a crawl would fetch, and sums it up with the time that it would
// take.
package plancount

import (
	"context"
	"fmt"
	"hash/maphash"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/blocked"
	"github.com/politecrawl/politecrawl/crawler/internal/discover"
	"github.com/politecrawl/politecrawl/crawler/internal/politeness"
	"github.com/politecrawl/politecrawl/crawler/internal/provenance"
	"github.com/politecrawl/politecrawl/crawler/internal/quota"
	"github.com/politecrawl/politecrawl/crawler/internal/results"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/plan"
	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
	"github.com/politecrawl/politecrawl/robotsext/secret"
)

// Settings are the settings of the planned crawl.
type Settings struct {
	Limits      quota.Limits
	PerIP       int           // 0 means no limit
	MaxTime     time.Duration // 0 means no limit
	MaxSitemaps int           // of an origin
	Token       string        // the product token
	Frontier    frontier.Options
}

// A Counter counts each URL once, by origin and disposition. It is safe for concurrent use.
type Counter struct {
	Frontier *Frontier

	set       Settings
	seed      maphash.Seed
	discovery *discover.Discovery
	delays    *politeness.Delays
	addresses *politeness.Addresses // nil if PerIP is no limit

	mu           sync.Mutex // guards all below
	dispositions map[uint64]disposition
	hosts        map[robotsext.Origin]*hostCounts
	others       *hostCounts // all hosts beyond maxOthers
	known        int         // URLs that the frontier of a crawl would hold
	bytes        int64       // their total length
	files        []*plan.Sitemap
	elsewhere    []results.SkippedURL // sitemap entries on hosts outside the crawl, which they may join
	elsewhereIn  map[string]int       // number of them in each sitemap
	starts       []frontier.Item      // a start URL of each origin
	probing      bool                 // the start URLs are requested, because of elsewhere
}

// maxOthers is the number of hosts without pages to fetch that are counted separately, since a
// sitemap can list URLs of any number of hosts.
const maxOthers = 1000

// maxExamples is the number of example URLs of each rule that disallows them.
const maxExamples = 3

// disposition is the result of counting a URL: an index in dispositions plus one, or inFrontier, or
// 0 if the URL is new.
type disposition uint8

const inFrontier disposition = 255

// dispositions are the reasons for which an entry of a sitemap does not reach the frontier.
var dispositions = [...]output.Reason{output.OutOfScope, output.Excluded, output.NotAuthorized, output.BeforeSince, output.InvalidURL, output.BlockedAddress, output.TooLong, output.MaxHosts}

// hostCounts counts the URLs of one origin.
type hostCounts struct {
	origin       robotsext.Origin
	rec          *robotsext.Record // the first that was reached; nil if none yet
	failing      *robotsext.Record // before that, the last that was not
	group        *robotstxt.Group  // of rec; nil if it has no rules
	waiting      []frontier.Item   // pages that wait for rec
	robotsQueued bool              // one of them is in the frontier, to request robots.txt

	urls, pages int
	rejected    map[output.Reason]int
	rules       map[*robotstxt.Rule]*plan.Rule

	requests, responses int
	responseTime        time.Duration // of all responses
	addr                netip.Addr    // set if PerIP is a limit
}

// New returns a counter.
func New(set Settings) *Counter {
	s := &Counter{
		set: set, seed: maphash.MakeSeed(), dispositions: make(map[uint64]disposition), elsewhereIn: make(map[string]int),
		hosts: make(map[robotsext.Origin]*hostCounts), others: newHostCounts(""),
	}
	s.Frontier = &Frontier{Memory: frontier.NewMemory(&set.Frontier), counter: s}
	return s
}

// Begin implements run.Counter.
func (s *Counter) Begin(d *discover.Discovery, delays *politeness.Delays, addresses *politeness.Addresses) {
	s.discovery, s.delays, s.addresses = d, delays, addresses
}

func newHostCounts(o robotsext.Origin) *hostCounts {
	return &hostCounts{origin: o, rejected: make(map[output.Reason]int), rules: make(map[*robotstxt.Rule]*plan.Rule)}
}

// addPage counts a page that a crawl would add to its frontier. Ask reports that its origin has
// no robots.txt yet and that this is its first page.
func (s *Counter) addPage(item frontier.Item, t provenance.Provenance) (added, ask bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.countsOf(weburl.OriginOf(item.URL))
	ask = h.rec == nil && !h.robotsQueued
	h.robotsQueued = true
	return s.countPage(h, item, t), ask
}

// countPage counts a page of h, unless it was counted before.
func (s *Counter) countPage(h *hostCounts, item frontier.Item, t provenance.Provenance) bool {
	key := maphash.String(s.seed, item.Key().String())
	old := s.dispositions[key]
	if old == inFrontier {
		return false
	}
	s.dispositions[key] = inFrontier
	if old == 0 {
		h.urls++
	} else {
		s.revoke(h, old)
	}
	s.known++
	s.bytes += int64(len(item.URL))
	if h.rec == nil {
		h.waiting = append(h.waiting, item)
	} else {
		s.decide(h, item, t)
	}
	return true
}

// decide makes the decision that robotsext.Robots.Decide and package visit would make about a page. Its URL is not
// stored, so that it cannot be visited.
func (s *Counter) decide(h *hostCounts, item frontier.Item, t provenance.Provenance) {
	u, err := url.Parse(item.URL)
	if err == nil {
		u, err = robotsext.CleanURL(u)
	}
	if err != nil {
		h.rejected[output.InvalidURL]++
		return
	}
	if path := u.RequestURI(); h.group != nil && path != "/robots.txt" {
		if v := h.group.Match(path); !v.Allowed {
			h.disallow(v, item.URL)
			return
		}
	}
	if clean := s.discovery.DuplicateOf(item.URL, t, h.rec.File); clean != "" {
		h.rejected[output.DuplicateURL]++
		item.URL = clean
		s.countPage(h, item, t)
		return
	}
	h.pages++
}

// disallow counts a page under the rule that disallows it.
func (h *hostCounts) disallow(v robotstxt.Verdict, url string) {
	h.rejected[output.Disallowed]++
	r := h.rules[v.Rule]
	if r == nil {
		r = &plan.Rule{Origin: string(h.origin), RobotsURL: h.origin.RobotsURL(), Group: v.Group.Name()}
		if v.Rule != nil {
			r.Rule, r.Line = secret.RedactText(v.Rule.String()), v.Rule.Line
		}
		h.rules[v.Rule] = r
	}
	r.URLs++
	if len(r.Examples) < maxExamples {
		r.Examples = append(r.Examples, strings.Clone(url))
	}
}

// Skip counts URLs that a crawl would skip. If there are two reasons, the one for the URL itself
// counts, otherwise the first, as in results.Skipped.
func (s *Counter) Skip(urls []results.SkippedURL) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range urls {
		r := &urls[i].Rejection
		if t, err := provenance.Decode(urls[i].Item.Meta); err == nil && t.IsSitemap() { // too many redirects, or not authorized
			s.keep(&urls[i])
			s.files = append(s.files, &plan.Sitemap{URL: r.URL, Origin: string(t.SitemapOf), Unread: string(r.Reason)})
			continue
		}
		now := disposition(slices.Index(dispositions[:], r.Reason) + 1)
		if now == 0 {
			return fmt.Errorf("a plan does not know the reason %q", r.Reason)
		}
		origin := urls[i].URL.Origin
		if origin == "" { // not a URL; count it for the sitemap
			origin = weburl.OriginOf(r.FoundOn)
		}
		h := s.countsOf(origin)
		key := maphash.String(s.seed, r.URL)
		switch old := s.dispositions[key]; {
		case old == 0:
			h.urls++
		case old == inFrontier || !results.IsWeak(dispositions[old-1]) || results.IsWeak(r.Reason):
			continue
		default:
			s.revoke(h, old)
		}
		s.dispositions[key] = now
		h.rejected[r.Reason]++
		s.keep(&urls[i])
	}
	return s.probe(len(s.elsewhere) > 0 && s.elsewhere[len(s.elsewhere)-1].Rejection.Reason == output.OutOfScope)
}

// revoke removes a skipped URL from the counts of h, or of the other hosts.
func (s *Counter) revoke(h *hostCounts, old disposition) {
	reason := dispositions[old-1]
	if h.rejected[reason] == 0 {
		s.others.urls--
		h.urls++
		h = s.others
	}
	if h.rejected[reason]--; h.rejected[reason] == 0 {
		delete(h.rejected, reason)
	}
}

// countsOf returns the counts of an origin.
func (s *Counter) countsOf(o robotsext.Origin) *hostCounts {
	h := s.hosts[o]
	switch {
	case h != nil:
		return h
	case len(s.hosts) >= maxOthers && !s.isInCrawl(o):
		return s.others
	}
	h = newHostCounts(o)
	s.hosts[o] = h
	return h
}

// isInCrawl reports whether an origin belongs to the crawl.
func (s *Counter) isInCrawl(o robotsext.Origin) bool {
	return s.discovery.Scope.HoldsServer(weburl.ServerOf(string(o)))
}

// Robots stores a robots.txt, and decides about the pages that wait for it.
func (s *Counter) Robots(rec *robotsext.Record) error {
	addr := s.addresses.Lookup(s.discovery.Lifecycle.Working, weburl.ServerOf(string(rec.Origin)))
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.countsOf(rec.Origin)
	switch {
	case h == s.others, h.rec != nil:
		return nil // the first one decides
	case rec.Outcome == robotsext.OutcomeUnreachable:
		h.failing = rec
		return nil
	}
	h.rec, h.failing = rec, nil
	if rec.File != nil {
		h.group = rec.File.Group(s.set.Token)
	}
	h.addr = addr
	waiting := h.waiting
	h.waiting = nil
	for _, item := range waiting {
		t, err := provenance.Decode(item.Meta)
		if err != nil {
			return err
		}
		s.decide(h, item, t)
	}
	return nil
}

// Commit counts the sitemaps that a crawl would record, and reports the outcome to the
// frontier.
func (s *Counter) Commit(outcome frontier.Outcome, _ *output.Page, lines results.Batch) error {
	for _, f := range lines.Results().Sitemaps {
		if err := s.addSitemap(f); err != nil {
			return err
		}
	}
	if _, err := s.Frontier.Add(context.Background(), outcome.Links); err != nil {
		return err
	}
	outcome.Links = nil
	_, err := s.Frontier.Finish(context.Background(), []frontier.Outcome{outcome}, nil)
	return err
}

// addSitemap counts a sitemap.
func (s *Counter) addSitemap(f *output.Sitemap) error {
	p := &plan.Sitemap{URL: f.URL, Origin: f.Origin, Status: f.Status, Pages: f.Pages, Sitemaps: f.Sitemaps, Unread: f.Detail}
	if f.Status != 0 && f.Status/100 != 2 && p.Unread == "" {
		p.Unread = fmt.Sprintf("status %d", f.Status)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files = append(s.files, p)
	entries := f.Pages + f.Sitemaps
	return s.probe(entries > 0 && s.elsewhereIn[provenance.Referrer(f.URL)] == entries)
}

// Request counts a request to its origin and its response time. Err says why there is no response.
// A HEAD request is for a start URL, which the crawl requests as a page.
func (s *Counter) Request(req *http.Request, took time.Duration, err error) {
	origin, invalid := robotsext.OriginOf(req.URL)
	if invalid != nil || req.Method == http.MethodHead {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.countsOf(origin)
	h.requests++
	if err == nil {
		h.responses++
		h.responseTime += took
	}
}

// Progress returns the number of known URLs, and of hosts whose robots.txt was requested.
func (s *Counter) Progress() (urls, hosts int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, h := range s.hosts {
		if h.rec != nil || h.failing != nil && !blocked.IsUnrequested(h.failing) {
			hosts++
		}
	}
	return len(s.dispositions), hosts
}
