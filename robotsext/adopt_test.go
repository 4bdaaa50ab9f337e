package robotsext_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gocolly/colly/v2"
	"github.com/gocolly/colly/v2/storage"

	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/guard"
)

// What a program has set on the collector's client stays, for robots.txt too. TestDropIn
// shows the same of transports, clients, proxies and contexts.
func TestAttachAdopts(t *testing.T) {
	t.Run("TLS settings", func(t *testing.T) {
		var asked []string
		s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			asked = append(asked, req.URL.Path)
			if req.URL.Path == "/robots.txt" {
				fmt.Fprint(w, private)
			}
		}))
		defer s.Close()
		roots := x509.NewCertPool()
		roots.AddCert(s.Certificate())
		c := colly.NewCollector(newRobots(t, nil).Attach)
		transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}
		defer transport.CloseIdleConnections()
		c.WithTransport(transport)
		wantOK(t, c.Visit(s.URL+"/a"))
		wantDisallowed(t, c.Visit(s.URL+"/private"), 2)
		if want := "/robots.txt /a"; strings.Join(asked, " ") != want {
			t.Errorf("asked %q, want %q", asked, want)
		}
	})
	t.Run("TLS settings and proxy", func(t *testing.T) {
		s, c := newAttached(t)
		p := newProxy(t)
		c.WithTransport(&http.Transport{ResponseHeaderTimeout: time.Minute})
		wantOK(t, c.Visit(s.URL+"/a"))
		wantOK(t, c.SetProxy(p.URL))
		wantOK(t, c.Visit(s.URL+"/b"))
		p.wantSeen(t, 1)
	})
	t.Run("SetProxy replaces a transport that takes none", func(t *testing.T) {
		s := newSite(t, text(private))
		p := newProxy(t)
		c := colly.NewCollector()
		c.WithTransport(roundTripper(func(*http.Request) (*http.Response, error) { return nil, errors.New("not by this") }))
		newRobots(t, nil).Attach(c)
		wantOK(t, c.SetProxy(p.URL))
		wantOK(t, c.Visit(s.URL+"/a"))
		p.wantSeen(t, 2)
	})
	onWeb(t, "timeout", map[string][]reply{"/a": {{hang: true}}}, func(t *testing.T, w *web) {
		c := colly.NewCollector(newRobots(t, nil).Attach)
		c.SetClient(&http.Client{Timeout: time.Minute, Transport: w})
		var timeout interface{ Timeout() bool }
		if err := c.Head(siteA + "/a"); !errors.As(err, &timeout) || !timeout.Timeout() {
			t.Errorf("error %v, want a timeout", err)
		}
		w.after(time.Minute, time.Minute)
	})
	t.Run("redirect check", func(t *testing.T) {
		s := newSite(t, text(private))
		stop := errors.New("no further")
		c := colly.NewCollector(newRobots(t, nil).Attach)
		c.SetClient(&http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return stop }})
		if err := c.Head(s.URL + "/to?/b"); !errors.Is(err, stop) {
			t.Errorf("error %v, want that of CheckRedirect", err)
		}
	})
	t.Run("cookies", func(t *testing.T) {
		s, c := newAttached(t)
		wantOK(t, c.SetCookies(s.URL, []*http.Cookie{{Name: "a", Value: "b"}}))
		if got := c.Cookies(s.URL); len(got) != 1 || got[0].Value != "b" {
			t.Errorf("cookies %v", got)
		}
		c.DisableCookies()
		c.WithTransport(&http.Transport{DisableKeepAlives: true})
		wantDisallowed(t, c.Head(s.URL+"/private"), 2)
		wantOK(t, c.Visit(s.URL+"/a"))
		s.wantAsked(t, robotsLine, "GET /a")
		if got := s.seen[1].Header.Get("Cookie"); got != "" {
			t.Errorf("sent the cookie %q though cookies are disabled", got)
		}
	})
}

// robots.txt speaks of http, https and ftp. What else the program's transport serves
// passes.
func TestOtherSchemesPass(t *testing.T) {
	dir := t.TempDir()
	wantOK(t, os.WriteFile(filepath.Join(dir, "a.html"), []byte("<p>hello</p>"), 0o600))
	files := &http.Transport{}
	files.RegisterProtocol("file", http.NewFileTransport(http.Dir(dir)))
	own := roundTripper(func(req *http.Request) (*http.Response, error) {
		if req.URL.Scheme != "memory" {
			return nil, errors.New("sent " + req.URL.String())
		}
		return reply{status: 200, body: "hello"}.RoundTrip(req)
	})
	for name, test := range map[string]struct {
		transport http.RoundTripper
		url       string
	}{
		"file":       {files, "file:///a.html"},
		"own scheme": {own, "memory://host/a"},
	} {
		for _, after := range []bool{false, true} {
			t.Run(fmt.Sprintf("ROB-LOC-12/%s/after Attach %v", name, after), func(t *testing.T) {
				r := newRobots(t, nil)
				c := colly.NewCollector()
				if after {
					r.Attach(c)
				}
				if c.WithTransport(test.transport); !after {
					r.Attach(c)
				}
				var body string
				c.OnResponse(func(r *colly.Response) { body = string(r.Body) })
				wantOK(t, c.Visit(test.url))
				if err := r.Check(t.Context(), mustParse(t, test.url)); !strings.Contains(body, "hello") || !errors.Is(err, robotsext.ErrUnsupportedScheme) {
					t.Errorf("body %q; Check: error %v, want ErrUnsupportedScheme", body, err)
				}
			})
		}
	}
}

// For the program, c.Context is its own context, whatever it replaces.
func TestContextLives(t *testing.T) {
	s := newSite(t, text(private))
	stop := errors.New("enough")
	parent, cancel := context.WithCancelCause(t.Context())
	c := colly.NewCollector(colly.StdlibContext(parent), newRobots(t, nil).Attach)
	derived, release := context.WithCancel(c.Context)
	defer release()
	wantAlive := func(when string) {
		t.Helper()
		for name, ctx := range map[string]context.Context{"c.Context": c.Context, "derived": derived} {
			select {
			case <-ctx.Done():
				t.Errorf("%s, %s has ended: %v", when, name, ctx.Err())
			default:
				wantOK(t, ctx.Err())
			}
		}
	}
	wantAlive("after Attach")
	c.WithTransport(&http.Transport{DisableKeepAlives: true}) // adopted when something is sent
	wantAlive("after WithTransport")
	c.SetClient(&http.Client{})
	wantAlive("after SetClient")
	wantOK(t, c.Visit(s.URL+"/a"))
	wantAlive("after the next request")
	cancel(stop)
	<-c.Context.Done()
	<-derived.Done()
	if err := context.Cause(c.Context); !errors.Is(err, stop) {
		t.Errorf("cause %v, want %v", err, stop)
	}
	if err := c.Visit(s.URL + "/b"); !errors.Is(err, stop) {
		t.Errorf("error %v, want %v", err, stop)
	}
	s.wantPages(t, "GET /a")
}

// A cookie jar takes the place of the one by which robotsext notices a transport. The next
// request of the collector puts it back, so that a later transport is noticed.
func TestTransportAfterCookieJar(t *testing.T) {
	for name, setJar := range map[string]func(c *colly.Collector){
		"DisableCookies": (*colly.Collector).DisableCookies,
		"SetCookieJar": func(c *colly.Collector) {
			jar, _ := cookiejar.New(nil) // never fails
			c.SetCookieJar(jar)
		},
		"SetStorage": func(c *colly.Collector) { _ = c.SetStorage(&storage.InMemoryStorage{}) },
	} {
		for how, drive := range drives {
			t.Run(name+"/"+how, func(t *testing.T) {
				before, s := newSite(t, text(private)), newSite(t, text(private))
				c := colly.NewCollector(newRobots(t, nil).Attach)
				setJar(c)
				wantOK(t, c.Visit(before.URL+"/a"))
				var sent errorList // what the transport sends, as errors
				c.WithTransport(roundTripper(func(req *http.Request) (*http.Response, error) {
					sent.add(errors.New(req.URL.Path))
					return (&http.Transport{DisableKeepAlives: true}).RoundTrip(req)
				}))
				errs := drive(t, c, action{"GET", s.URL + "/b"}, action{"GET", s.URL + "/private"})
				if len(errs) == 0 {
					t.Error("no error for a disallowed page")
				}
				for _, err := range errs {
					wantDisallowed(t, err, 2)
				}
				s.wantAsked(t, robotsLine, "GET /b")
				if len(sent.errs) != 2 {
					t.Errorf("the transport sent %q, want robots.txt and /b", sent.errs)
				}
			})
		}
	}
}

// A client that is found at a request only is no secret: colly may have requested robots.txt
// by it, and obeys its own reading.
func TestClientFoundAtRequestIsLogged(t *testing.T) {
	for name, attachAgain := range map[string]bool{"SetClient": false, "SetClient and Attach": true} {
		onWeb(t, name, map[string][]reply{"/robots.txt": {{status: 200, body: private}}, "/a": {{status: 200}}, "/b": {{status: 200}}}, func(t *testing.T, w *web) {
			r, log := newLogged(t)
			c := colly.NewCollector(r.Attach)
			for _, path := range []string{"/a", "/b"} {
				c.SetClient(&http.Client{Transport: w})
				if attachAgain {
					r.Attach(c)
				}
				wantOK(t, c.Visit(siteA+path))
			}
			want := 1
			if attachAgain {
				want = 0
			}
			wantLogged(t, log, logReplaced, want)
		})
	}
}

// With Options.Guard no transport is adopted that goes past it.
func TestGuardHoldsForAdoptedTransports(t *testing.T) {
	dial := (&http.Transport{}).Clone()
	dial.DialContext = http.DefaultTransport.(*http.Transport).DialContext
	for name, test := range map[string]struct {
		transport http.RoundTripper
		refused   bool // by the guard; else not sent at all
	}{
		"no dial function": {&http.Transport{}, true},
		"dial function":    {dial, false},
		"no http.Transport": {roundTripper(func(*http.Request) (*http.Response, error) {
			return reply{status: 404}.RoundTrip(nil)
		}), false},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, text(""))
			var log syncBuffer
			r := newRobots(t, &robotsext.Options{Guard: guard.New(), Logger: slog.New(slog.NewTextHandler(&log, nil))})
			c := colly.NewCollector()
			c.WithTransport(test.transport)
			r.Attach(c)
			for _, err := range []error{c.Visit(s.URL + "/a"), c.Head(s.URL + "/a")} {
				if err == nil || errors.Is(err, guard.ErrRefused) != test.refused {
					t.Errorf("error %v", err)
				}
			}
			if said := strings.Contains(log.String(), "cannot be guarded"); said == test.refused {
				t.Errorf("logged %s", &log)
			}
			s.wantAsked(t)
		})
	}
}

// Transports and clients are swapped between the visits of many goroutines, as colly
// allows: never during one. Each visit is of a host that colly has not asked.
func TestClientReplacedDuringManyVisits(t *testing.T) {
	for name, swap := range map[string]func(c *colly.Collector, t http.RoundTripper){
		"WithTransport": func(c *colly.Collector, t http.RoundTripper) { c.WithTransport(t) },
		"SetClient":     func(c *colly.Collector, t http.RoundTripper) { c.SetClient(&http.Client{Transport: t}) },
	} {
		t.Run(name, func(t *testing.T) {
			var allowed atomic.Int64
			transport := roundTripper(func(req *http.Request) (*http.Response, error) {
				switch req.URL.Path {
				case "/robots.txt":
					return robotsReply.RoundTrip(req)
				case "/ok":
					allowed.Add(1)
				default:
					t.Errorf("sent %s", req.URL)
				}
				return reply{status: 200}.RoundTrip(req)
			})
			c := colly.NewCollector(newRobots(t, nil).Attach, colly.Async())
			const visitors, rounds = 16, 20
			var swapping sync.RWMutex // held for reading during a visit
			var wg sync.WaitGroup
			for i := range visitors {
				wg.Go(func() {
					for n := range rounds {
						swapping.RLock()
						host := fmt.Sprintf("http://h%d-%d.example", i, n)
						_ = c.Visit(host + "/private")
						_ = c.Visit(host + "/ok")
						swapping.RUnlock()
					}
				})
			}
			for range rounds {
				swapping.Lock()
				c.Wait() // asynchronous requests are visits too
				swap(c, roundTripper(transport.RoundTrip))
				swapping.Unlock()
			}
			wg.Wait()
			c.Wait()
			if allowed.Load() == 0 {
				t.Error("nothing was sent")
			}
		})
	}
}
