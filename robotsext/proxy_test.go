package robotsext_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"sync"
	"testing"

	"github.com/gocolly/colly/v2"
	"github.com/gocolly/colly/v2/proxy"

	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/usage"
)

// forwardProxy is an HTTP proxy that records what it is asked for.
type forwardProxy struct {
	*httptest.Server
	mu    sync.Mutex
	urls  []string
	close bool // the last request was not to keep its connection
}

func newProxy(t *testing.T) *forwardProxy {
	t.Helper()
	p := &forwardProxy{}
	forward := &httputil.ReverseProxy{Rewrite: func(*httputil.ProxyRequest) {}, Transport: &http.Transport{DisableKeepAlives: true}}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		p.mu.Lock()
		p.urls = append(p.urls, req.URL.String())
		p.close = req.Close || req.Header.Get("Proxy-Connection") == "close"
		p.mu.Unlock()
		forward.ServeHTTP(w, req)
	}))
	t.Cleanup(p.Close)
	return p
}

func (p *forwardProxy) seen() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.urls)
}

// wantSeen wants the proxy to have seen so many requests.
func (p *forwardProxy) wantSeen(t *testing.T, want int) {
	t.Helper()
	if got := p.seen(); len(got) != want {
		t.Errorf("the proxy saw %q, want %d requests", got, want)
	}
}

// A clone is not left without a proxy by what happens to its parent.
func TestSetProxyReachesEarlierClones(t *testing.T) {
	s, c := newAttached(t)
	p := newProxy(t)
	clone := c.Clone()
	newRobots(t, nil).Attach(c)
	wantOK(t, c.SetProxy(p.URL))
	for _, err := range []error{clone.Visit(s.URL + "/a"), clone.Head(s.URL + "/b")} {
		wantOK(t, err)
	}
	s.wantAsked(t, robotsLine, "GET /a", "HEAD /b")
	p.wantSeen(t, 3)
}

// With the collector's context, what is asked beside the collector goes the same
// way as its pages.
func TestProxyByCollectorContext(t *testing.T) {
	for name, ask := range map[string]func(context.Context, *robotsext.Robots, *url.URL) error{
		"Check": func(ctx context.Context, r *robotsext.Robots, u *url.URL) error { return r.Check(ctx, u) },
		"Record": func(ctx context.Context, r *robotsext.Robots, u *url.URL) error {
			_, err := r.Record(ctx, u)
			return err
		},
		"Refresh": func(ctx context.Context, r *robotsext.Robots, u *url.URL) error {
			_, err := r.Refresh(ctx, u)
			return err
		},
		"SiteUsage": func(ctx context.Context, r *robotsext.Robots, u *url.URL) error {
			_, err := r.SiteUsage(ctx, u, usage.TDM)
			return err
		},
		"Sitemaps": func(ctx context.Context, r *robotsext.Robots, u *url.URL) error {
			_, errs := gather(r.Sitemaps(ctx, u))
			return errors.Join(errs...)
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, text(private))
			p := newProxy(t)
			r := newRobots(t, nil)
			parent, cancel := context.WithCancelCause(t.Context())
			c := colly.NewCollector(colly.StdlibContext(parent), r.Attach)
			wantOK(t, c.SetProxy(p.URL))
			derived, release := context.WithCancel(c.Context)
			defer release()
			for _, ctx := range []context.Context{c.Context, derived} {
				wantOK(t, ask(ctx, r, s.url("/a")))
			}
			if got, want := p.seen(), s.asked(); len(got) == 0 || len(got) != len(want) {
				t.Errorf("the proxy saw %q, the site %q", got, want)
			}
			stop := errors.New("enough")
			cancel(stop)
			if err := ask(c.Context, r, newSite(t, text("")).url("/a")); !errors.Is(err, stop) {
				t.Errorf("error %v, want that of the context before Attach", err)
			}
		})
	}
}

// One collector's dead proxy is everybody's outage, as the comment of Attach says.
func TestProxyDead(t *testing.T) {
	s := newSite(t, text(private))
	clock := newClock()
	r := newRobots(t, &robotsext.Options{Now: clock.now})
	c, other := colly.NewCollector(r.Attach), colly.NewCollector(r.Attach)
	wantOK(t, c.SetProxy("http://127.0.0.1:1"))
	wantLater(t, c.Visit(s.URL+"/a"))
	blocked := wantLater(t, other.Visit(s.URL+"/a"))
	clock.set(blocked.RetryAt)
	wantOK(t, other.Visit(s.URL+"/a"))
	s.wantAsked(t, robotsLine, "GET /a")
}

func TestProxySwitcher(t *testing.T) {
	s, c := newAttached(t)
	p1, p2 := newProxy(t), newProxy(t)
	switcher, err := proxy.RoundRobinProxySwitcher(p1.URL, p2.URL)
	wantOK(t, err)
	c.SetProxyFunc(switcher)
	c.OnResponse(func(r *colly.Response) {
		if r.Request.ProxyURL != "" {
			t.Errorf("Request.ProxyURL is %q: the documentation says it is lost", r.Request.ProxyURL)
		}
	})
	for _, path := range []string{"/a", "/b", "/c"} {
		wantOK(t, c.Visit(s.URL+path))
	}
	p1.wantSeen(t, 2)
	p2.wantSeen(t, 2)
}

func TestProxyWithForeignTransport(t *testing.T) {
	c := colly.NewCollector(newRobots(t, &robotsext.Options{Transport: reply{status: 200}}).Attach)
	wantOK(t, c.SetProxy("http://127.0.0.1:1"))
	for _, err := range []error{c.Visit(siteA + "/a"), c.Head(siteA + "/b")} { // above all not without the proxy
		if !errors.Is(err, robotsext.ErrProxy) {
			t.Errorf("error %v, want ErrProxy", err)
		}
	}
}

func TestKeepAlivesDisabled(t *testing.T) {
	s, c := newAttached(t)
	p := newProxy(t)
	c.SetProxyFunc(http.ProxyURL(mustParse(t, p.URL))) // sets DisableKeepAlives
	for i, path := range []string{"/a", "/b"} {
		wantOK(t, c.Visit(s.URL+path))
		p.wantSeen(t, 2+2*i)
		if !p.close {
			t.Error("the connection was kept, though colly asked for the contrary")
		}
		newRobots(t, nil).Attach(c)
	}
}

// A function that chooses proxies has no say in what is sent.
func TestProxyFuncCannotChangeTheRequest(t *testing.T) {
	for name, change := range map[string]func(req *http.Request, to *url.URL){
		"replaced": func(req *http.Request, to *url.URL) { req.URL = to },
		"in place": func(req *http.Request, to *url.URL) { *req.URL = *to },
	} {
		t.Run("ROB-GEN-04/"+name, func(t *testing.T) {
			s, c := newAttached(t)
			p := newProxy(t)
			c.SetProxyFunc(func(req *http.Request) (*url.URL, error) {
				change(req, s.url("/private"))
				return url.Parse(p.URL)
			})
			wantOK(t, c.Visit(s.URL+"/a"))
			s.wantAsked(t, robotsLine, "GET /a")
		})
	}
}
