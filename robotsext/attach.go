package robotsext

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/gocolly/colly/v2"
)

// collyUserAgent is how the name begins that colly sends unless it is told otherwise.
const collyUserAgent = "colly - https://github.com/gocolly/colly"

// Attach checks every request of c and its clones: pages, redirects, HEAD, POST. Call it
// once for each collector: colly.NewCollector(robots.Attach). A refused URL is an error of
// Visit or OnError: colly.ErrRobotsTxtBlocked by errors.Is, a *BlockedError by errors.As.
//
// The transport, client, proxy and context of c stay in use, set before Attach or after;
// robots.txt is fetched by them too. IgnoreRobotsTxt becomes false, and colly's own user
// agent that of New. Three things to know:
//
//   - After SetClient, or a new cookie jar and transport, call Attach again: until then
//     colly reads a robots.txt itself, and clones send nothing (ErrDetached).
//   - colly's queue drops URLs that Visit refuses. Set Options.RefuseInGate.
//   - Set c.Context before Attach: a clone with a context that is set later sends pages
//     unchecked once its client is replaced.
func (r *Robots) Attach(c *colly.Collector) {
	if strings.HasPrefix(c.UserAgent, collyUserAgent) {
		c.UserAgent = r.userAgent
	}
	c.IgnoreRobotsTxt = false
	g, known := r.gateOf(c)
	if !known && g.client.known() {
		c.OnRequest(func(req *colly.Request) { g.keep(req.URL.Scheme) })
	}
	if ctx := contextOf(c); ctx != nil {
		if s := sealOf(*ctx); s == nil || s.gate != g {
			*ctx = newSeal(g.parent, g)
		}
	}
	g.install()
}

// gateOf returns the gate of r before c, a new one if there is none yet.
func (r *Robots) gateOf(c *colly.Collector) (g *collectorGate, known bool) {
	parent := context.Background()
	if ctx := contextOf(c); ctx != nil {
		parent = *ctx
	}
	if s := sealOf(parent); s != nil {
		if s.gate.robots == r {
			return s.gate, s.gate.collector == c
		}
		parent = s.parent
		if s.gate.collector == c {
			s.gate.retire()
		}
	}
	return newCollectorGate(parent, c, r), false
}

// collectorGate is the gate before a collector and its clones.
type collectorGate struct {
	robots    *Robots
	collector *colly.Collector // the one that Attach was called with
	client    collectorClient
	parent    context.Context // the collector's at Attach, for the values that Options.Transport may look for

	watched watchedJar // the jar of adopted

	mu      sync.Mutex
	adopted *http.Client         // the collector's, unless another was set since
	jar     http.CookieJar       // the program's; nil if cookies are disabled
	shell   *shell               // the one put in place last
	warned  map[Origin]time.Time // FetchedAt of the unreachable records that were logged
	lost    bool                 // it was logged that the gate is gone
	retired bool                 // another Robots was attached to the collector since
}

func newCollectorGate(parent context.Context, c *colly.Collector, r *Robots) *collectorGate {
	g := &collectorGate{
		robots:    r,
		collector: c,
		client:    clientOf(c),
		parent:    parent,
		warned:    make(map[Origin]time.Time),
	}
	g.watched.gate = g
	return g
}

// retire has the gate put nothing in place any more.
func (g *collectorGate) retire() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.retired = true
}

// current returns the shell that was put in place last.
func (g *collectorGate) current() *shell {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.shell
}

// context returns the context of the collector's requests, or the program's where that is
// over for want of the gate alone.
func (g *collectorGate) context() context.Context {
	ctx := contextOf(g.collector)
	if ctx == nil || errors.Is((*ctx).Err(), ErrDetached) {
		return g.parent
	}
	return *ctx
}

// answer answers colly's own question for /robots.txt, which it asks once for
// each host. The real file is judged here, for all of colly's purposes there is
// none; only if it is unreachable does colly hear of it, and refuse the URL,
// unless Options.RefuseInGate leaves that to the gate.
//
// colly remembers the answer for as long as the collector lives. Where a new client
// cannot be adopted, a collector that has lost its seal must not be told "no rules":
// by that client it would send pages on the strength of it. It gets ErrUnsealed and
// remembers nothing.
//
// The question is under the page's timeout, but the fetch is not, so it is
// waited for beyond. net/http turns an error that comes after the timeout into
// one of its own, which nobody could tell from a slow page: then colly is left in
// the belief that all is well, and the gate refuses the page.
func (s *shell) answer(req *http.Request) (*http.Response, error) {
	g := s.gate
	ctx := g.context()
	if !g.client.known() && g.unsealed() {
		return nil, ErrUnsealed
	}
	if isUserFetch(ctx) || !governed(req.URL.Scheme) {
		return noRobots(req), nil
	}
	asked, err := g.robots.originOf(req.URL)
	if err != nil {
		return nil, err
	}
	for _, site := range sites(req.URL, req.Host) {
		rec, err := g.robots.Record(context.WithValue(ctx, shellKey{}, s), site)
		if err != nil {
			return nil, err
		}
		if rec.Outcome == Unreachable && !g.robots.refuseInGate && req.Context().Err() == nil {
			g.warn(rec)
			return nil, later(rec, string(asked)) // more of the URL is not known here
		}
	}
	return noRobots(req), nil
}

// isPage reports whether a request for /robots.txt that has no seal is for a page, in colly
// v2.1.0, which has no contexts to seal: only the requests for pages have an Accept field.
func (g *collectorGate) isPage(req *http.Request) bool {
	return contextOf(g.collector) == nil && req.Header.Get("Accept") != ""
}

// noRobots is an answer that leaves colly without rules.
func noRobots(req *http.Request) *http.Response {
	return &http.Response{
		Status:     "204 No Content",
		StatusCode: http.StatusNoContent,
		Proto:      "HTTP/1.1",
		ProtoMajor: 1,
		ProtoMinor: 1,
		Header:     make(http.Header),
		Body:       http.NoBody,
		Request:    req,
	}
}

// maxWarned is how many origins are remembered that were warned of.
const maxWarned = 10_000

// warn logs once for each record that a URL is refused with an error that the
// caller may not get to see.
func (g *collectorGate) warn(rec *Record) {
	g.mu.Lock()
	known := g.warned[rec.Origin].Equal(rec.FetchedAt)
	if len(g.warned) >= maxWarned {
		clear(g.warned) // of some it is said once more
	}
	g.warned[rec.Origin] = rec.FetchedAt
	g.mu.Unlock()
	if !known {
		g.robots.log.WarnContext(g.parent, "Visit refuses the URLs of an origin whose robots.txt is unreachable, and a colly queue drops them",
			"host", rec.Origin, "next", rec.RetryAt, "error", rec.Err)
	}
}
