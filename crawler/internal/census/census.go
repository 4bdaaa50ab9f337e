// Package census counts what a crawl would fetch, and sums it up with the time that it would
// take.
package census

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
	"github.com/politecrawl/politecrawl/crawler/internal/crawldir"
	"github.com/politecrawl/politecrawl/crawler/internal/politeness"
	"github.com/politecrawl/politecrawl/crawler/internal/provenance"
	"github.com/politecrawl/politecrawl/crawler/internal/record"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/plan"
	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
	"github.com/politecrawl/politecrawl/robotsext/secret"
)

// Crawl is what a plan has to know of the crawl.
type Crawl struct {
	Workers, PerHost, PerIP             int
	MaxPages, MaxHostPages, MaxSitemaps int // limits; but for that of sitemaps 0 is none
	MaxTime                             time.Duration
	Token                               string // the product token
	Frontier                            frontier.Options

	Holds  func(weburl.URL) bool                         // whether a URL belongs to the crawl
	Clean  func(url string, file *robotstxt.File) string // takes out what does not change a page
	Group  func(*robotsext.Record) *robotstxt.Group      // whose rules hold
	Lookup func(frontier.Host) netip.Addr                // where PerIP is a limit
	Delays func() *politeness.Delays
	Listed func(robotsext.Origin) int // sitemap files of an origin
}

// A Census counts URLs, each once, by origin and by what becomes of it. It is safe for
// concurrent use.
type Census struct {
	Frontier *Frontier

	c    *Crawl
	seed maphash.Seed

	mu     sync.Mutex // guards all below
	fates  map[uint64]fate
	hosts  map[robotsext.Origin]*headcount
	others *headcount // of hosts for which there is no room
	known  int        // URLs that the frontier of a crawl would hold
	bytes  int64      // that they have together
	files  []*plan.Sitemap
}

// maxOthers is how many hosts are counted by themselves of which a crawl would ask
// for no page. A sitemap can list URLs of any number of them.
const maxOthers = 1000

// maxExamples is how many URLs are shown of those that a rule keeps away.
const maxExamples = 3

// fate is what has become of a URL: its place in fates plus one, or inFrontier.
// Zero: it is new.
type fate uint8

const inFrontier fate = 255

// fates are the reasons for which an entry of a sitemap does not reach the frontier.
var fates = [...]output.Reason{output.OutOfScope, output.NotAuthorized, output.Unchanged, output.InvalidURL, output.BlockedAddress, output.TooLong, output.MaxHosts}

// headcount counts the URLs of one origin.
type headcount struct {
	origin  robotsext.Origin
	rec     *robotsext.Record // the first that came to a conclusion; nil: there is none yet
	failing *robotsext.Record // until then, the last that did not
	group   *robotstxt.Group  // of rec; nil: it has no rules
	waiting []frontier.Item   // until rec is there
	sought  bool              // one of them is in the frontier, for the sake of rec

	urls, pages int
	rejected    map[output.Reason]int
	rules       map[*robotstxt.Rule]*plan.Rule

	requests, answers int
	took              time.Duration // of the answers
	addr              netip.Addr    // where per-ip is a limit
}

// New returns the census of a crawl. Nothing of c is used before something is counted.
func New(c *Crawl) *Census {
	s := &Census{
		c: c, seed: maphash.MakeSeed(), fates: make(map[uint64]fate),
		hosts: make(map[robotsext.Origin]*headcount), others: newHeadcount(""),
	}
	s.Frontier = &Frontier{Memory: frontier.NewMemory(&c.Frontier), census: s}
	return s
}

func newHeadcount(o robotsext.Origin) *headcount {
	return &headcount{origin: o, rejected: make(map[output.Reason]int), rules: make(map[*robotstxt.Rule]*plan.Rule)}
}

// add counts a page that a crawl would take into its frontier. Ask says that it is
// the first of an origin of which nothing is known.
func (s *Census) add(item frontier.Item, t provenance.Provenance) (added, ask bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.count(weburl.OriginOf(item.URL))
	ask = h.rec == nil && !h.sought
	h.sought = true
	return s.take(h, item, t), ask
}

// take counts a page of h, unless it was counted before.
func (s *Census) take(h *headcount, item frontier.Item, t provenance.Provenance) bool {
	key := maphash.String(s.seed, item.URL)
	old := s.fates[key]
	if old == inFrontier {
		return false
	}
	s.fates[key] = inFrontier
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
		s.judge(h, item, t)
	}
	return true
}

// judge decides about a page as a worker and robotsext.Robots.Decide would.
func (s *Census) judge(h *headcount, item frontier.Item, t provenance.Provenance) {
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
	if t.Source == provenance.Sitemap {
		if clean := s.c.Clean(item.URL, h.rec.File); clean != item.URL {
			h.rejected[output.DuplicateURL]++
			item.URL = clean
			s.take(h, item, t)
			return
		}
	}
	h.pages++
}

// disallow counts a page under the rule that keeps it away.
func (h *headcount) disallow(v robotstxt.Verdict, url string) {
	h.rejected[output.Disallowed]++
	r := h.rules[v.Rule]
	if r == nil {
		r = &plan.Rule{Host: string(h.origin), RobotsURL: h.origin.RobotsURL(), Group: v.Group.Name()}
		if v.Rule != nil {
			r.Rule, r.Line = secret.Users(v.Rule.String()), v.Rule.Line
		}
		h.rules[v.Rule] = r
	}
	r.URLs++
	if len(r.Examples) < maxExamples {
		r.Examples = append(r.Examples, strings.Clone(url))
	}
}

// Skip counts URLs that a crawl would skip. Of two reasons the one that holds
// for the URL itself counts, and else the first, as in record.Skipped.
func (s *Census) Skip(urls []record.SkippedURL) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range urls {
		r := &urls[i].Rejection
		if t, err := provenance.Decode(urls[i].Item.Meta); err == nil && t.IsSitemap() { // too many redirects
			s.files = append(s.files, &plan.Sitemap{URL: r.URL, Host: string(t.SitemapOf), Unread: string(r.Reason)})
			continue
		}
		now := fate(slices.Index(fates[:], r.Reason) + 1)
		if now == 0 {
			return fmt.Errorf("a plan does not know the reason %q", r.Reason)
		}
		origin := urls[i].URL.Origin
		if origin == "" { // it is no URL: the sitemap's
			origin = weburl.OriginOf(r.FoundOn)
		}
		h := s.count(origin)
		key := maphash.String(s.seed, r.URL)
		switch old := s.fates[key]; {
		case old == 0:
			h.urls++
		case old == inFrontier || !record.IsWeak(fates[old-1]) || record.IsWeak(r.Reason):
			continue
		default:
			s.revoke(h, old)
		}
		s.fates[key] = now
		h.rejected[r.Reason]++
	}
	return nil
}

// revoke takes back that a URL of h was skipped. It may have been counted before
// there was room for its host.
func (s *Census) revoke(h *headcount, old fate) {
	reason := fates[old-1]
	if h.rejected[reason] == 0 {
		s.others.urls--
		h.urls++
		h = s.others
	}
	if h.rejected[reason]--; h.rejected[reason] == 0 {
		delete(h.rejected, reason)
	}
}

// count returns the headcount of an origin.
func (s *Census) count(o robotsext.Origin) *headcount {
	h := s.hosts[o]
	switch {
	case h != nil:
		return h
	case len(s.hosts) >= maxOthers && !s.belongs(o):
		return s.others
	}
	h = newHeadcount(o)
	s.hosts[o] = h
	return h
}

// belongs tells whether an origin is one of the crawl's.
func (s *Census) belongs(o robotsext.Origin) bool {
	a, err := weburl.Parse(string(o) + "/")
	return err == nil && s.c.Holds(a)
}

// Robots takes a robots.txt, and judges the pages that waited for it.
func (s *Census) Robots(rec *robotsext.Record) error {
	addr := s.c.Lookup(weburl.ServerOf(string(rec.Origin)))
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.count(rec.Origin)
	switch {
	case h == s.others, h.rec != nil:
		return nil // what was judged was judged by the first
	case rec.Outcome == robotsext.Unreachable:
		h.failing = rec
		return nil
	}
	h.rec, h.failing = rec, nil
	if rec.File != nil {
		h.group = s.c.Group(rec)
	}
	h.addr = addr
	waiting := h.waiting
	h.waiting = nil
	for _, item := range waiting {
		t, err := provenance.Decode(item.Meta)
		if err != nil {
			return err
		}
		s.judge(h, item, t)
	}
	return nil
}

// Commit counts the sitemaps that a crawl would write down, and tells the frontier.
func (s *Census) Commit(outcome frontier.Outcome, _ *output.Page, lines crawldir.Batch) error {
	for _, f := range lines.Found().Sitemaps {
		s.file(f)
	}
	_, err := s.Frontier.Finish(context.Background(), []frontier.Outcome{outcome}, nil)
	return err
}

// file notes what came of a sitemap.
func (s *Census) file(f *output.Sitemap) {
	p := &plan.Sitemap{URL: f.URL, Host: f.Host, Status: f.Status, Pages: f.Pages, Sitemaps: f.Sitemaps, Unread: f.Detail}
	if f.Status != 0 && f.Status/100 != 2 && p.Unread == "" {
		p.Unread = fmt.Sprintf("status %d", f.Status)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files = append(s.files, p)
}

// Request counts a request to its origin, and how long the response took to begin; err is why
// there is none.
func (s *Census) Request(req *http.Request, took time.Duration, err error) {
	origin, invalid := robotsext.OriginOf(req.URL)
	if invalid != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.count(origin)
	h.requests++
	if err == nil {
		h.answers++
		h.took += took
	}
}

// Progress returns how many URLs are known, and of how many hosts robots.txt was requested.
func (s *Census) Progress() (urls, hosts int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, h := range s.hosts {
		if h.rec != nil || h.failing != nil && !blocked.IsUnrequested(h.failing) {
			hosts++
		}
	}
	return len(s.fates), hosts
}

// IsTaken reports whether a URL is one that the crawl would take into its frontier.
func (s *Census) IsTaken(url string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fates[maphash.String(s.seed, url)] == inFrontier
}
