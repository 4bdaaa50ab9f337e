package hook

import (
	"context"
	"errors"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"weak"

	"github.com/gocolly/colly/v2"
)

// collyUserAgent is the prefix of colly's default user agent.
const collyUserAgent = "colly - https://github.com/gocolly/colly"

// Attach implements robotsext.Robots.Attach.
func (h *Hook) Attach(c *colly.Collector) {
	if strings.HasPrefix(c.UserAgent, collyUserAgent) {
		c.UserAgent = h.UserAgent
	}
	c.IgnoreRobotsTxt = false
	g, parent := h.gateOf(c)
	if h.gateFor(c) != g {
		key := weak.Make(c)
		if _, known := h.attached.Swap(key, weak.Make(g)); !known {
			runtime.AddCleanup(c, func(key weak.Pointer[colly.Collector]) { h.attached.Delete(key) }, key)
		}
		if g.private.known() {
			c.OnRequest(g.onRequest)
			g.private.onSend(g.onSend)
		}
	}
	if ctx := g.private.context(); ctx != nil {
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

// gateFor returns the gate that Attach has set for c, or nil if there is none.
func (h *Hook) gateFor(c *colly.Collector) *gate {
	g, _ := h.attached.Load(weak.Make(c))
	set, _ := g.(weak.Pointer[gate])
	return set.Value()
}

// gateOf returns the gate of h for c, and the context that the program has set. It makes a gate
// if there is none.
func (h *Hook) gateOf(c *colly.Collector) (g *gate, parent context.Context) {
	parent = context.Background()
	fields := privateOf(c)
	if ctx := fields.context(); ctx != nil {
		parent = *ctx
	}
	if s := sealOf(parent); s != nil {
		if s.gate.hook == h {
			return s.gate, s.parent
		}
		parent = s.parent
		if s.gate.collector == c {
			s.gate.retire()
		}
	}
	if g := h.gateFor(c); g != nil && !g.isRetired() {
		return g, parent
	}
	g = &gate{hook: h, collector: c, private: fields, parent: parent}
	g.watched.gate = g
	return g, parent
}

// gate checks the requests of a collector and its clones.
type gate struct {
	hook      *Hook
	collector *colly.Collector // the one that Attach was called with
	private   private
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

func (g *gate) isRetired() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.retired
}

// retire stops the gate from installing itself again.
func (g *gate) retire() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.retired = true
}

// onSend runs right before the collector sends a request. Another client may have been set while
// the request waited for a LimitRule.
func (g *gate) onSend(req *colly.Request) {
	g.restore(schemeOf(req.URL))
	g.hold(req.URL)
}

// current returns the shell that was installed last.
func (g *gate) current() *shell {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.shell
}

// context returns the context of the collector's requests. If it has ended only because a
// request may bypass the gate, it returns the program's context.
func (g *gate) context() context.Context {
	ctx := g.private.context()
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
func (g *gate) onRequest(req *colly.Request) {
	g.restore(schemeOf(req.URL))
	if !g.collector.IgnoreRobotsTxt || !IsChecked(req.URL.Scheme) {
		return
	}
	g.hook.checker.Prefetch(context.WithValue(g.parent, shellKey{}, g.current()), req.URL)
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
		if !g.private.known() {
			return nil, ErrContextReplaced
		}
	}
	if err := g.hook.checker.CheckHost(context.WithValue(ctx, shellKey{}, s), req); err != nil {
		return nil, err
	}
	return noRobots(req), nil
}

// isPage reports whether a request for /robots.txt without a seal is for a page. That
// happens only in colly v2.1.0, which has no contexts. Only page requests have an
// Accept field.
func (g *gate) isPage(req *http.Request) bool {
	return g.private.context() == nil && req.Header.Get("Accept") != ""
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
