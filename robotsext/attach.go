package robotsext

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/gocolly/colly/v2"

	"github.com/politecrawl/politecrawl/robotsext/internal/hook"
)

// collyUserAgent is the prefix of colly's default user agent.
const collyUserAgent = "colly - https://github.com/gocolly/colly"

// Attach checks every request of c and its clones: pages, redirects, HEAD, POST. Call it as
// the last line of the set-up of each collector; you may call it again at any time. For a
// refused URL, Visit returns or OnError receives a *BlockedError
// (colly.ErrRobotsTxtBlocked). CheckLink reports beforehand whether a URL is disallowed.
//
// The transport, client, proxy and context of c stay in use, also for robots.txt. Without a
// transport and Options.Transport, c uses http.DefaultTransport, as colly does. A later transport
// or proxy is used too. Attach sets IgnoreRobotsTxt to false, and replaces colly's default user
// agent by yours.
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
	g, parent := r.gateOf(c)
	if r.attached.gate(c) != g {
		r.attached.set(c, g)
		if g.hook.Known() {
			c.OnRequest(g.onRequest)
			g.hook.OnSend(g.onSend)
		}
	}
	if ctx := g.hook.Context(); ctx != nil {
		if s := sealOf(*ctx); s == nil || s.gate != g {
			sealed := newSeal(parent, g)
			*ctx = sealed
			if c == g.collector {
				g.seal.Store(sealed)
			}
		}
	}
	g.install()
}

// gateOf returns the gate of r for c, and the context that the program has set. It makes a gate
// if there is none.
func (r *Robots) gateOf(c *colly.Collector) (g *collectorGate, parent context.Context) {
	parent = context.Background()
	private := hook.Of(c)
	if ctx := private.Context(); ctx != nil {
		parent = *ctx
	}
	if s := sealOf(parent); s != nil {
		if s.gate.robots == r {
			return s.gate, s.parent
		}
		parent = s.parent
		if s.gate.collector == c {
			s.gate.retire()
		}
	}
	if g := r.attached.gate(c); g != nil && !g.isRetired() {
		return g, parent
	}
	g = &collectorGate{robots: r, collector: c, hook: private, parent: parent}
	g.watched.gate = g
	return g, parent
}

// collectorGate checks the requests of a collector and its clones.
type collectorGate struct {
	robots    *Robots
	collector *colly.Collector // the one that Attach was called with
	hook      hook.Collector
	parent    context.Context // the collector's at Attach, with the values that Options.Transport may need

	watched  watchedJar // the cookie jar of adopted
	seal     atomic.Pointer[seal]
	swapped  atomic.Bool // the program has replaced the client or transport
	unsealed atomic.Bool // a request had no seal: the program has replaced the context, or colly has none

	mu         sync.Mutex
	adopted    *http.Client   // the copy of the program's client; the program may have replaced it
	jar        http.CookieJar // the program's; nil if cookies are disabled
	shell      *shell         // installed last
	lostLogged bool           // a replaced client was logged
	retired    bool           // another Robots was attached later
}

func (g *collectorGate) isRetired() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.retired
}

// retire stops the gate from installing itself again.
func (g *collectorGate) retire() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.retired = true
}

// onSend runs right before the collector sends a request. Another client may have been set while
// the request waited for a LimitRule.
func (g *collectorGate) onSend(req *colly.Request) {
	g.restore(schemeOf(req.URL))
	g.hold(req.URL)
}

// current returns the shell that was installed last.
func (g *collectorGate) current() *shell {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.shell
}

// context returns the context of the collector's requests. If it has ended only because a
// request may bypass the gate, it returns the program's context.
func (g *collectorGate) context() context.Context {
	ctx := g.hook.Context()
	if ctx == nil {
		return g.parent
	}
	if s := sealOf(*ctx); s != nil && errors.Is((*ctx).Err(), ErrDetached) {
		return s.parent
	}
	return *ctx
}

// onRequest runs before each request of the collector, but not of its clones. If colly does
// not ask for robots.txt, it is fetched here, without the timeout of the page.
func (g *collectorGate) onRequest(req *colly.Request) {
	g.restore(schemeOf(req.URL))
	if !g.collector.IgnoreRobotsTxt || !isCheckedScheme(req.URL.Scheme) {
		return
	}
	if g.robots.warnings.first("ignored "+req.URL.Host, g.robots.lookup.Now(), never) {
		g.robots.log.WarnContext(g.parent, "IgnoreRobotsTxt has no effect after robotsext.Attach: requests are still checked; set robotsext.Options.Exempt for your own sites",
			"host", req.URL.Host)
	}
	_, _ = g.robots.Decide(context.WithValue(g.parent, shellKey{}, g.current()), req.URL) // the gate reports it
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
	if g.contextReplaced() {
		g.unsealed.Store(true)
		if !g.hook.Known() {
			return nil, ErrContextReplaced
		}
	}
	if isUserFetch(ctx) || !isCheckedScheme(req.URL.Scheme) {
		return noRobots(req), nil
	}
	requested, err := g.robots.originOf(req.URL)
	if err != nil {
		return nil, err
	}
	site := *req.URL
	for i, host := range []string{req.URL.Host, req.Host} {
		if i > 0 && (host == "" || host == req.URL.Host) {
			continue
		}
		site.Host = host
		if o, err := g.robots.originOf(&site); err == nil && g.robots.isExempt(o) {
			continue
		}
		rec, err := g.robots.Record(context.WithValue(ctx, shellKey{}, s), &site)
		if err != nil {
			return nil, err
		}
		if rec.Outcome == OutcomeUnreachable && !g.robots.options.ReportInOnError && req.Context().Err() == nil {
			refusal := later(rec, string(requested)) // the path is unknown here
			g.robots.noteRefusal(ctx, refusal)
			return nil, refusal
		}
	}
	return noRobots(req), nil
}

// isPage reports whether a request for /robots.txt without a seal is for a page. That
// happens only in colly v2.1.0, which has no contexts. Only page requests have an
// Accept field.
func (g *collectorGate) isPage(req *http.Request) bool {
	return g.hook.Context() == nil && req.Header.Get("Accept") != ""
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
