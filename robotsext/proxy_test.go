package robotsext_test

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
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
	mu   sync.Mutex
	urls []string
}

func newProxy(t *testing.T) *forwardProxy {
	t.Helper()
	p := &forwardProxy{}
	direct := &http.Transport{DisableKeepAlives: true}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		p.mu.Lock()
		p.urls = append(p.urls, req.URL.String())
		p.mu.Unlock()
		out := req.Clone(req.Context())
		out.RequestURI = ""
		resp, err := direct.RoundTrip(out)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		defer resp.Body.Close()
		maps.Copy(w.Header(), resp.Header)
		w.WriteHeader(resp.StatusCode)
		var body bytes.Buffer
		_, _ = body.ReadFrom(resp.Body)
		_, _ = w.Write(body.Bytes())
	}))
	t.Cleanup(p.Close)
	return p
}

func (p *forwardProxy) seen() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.urls...)
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
	asks := map[string]func(context.Context, *robotsext.Robots, *url.URL) error{
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
			for _, err := range r.Sitemaps(ctx, u) {
				return err
			}
			return nil
		},
	}
	for name, ask := range asks {
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
			answer := make(chan struct{})
			defer close(answer)
			slow := newSite(t, func(http.ResponseWriter, *http.Request) { <-answer })
			if err := ask(c.Context, r, slow.url("/a")); !errors.Is(err, stop) {
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
	s := newSite(t, text(private))
	p1, p2 := newProxy(t), newProxy(t)
	c := colly.NewCollector(newRobots(t, nil).Attach)
	switcher, err := proxy.RoundRobinProxySwitcher(p1.URL, p2.URL)
	wantOK(t, err)
	c.SetProxyFunc(switcher)
	var proxyURL string
	c.OnResponse(func(r *colly.Response) { proxyURL += r.Request.ProxyURL })
	for _, path := range []string{"/a", "/b", "/c"} {
		wantOK(t, c.Visit(s.URL+path))
	}
	if len(p1.seen()) != 2 || len(p2.seen()) != 2 {
		t.Errorf("the proxies saw %q and %q, want 2 requests each", p1.seen(), p2.seen())
	}
	if proxyURL != "" {
		t.Errorf("Request.ProxyURL is %q: the documentation says it is lost", proxyURL)
	}
}

func TestProxyWithForeignTransport(t *testing.T) {
	s := newSite(t, text(private))
	r := newRobots(t, &robotsext.Options{Transport: roundTripper(http.DefaultTransport.RoundTrip)})
	defer http.DefaultClient.CloseIdleConnections()
	c := colly.NewCollector(r.Attach)
	wantOK(t, c.SetProxy("http://127.0.0.1:1"))
	for _, err := range []error{c.Visit(s.URL + "/a"), c.Head(s.URL + "/b")} {
		if !errors.Is(err, robotsext.ErrProxy) {
			t.Errorf("error %v, want ErrProxy", err)
		}
	}
	s.wantAsked(t) // above all not without the proxy
}

func TestKeepAlivesDisabled(t *testing.T) {
	s, c := newAttached(t)
	p := newProxy(t)
	proxyURL, err := url.Parse(p.URL)
	wantOK(t, err)
	c.SetProxyFunc(http.ProxyURL(proxyURL)) // sets DisableKeepAlives
	var closed bool
	p.Config.Handler = keepAliveWatch(p.Config.Handler, &closed)
	wantOK(t, c.Visit(s.URL+"/a"))
	if !closed {
		t.Error("the connection was kept, though colly asked for the contrary")
	}
	closed = false
	newRobots(t, nil).Attach(c)
	wantOK(t, c.Visit(s.URL+"/b"))
	if !closed {
		t.Error("the connection was kept after a second Attach")
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

func keepAliveWatch(next http.Handler, closed *bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		*closed = req.Close || req.Header.Get("Proxy-Connection") == "close"
		next.ServeHTTP(w, req)
	})
}
