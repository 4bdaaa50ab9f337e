package robotsext_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gocolly/colly/v2"
	"github.com/gocolly/colly/v2/proxy"

	"github.com/politecrawl/politecrawl/robotsext"
)

// The corners of attaching to a collector by its public API, one test each. What
// they show is said in the comment of Attach.

func TestGateTakenAway(t *testing.T) {
	takers := map[string]func(c *colly.Collector){
		"WithTransport":     func(c *colly.Collector) { c.WithTransport(&http.Transport{DisableKeepAlives: true}) },
		"WithTransport nil": func(c *colly.Collector) { c.WithTransport(nil) },
		"SetClient": func(c *colly.Collector) {
			c.SetClient(&http.Client{Transport: &http.Transport{DisableKeepAlives: true}})
		},
		"SetClient no timeout": func(c *colly.Collector) { c.SetClient(&http.Client{}) },
	}
	for name, take := range takers {
		for how, drive := range drives {
			t.Run(name+"/"+how, func(t *testing.T) {
				s := newSite(t, text(private))
				c := colly.NewCollector(newRobots(t, nil).Attach)
				if err := c.Visit(s.URL + "/before"); err != nil {
					t.Fatal(err)
				}
				take(c)
				errs := drive(t, c, action{"GET", s.URL + "/get"}, action{"HEAD", s.URL + "/head"}, action{"POST", s.URL + "/post"})
				s.wantAsked(t, robotsLine, "GET /before")
				if len(errs) < 3 {
					t.Errorf("errors %v, want one for each request", errs)
				}
				for _, err := range errs {
					if !errors.Is(err, robotsext.ErrDetached) {
						t.Errorf("error %v, want ErrDetached", err)
					}
				}
			})
		}
	}
	t.Run("host not asked before", func(t *testing.T) {
		s := newSite(t, text(private))
		c := colly.NewCollector(newRobots(t, nil).Attach)
		c.WithTransport(&http.Transport{DisableKeepAlives: true})
		if err := c.Visit(s.URL + "/a"); !errors.Is(err, robotsext.ErrDetached) {
			t.Errorf("error %v, want ErrDetached", err)
		}
		s.wantAsked(t, robotsLine) // colly's own
	})
	http.DefaultClient.CloseIdleConnections()
}

// A transport that leads through the gate is no loss of it.
func TestGateWrapped(t *testing.T) {
	s := newSite(t, text(private))
	r := newRobots(t, nil)
	c := colly.NewCollector(r.Attach)
	gate := r.Transport(nil)
	var through []string
	c.WithTransport(roundTripper(func(req *http.Request) (*http.Response, error) {
		through = append(through, req.URL.Path)
		return gate.RoundTrip(req)
	}))
	if err := c.Visit(s.URL + "/a"); err != nil {
		t.Error(err)
	}
	wantDisallowed(t, c.Head(s.URL+"/private"), 2)
	if want := []string{"/robots.txt", "/a", "/private"}; !slices.Equal(through, want) {
		t.Errorf("through the wrapper went %q, want %q", through, want)
	}
	if got := s.pages(); !slices.Equal(got, []string{"GET /a"}) {
		t.Errorf("pages sent: %q", got)
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

func TestContextSetAfterAttach(t *testing.T) {
	ways := map[string]func(r *robotsext.Robots) *colly.Collector{
		"option": func(r *robotsext.Robots) *colly.Collector {
			return colly.NewCollector(r.Attach, colly.StdlibContext(context.Background()))
		},
		"field": func(r *robotsext.Robots) *colly.Collector {
			c := colly.NewCollector(r.Attach)
			c.Context = context.Background()
			return c
		},
	}
	for name, make := range ways {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, text(private))
			c := make(newRobots(t, nil))
			for _, err := range []error{c.Visit(s.URL + "/a"), c.Post(s.URL+"/b", nil), c.Head(s.URL + "/c")} {
				if !errors.Is(err, robotsext.ErrUnsealed) {
					t.Errorf("error %v, want ErrUnsealed", err)
				}
			}
			if pages := s.pages(); len(pages) != 0 {
				t.Errorf("pages sent: %q", pages)
			}
		})
	}
}

func TestContextBeforeAttach(t *testing.T) {
	type key struct{}
	var seen []any
	s := newSite(t, text(private))
	ctx := context.WithValue(t.Context(), key{}, "mine")
	r := newRobots(t, &robotsext.Options{Transport: roundTripper(func(req *http.Request) (*http.Response, error) {
		seen = append(seen, req.Context().Value(key{}))
		return http.DefaultTransport.RoundTrip(req)
	})})
	defer http.DefaultClient.CloseIdleConnections()
	c := colly.NewCollector(colly.StdlibContext(ctx), r.Attach)
	if err := c.Visit(s.URL + "/a"); err != nil {
		t.Fatal(err)
	}
	if len(seen) != 2 || seen[0] != "mine" || seen[1] != "mine" {
		t.Errorf("Options.Transport saw the values %v, want mine for robots.txt and page", seen)
	}
	if !errors.Is(c.Context.Err(), robotsext.ErrDetached) {
		t.Error("c.Context does not read as cancelled")
	}
}

func TestAttachTwice(t *testing.T) {
	s := newSite(t, text(private))
	p := newProxy(t)
	r := newRobots(t, nil)
	c := colly.NewCollector(r.Attach)
	if err := c.SetProxy(p.URL); err != nil {
		t.Fatal(err)
	}
	r.Attach(c)
	r.Attach(c.Clone())
	if err := c.Visit(s.URL + "/a"); err != nil {
		t.Error(err)
	}
	wantDisallowed(t, c.Visit(s.URL+"/private"), 2)
	s.wantAsked(t, robotsLine, "GET /a")
	if got := p.seen(); len(got) != 2 {
		t.Errorf("the proxy saw %q, want robots.txt and the page", got)
	}
}

func TestAttachSecondRobots(t *testing.T) {
	s := newSite(t, text("User-agent: first\nDisallow: /a\n\nUser-agent: second\nDisallow: /b\n"))
	p := newProxy(t)
	first, err := robotsext.New("first/1.0", nil)
	if err != nil {
		t.Fatal(err)
	}
	second, err := robotsext.New("second/1.0", nil)
	if err != nil {
		t.Fatal(err)
	}
	c := colly.NewCollector(first.Attach)
	if err := c.SetProxy(p.URL); err != nil {
		t.Fatal(err)
	}
	second.Attach(c)
	if err := c.Visit(s.URL + "/a"); err != nil {
		t.Error(err)
	}
	wantDisallowed(t, c.Visit(s.URL+"/b"), 5)
	if len(p.seen()) != 2 {
		t.Errorf("the proxy saw %q: it was lost", p.seen())
	}
}

func TestAttachToClone(t *testing.T) {
	s := newSite(t, text(private))
	r := newRobots(t, nil)
	parent := colly.NewCollector()
	clone := parent.Clone()
	r.Attach(clone)
	if err := clone.Visit(s.URL + "/clone"); err != nil {
		t.Error(err)
	}
	if err := parent.Visit(s.URL + "/parent"); !errors.Is(err, robotsext.ErrUnsealed) {
		t.Errorf("error %v, want ErrUnsealed", err)
	}
	r.Attach(parent)
	parent.AllowURLRevisit = true
	if err := parent.Visit(s.URL + "/parent"); err != nil {
		t.Error(err)
	}
	wantDisallowed(t, parent.Visit(s.URL+"/private"), 2)
	s.wantAsked(t, robotsLine, "GET /clone", "GET /parent")
}

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

func TestSetProxyAfterAttach(t *testing.T) {
	for how, drive := range drives {
		t.Run(how, func(t *testing.T) {
			s := newSite(t, text(private))
			p := newProxy(t)
			c := colly.NewCollector(newRobots(t, nil).Attach)
			if err := c.SetProxy(p.URL); err != nil {
				t.Fatal(err)
			}
			errs := drive(t, c, action{"GET", s.URL + "/a"}, action{"GET", s.URL + "/private"}, action{"HEAD", s.URL + "/private/x"})
			if len(errs) < 2 {
				t.Fatalf("errors %v, want one for each refusal", errs)
			}
			for _, err := range errs {
				wantDisallowed(t, err, 2)
			}
			s.wantAsked(t, robotsLine, "GET /a")
			if got := p.seen(); len(got) != 2 {
				t.Errorf("the proxy saw %q, want robots.txt and /a", got)
			}
		})
	}
}

func TestProxySwitcher(t *testing.T) {
	s := newSite(t, text(private))
	p1, p2 := newProxy(t), newProxy(t)
	c := colly.NewCollector(newRobots(t, nil).Attach)
	switcher, err := proxy.RoundRobinProxySwitcher(p1.URL, p2.URL)
	if err != nil {
		t.Fatal(err)
	}
	c.SetProxyFunc(switcher)
	var proxyURL string
	c.OnResponse(func(r *colly.Response) { proxyURL += r.Request.ProxyURL })
	for _, path := range []string{"/a", "/b", "/c"} {
		if err := c.Visit(s.URL + path); err != nil {
			t.Error(err)
		}
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
	if err := c.SetProxy("http://127.0.0.1:1"); err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{c.Visit(s.URL + "/a"), c.Head(s.URL + "/b")} {
		if !errors.Is(err, robotsext.ErrProxy) {
			t.Errorf("error %v, want ErrProxy", err)
		}
	}
	s.wantAsked(t) // above all not without the proxy
}

// Where colly does not ask about robots.txt, the gate refuses the request itself:
// OnRequest has run, the URL is marked, and Request.Retry is the way on.
func TestRefusedByGateOnly(t *testing.T) {
	down := true
	robots := func(w http.ResponseWriter, req *http.Request) {
		if down {
			status(503)(w, req)
			return
		}
		text(private)(w, req)
	}
	prepare := map[string]func(t *testing.T) []colly.CollectorOption{
		"environment": func(t *testing.T) []colly.CollectorOption {
			t.Setenv("COLLY_IGNORE_ROBOTSTXT", "yes") // read after all options
			return nil
		},
		"CheckHead": func(*testing.T) []colly.CollectorOption {
			return []colly.CollectorOption{colly.CheckHead()}
		},
	}
	for name, options := range prepare {
		t.Run(name, func(t *testing.T) {
			down = true
			s := newSite(t, robots)
			clock := newClock()
			r := newRobots(t, &robotsext.Options{Now: clock.now})
			c := colly.NewCollector(append(options(t), r.Attach)...)
			requested := 0
			c.OnRequest(func(*colly.Request) { requested++ })
			var refused *colly.Request
			c.OnError(func(resp *colly.Response, _ error) { refused = resp.Request })
			blocked := wantLater(t, c.Visit(s.URL+"/a"))
			if pages := s.pages(); len(pages) != 0 {
				t.Fatalf("pages sent: %q", pages)
			}
			if requested == 0 || refused == nil {
				t.Error("OnRequest and OnError were not called, though the documentation says so")
			}
			down = false
			clock.set(blocked.RetryAt)
			if err := refused.Retry(); err != nil {
				t.Error(err)
			}
			if len(s.pages()) != 1 {
				t.Errorf("site was asked %q", s.asked())
			}
		})
	}
	t.Run("record expired", func(t *testing.T) {
		down = false
		s := newSite(t, robots)
		clock := newClock()
		c := colly.NewCollector(newRobots(t, &robotsext.Options{Now: clock.now}).Attach)
		if err := c.Visit(s.URL + "/a"); err != nil {
			t.Fatal(err)
		}
		down = true
		clock.advance(25 * time.Hour)
		wantLater(t, c.Visit(s.URL+"/b"))
		if visited, _ := c.HasVisited(s.URL + "/b"); !visited {
			t.Error("not marked as visited, though the documentation says so")
		}
		s.wantAsked(t, robotsLine, "GET /a", robotsLine)
	})
}

// colly asks once for each host, without regard to the scheme.
func TestSchemesOfOneHost(t *testing.T) {
	tls := httptest.NewTLSServer(http.NotFoundHandler())
	defer tls.Close()
	plain := newSite(t, text("User-agent: *\nDisallow: /plain\n"))
	var seen []string
	hosts := roundTripper(func(req *http.Request) (*http.Response, error) {
		seen = append(seen, req.URL.String())
		w := httptest.NewRecorder()
		if req.URL.Scheme == "https" && req.URL.Path == "/robots.txt" {
			w.Body = bytes.NewBufferString("User-agent: *\nDisallow: /tls\n")
		}
		if req.URL.Scheme == "http" && req.URL.Path == "/robots.txt" {
			w.Body = bytes.NewBufferString("User-agent: *\nDisallow: /plain\n")
		}
		return w.Result(), nil
	})
	c := colly.NewCollector(newRobots(t, &robotsext.Options{Transport: hosts}).Attach)
	host := plain.Listener.Addr().String()
	wantDisallowed(t, c.Visit("http://"+host+"/plain"), 2)
	wantDisallowed(t, c.Visit("https://"+host+"/tls"), 2)
	if err := errors.Join(c.Visit("http://"+host+"/tls"), c.Visit("https://"+host+"/plain")); err != nil {
		t.Error("ROB-LOC-04:", err)
	}
	if len(seen) != 4 {
		t.Errorf("sent %q, want a robots.txt and a page for each scheme", seen)
	}
}

func TestUserAgentOfCollector(t *testing.T) {
	s := newSite(t, text(private))
	var log bytes.Buffer
	r := newRobots(t, &robotsext.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	c := colly.NewCollector(r.Attach)
	if c.UserAgent != agent {
		t.Errorf("user agent %q", c.UserAgent)
	}
	if err := c.Visit(s.URL + "/a"); err != nil {
		t.Fatal(err)
	}
	if log.Len() != 0 {
		t.Errorf("logged %s", &log)
	}
	own := colly.NewCollector(colly.UserAgent("other/2.0"), r.Attach)
	if own.UserAgent != "other/2.0" {
		t.Errorf("user agent %q was replaced", own.UserAgent)
	}
	for _, path := range []string{"/b", "/c"} {
		if err := own.Visit(s.URL + path); err != nil {
			t.Error(err)
		}
	}
	if n := strings.Count(log.String(), "level=WARN"); n != 1 || !strings.Contains(log.String(), "other/2.0") {
		t.Errorf("ROB-FET-04: %d warnings: %s", n, &log)
	}
}

func TestHostHeaderIsTheSite(t *testing.T) {
	s := newSite(t, text(private))
	other := newSite(t, text("User-agent: *\nDisallow: /other\n"))
	c := colly.NewCollector(newRobots(t, nil).Attach, colly.Headers(map[string]string{"Host": other.Listener.Addr().String()}))
	// Sent to the address of s, but asks for the site other.
	wantDisallowed(t, c.Visit(s.URL+"/other"), 2)
	if err := c.Visit(s.URL + "/private"); err != nil {
		t.Error(err)
	}
	s.wantAsked(t, "GET /private")
	other.wantAsked(t, robotsLine)
}

// net/http takes https requests with an Upgrade field past registered protocols,
// and so past the gate. They end at the shell.
func TestUpgradeDoesNotPassTheGate(t *testing.T) {
	asked := false
	tls := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	defer tls.Close()
	r := newRobots(t, &robotsext.Options{Transport: tls.Client().Transport})
	upgrade := http.Header{"Connection": {"Upgrade"}, "Upgrade": {"websocket"}}
	c := colly.NewCollector(r.Attach)
	if err := c.Request("HEAD", tls.URL+"/", nil, nil, upgrade.Clone()); !errors.Is(err, robotsext.ErrDetached) {
		t.Errorf("error %v, want ErrDetached", err)
	}
	c.Context = context.Background()
	if err := c.Request("HEAD", tls.URL+"/", nil, nil, upgrade.Clone()); !errors.Is(err, robotsext.ErrUncheckable) {
		t.Errorf("without the seal: error %v, want ErrUncheckable", err)
	}
	if asked {
		t.Error("something was sent")
	}
}

func TestSharedClientIsChanged(t *testing.T) {
	client := &http.Client{}
	c := colly.NewCollector()
	c.SetClient(client)
	newRobots(t, nil).Attach(c)
	if client.Transport == nil {
		t.Error("the client is as it was, though the documentation warns of the contrary")
	}
}

func TestKeepAlivesDisabled(t *testing.T) {
	s := newSite(t, text(private))
	p := newProxy(t)
	c := colly.NewCollector(newRobots(t, nil).Attach)
	proxyURL, err := url.Parse(p.URL)
	if err != nil {
		t.Fatal(err)
	}
	c.SetProxyFunc(http.ProxyURL(proxyURL)) // sets DisableKeepAlives
	var closed bool
	p.Config.Handler = keepAliveWatch(p.Config.Handler, &closed)
	if err := c.Visit(s.URL + "/a"); err != nil {
		t.Error(err)
	}
	if !closed {
		t.Error("the connection was kept, though colly asked for the contrary")
	}
}

func keepAliveWatch(next http.Handler, closed *bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		*closed = req.Close || req.Header.Get("Proxy-Connection") == "close"
		next.ServeHTTP(w, req)
	})
}
