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

// collyUserAgent is the prefix of colly's default user agent.
const collyUserAgent = "colly - https://github.com/gocolly/colly"

// Attach checks every request of c and its clones: pages, redirects, HEAD, POST. Call
// it once for each collector: colly.NewCollector(robots.Attach). For a refused URL,
// Visit returns or OnError receives a *BlockedError (colly.ErrRobotsTxtBlocked).
//
// The transport, client, proxy and context of c stay in use, also for robots.txt. A
// later transport or proxy is used too. Attach sets IgnoreRobotsTxt to false, and replaces
// colly's default user agent by yours.
//
//   - Set c.Context before Attach, and never change it later in c or a clone. After such
//     a change and SetClient, a clone sends unchecked requests.
//   - Call Attach again after SetClient, or after setting both a cookie jar and a transport.
//     Until then colly itself checks robots.txt, and clones send nothing (ErrDetached).
//   - Set Options.ReportInOnError for colly's queue, which drops refused URLs.
func (r *Robots) Attach(c *colly.Collector) {
	if strings.HasPrefix(c.UserAgent, collyUserAgent) {
		c.UserAgent = r.userAgent
	}
	c.IgnoreRobotsTxt = false
	g, known := r.gateOf(c)
	if !known && g.client.known() {
		c.OnRequest(func(req *colly.Request) { g.restore(req.URL.Scheme) })
	}
	if ctx := contextOf(c); ctx != nil {
		if s := sealOf(*ctx); s == nil || s.gate != g {
			*ctx = newSeal(g.parent, g)
		}
	}
	g.install()
}

// gateOf returns the gate of r for c. It makes one if there is none.
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

// collectorGate checks the requests of a collector and its clones.
type collectorGate struct {
	robots    *Robots
	collector *colly.Collector // the one that Attach was called with
	client    collectorClient
	parent    context.Context // the collector's at Attach, with the values that Options.Transport may need

	watched watchedJar // the cookie jar of adopted

	mu         sync.Mutex
	adopted    *http.Client         // the copy of the program's client; the program may have replaced it
	jar        http.CookieJar       // the program's; nil if cookies are disabled
	shell      *shell               // installed last
	warned     map[Origin]time.Time // FetchedAt of the unreachable records that were logged
	lostLogged bool                 // a replaced client was logged
	retired    bool                 // another Robots was attached later
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

// retire stops the gate from installing itself again.
func (g *collectorGate) retire() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.retired = true
}

// current returns the shell that was installed last.
func (g *collectorGate) current() *shell {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.shell
}

// context returns the context of the collector's requests. If it has ended only because
// the client was replaced, it returns the program's context.
func (g *collectorGate) context() context.Context {
	ctx := contextOf(g.collector)
	if ctx == nil || errors.Is((*ctx).Err(), ErrDetached) {
		return g.parent
	}
	return *ctx
}

// answer responds to colly's own request for /robots.txt, which colly sends once for
// each host. The gate checks the real file, so the response has no rules. If the file
// is unreachable, answer fails and colly refuses the URL, unless
// Options.ReportInOnError is set.
//
// colly keeps the response as long as the collector exists. If the client cannot be
// read and the context was replaced, answer fails with ErrContextReplaced. Otherwise a
// new client would send pages unchecked.
//
// colly's request has the timeout of the page, but the fetch does not, so answer may
// wait longer. net/http then replaces an error with its own, which looks like a slow
// page. In that case the response has no rules, and the gate refuses the page.
func (s *shell) answer(req *http.Request) (*http.Response, error) {
	g := s.gate
	ctx := g.context()
	if !g.client.known() && g.contextReplaced() {
		return nil, ErrContextReplaced
	}
	if isUserFetch(ctx) || !isCheckedScheme(req.URL.Scheme) {
		return noRobots(req), nil
	}
	requested, err := g.robots.originOf(req.URL)
	if err != nil {
		return nil, err
	}
	for _, site := range urlsToCheck(req.URL, req.Host) {
		if o, err := g.robots.originOf(site); err == nil && g.robots.isExempt(o) {
			continue
		}
		rec, err := g.robots.Record(context.WithValue(ctx, shellKey{}, s), site)
		if err != nil {
			return nil, err
		}
		if rec.Outcome == OutcomeUnreachable && !g.robots.options.ReportInOnError && req.Context().Err() == nil {
			g.warn(rec)
			return nil, later(rec, string(requested)) // the path is unknown here
		}
	}
	return noRobots(req), nil
}

// isPage reports whether a request for /robots.txt without a seal is for a page. That
// happens only in colly v2.1.0, which has no contexts. Only page requests have an
// Accept field.
func (g *collectorGate) isPage(req *http.Request) bool {
	return contextOf(g.collector) == nil && req.Header.Get("Accept") != ""
}

// noRobots returns a response without rules for colly.
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

// maxWarned limits the origins in collectorGate.warned.
const maxWarned = 10_000

// warn logs once for each record that Visit refuses URLs, because the program may not
// see the error.
func (g *collectorGate) warn(rec *Record) {
	g.mu.Lock()
	known := g.warned[rec.Origin].Equal(rec.FetchedAt)
	if len(g.warned) >= maxWarned {
		clear(g.warned) // some warnings are repeated
	}
	g.warned[rec.Origin] = rec.FetchedAt
	g.mu.Unlock()
	if !known {
		g.robots.log.WarnContext(g.parent, "Visit refuses the URLs of an origin whose robots.txt is unreachable, and a colly queue drops them",
			"origin", rec.Origin, "next", rec.RetryAt, "error", rec.Err)
	}
}
