package robotsext_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gocolly/colly/v2"
	"github.com/gocolly/colly/v2/storage"

	"github.com/politecrawl/politecrawl/robotsext"
)

// A swapper is a program that sets transports, clients, jars, proxies and contexts at random
// moments: between requests, and in every function of its own that is called during one. Each
// has its own goroutine and collector, as colly sets them without a lock.
type swapper struct {
	rand     *rand.Rand
	c        *colly.Collector
	contexts bool     // it sets contexts, else it makes clones
	proxy    *url.URL // the site, as a proxy for itself
	saved    []context.Context
}

type swapKey struct{}

// maybe sets something, one time in three.
func (s *swapper) maybe() {
	if s.rand.IntN(3) > 0 {
		return
	}
	switch s.rand.IntN(8) {
	case 0:
		s.c.WithTransport(s.transport())
	case 1:
		s.c.WithTransport(nil)
	case 2:
		s.c.SetClient(&http.Client{Transport: s.transport(), Jar: s.jar(), CheckRedirect: s.redirect})
	case 3:
		s.c.SetClient(&http.Client{})
	case 4:
		s.c.SetCookieJar(s.jar())
	case 5:
		_ = s.c.SetStorage(&storage.InMemoryStorage{})
	case 6:
		s.c.SetProxyFunc(func(*http.Request) (*url.URL, error) { s.maybe(); return s.proxy, nil })
	default:
		if s.contexts {
			s.saved = append(s.saved, s.c.Context)
			derived := context.WithValue(s.c.Context, swapKey{}, s)
			s.c.Context = []context.Context{context.Background(), derived, s.saved[s.rand.IntN(len(s.saved))]}[s.rand.IntN(3)]
		}
	}
}

func (s *swapper) transport() http.RoundTripper {
	if s.rand.IntN(2) == 0 {
		return &http.Transport{DisableKeepAlives: true}
	}
	return roundTripper(func(req *http.Request) (*http.Response, error) {
		s.maybe()
		return (&http.Transport{DisableKeepAlives: true}).RoundTrip(req)
	})
}

func (s *swapper) redirect(*http.Request, []*http.Request) error {
	s.maybe()
	return nil
}

// jar returns a jar, or nil.
func (s *swapper) jar() http.CookieJar {
	if s.rand.IntN(3) == 0 {
		return nil
	}
	jar, _ := cookiejar.New(nil) // never fails
	return swappingJar{jar, s}
}

type swappingJar struct {
	*cookiejar.Jar
	swapper *swapper
}

func (j swappingJar) Cookies(u *url.URL) []*http.Cookie {
	j.swapper.maybe()
	return j.Jar.Cookies(u)
}

// TestNoRequestBypassesTheGate counts what the site was asked while programs set what they can
// at random moments.
func TestNoRequestBypassesTheGate(t *testing.T) {
	rounds := 500
	if testing.Short() {
		rounds = 50
	}
	for name, contexts := range map[string]bool{"clones and redirects": false, "contexts": true} {
		t.Run("ROB-GEN-04/"+name, func(t *testing.T) {
			s := newSite(t, text(private))
			r := newRobots(t, nil)
			var wg sync.WaitGroup
			for i := range 8 {
				wg.Go(func() {
					sw := &swapper{rand: rand.New(rand.NewPCG(uint64(i), 1)), contexts: contexts, proxy: s.url("")}
					sw.c = colly.NewCollector(colly.AllowURLRevisit(), r.Attach)
					sw.c.SetRedirectHandler(sw.redirect)
					for _, f := range []func(colly.RequestCallback){sw.c.OnRequest, sw.c.OnRequestHeaders} {
						f(func(*colly.Request) { sw.maybe() })
					}
					sw.c.OnResponse(func(*colly.Response) { sw.maybe() })
					clone := sw.c.Clone()
					for range rounds {
						sw.maybe()
						_ = sw.c.Visit(s.URL + "/private/a")
						_ = sw.c.Head(s.URL + "/private/b")
						_ = sw.c.Visit(s.URL + "/ok")
						if contexts {
							continue
						}
						_ = sw.c.Visit(s.URL + "/to?/private/c")
						_ = clone.Visit(s.URL + "/private/d")
						_ = clone.Head(s.URL + "/to?/private/e")
						if sw.rand.IntN(50) == 0 {
							r.Attach(sw.c)
						}
					}
				})
			}
			wg.Wait()
			allowed := 0
			for _, line := range s.asked() {
				if strings.Contains(line, " /private") {
					t.Fatal("sent ", line)
				}
				if strings.Contains(line, "/ok") {
					allowed++
				}
			}
			if allowed < 8*rounds/2 {
				t.Errorf("only %d allowed pages were sent", allowed)
			}
		})
	}
}

// A clone's request has read a client that the program has set, and the next request of the
// collector adopts another copy of it, before the first is sent.
func TestRequestWithReplacedClientIsNotSent(t *testing.T) {
	s, c := newAttached(t)
	wantOK(t, c.Visit(s.URL+"/a"))
	clone := c.Clone()
	jar := &pausedJar{reached: make(chan struct{}), proceed: make(chan struct{})}
	c.SetClient(&http.Client{Jar: jar, Timeout: time.Minute})
	done := make(chan error)
	go func() { done <- clone.Visit(s.URL + "/private") }()
	<-jar.reached
	wantOK(t, c.Visit(s.URL+"/b"))
	close(jar.proceed)
	if err := <-done; !errors.Is(err, robotsext.ErrDetached) {
		t.Errorf("error %v, want ErrDetached", err)
	}
	s.wantAsked(t, robotsLine, "GET /a", "GET /b")
}

// pausedJar stops its first request between reading the cookies and reading the transport.
type pausedJar struct {
	once             sync.Once
	reached, proceed chan struct{}
}

func (j *pausedJar) SetCookies(*url.URL, []*http.Cookie) {}

func (j *pausedJar) Cookies(*url.URL) []*http.Cookie {
	first := false
	j.once.Do(func() { first = true })
	if first {
		close(j.reached)
		<-j.proceed
	}
	return nil
}

// TestSwapsDuringAsyncRequests runs a program that sets transports and clients while
// asynchronous requests and clones are between any two of their steps. That is a data race in
// colly, so the program has no race detector.
func TestSwapsDuringAsyncRequests(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds a program, which visits 60,000 pages")
	}
	m := newModule(t)
	m.copy("main.go", "testdata/swaps/main.go")
	m.run("go", "mod", "tidy")
	m.run("go", "build", "-o", "swaps", ".")
	out := m.run(filepath.Join(m.dir, "swaps"))
	t.Log(out)
	numbers := regexp.MustCompile(`^disallowed (\d+), allowed (\d+)\n$`).FindStringSubmatch(out)
	if numbers == nil {
		t.Fatal(out)
	}
	if allowed, _ := strconv.Atoi(numbers[2]); numbers[1] != "0" || allowed == 0 {
		t.Error("fetched: ", out)
	}
}

// A collector without a transport of its own uses http.DefaultTransport as it is at the time, as
// colly does, so that global mocks and proxies work.
func TestDefaultTransportStaysInTheChain(t *testing.T) {
	original := http.DefaultTransport
	t.Cleanup(func() { http.DefaultTransport = original })
	mock := func(sent *[]string) http.RoundTripper {
		return roundTripper(func(req *http.Request) (*http.Response, error) {
			*sent = append(*sent, req.URL.Path)
			return reply{status: 200, body: private}.RoundTrip(req)
		})
	}
	var sent []string
	for name, test := range map[string]struct{ before, after func(c *colly.Collector) }{
		"replaced before Attach": {func(*colly.Collector) { http.DefaultTransport = mock(&sent) }, func(*colly.Collector) {}},
		"replaced after Attach":  {func(*colly.Collector) {}, func(*colly.Collector) { http.DefaultTransport = mock(&sent) }},
		"nil transport":          {func(*colly.Collector) { http.DefaultTransport = mock(&sent) }, func(c *colly.Collector) { c.WithTransport(nil) }},
		"half-written transport": {func(*colly.Collector) { http.DefaultTransport = mock(&sent) }, func(c *colly.Collector) { c.WithTransport((*http.Transport)(nil)) }},
	} {
		t.Run(name, func(t *testing.T) {
			http.DefaultTransport = original
			sent = nil
			c := colly.NewCollector()
			test.before(c)
			newRobots(t, nil).Attach(c)
			test.after(c)
			wantOK(t, c.Visit("http://mock.example/a"))
			wantDisallowed(t, c.Visit("http://mock.example/private"), 2)
			if want := "/robots.txt /a"; strings.Join(sent, " ") != want {
				t.Errorf("http.DefaultTransport sent %q, want %q", sent, want)
			}
		})
	}
	t.Run("Options.Transport comes first", func(t *testing.T) {
		var sent, unwanted []string
		http.DefaultTransport = mock(&unwanted)
		c := colly.NewCollector(newRobots(t, &robotsext.Options{Transport: mock(&sent)}).Attach)
		wantOK(t, c.Visit("http://mock.example/a"))
		if len(sent) != 2 || len(unwanted) != 0 {
			t.Errorf("Options.Transport sent %q, http.DefaultTransport %q", sent, unwanted)
		}
	})
	t.Run("proxy", func(t *testing.T) {
		s, p := newSite(t, text(private)), newProxy(t)
		shared := original.(*http.Transport).Clone()
		t.Cleanup(shared.CloseIdleConnections)
		http.DefaultTransport = shared
		c := colly.NewCollector(newRobots(t, nil).Attach)
		shared.Proxy = http.ProxyURL(mustParse(t, p.URL))
		wantOK(t, c.Visit(s.URL+"/a"))
		p.wantSeen(t, 2)
	})
}

// What goes wrong without an error of Visit is logged, once for each host.
func TestNothingFailsSilently(t *testing.T) {
	t.Run("IgnoreRobotsTxt", func(t *testing.T) {
		s := newSite(t, text(private))
		r, log := newLogged(t)
		c := colly.NewCollector(r.Attach)
		c.IgnoreRobotsTxt = true
		for _, path := range []string{"/a", "/b"} {
			wantOK(t, c.Visit(s.URL+path))
		}
		wantDisallowed(t, c.Visit(s.URL+"/private"), 2)
		wantLogged(t, log, "IgnoreRobotsTxt has no effect", 1)
		r.Attach(c)
		if c.IgnoreRobotsTxt {
			t.Error("Attach again leaves IgnoreRobotsTxt")
		}
	})
	t.Run("ROB-STA-02/IgnoreRobotsTxt and unreachable", func(t *testing.T) {
		s := newSite(t, status(503))
		r, log := newLogged(t)
		c := colly.NewCollector(r.Attach)
		c.IgnoreRobotsTxt = true
		wantLater(t, c.Visit(s.URL+"/a"))
		wantLater(t, c.Visit(s.URL+"/b"))
		wantLogged(t, log, logUnreachable, 1)
	})
	t.Run("unreachable by Transport", func(t *testing.T) {
		s := newSite(t, status(503))
		r, log := newLogged(t)
		for range 2 {
			wantLater(t, get(t, r.Transport(nil), s.URL))
		}
		wantLogged(t, log, logUnreachable, 1)
	})
}

// Colly cannot parse this file, and refuses every URL of the site after SetClient, before a
// callback is called.
func TestReplacedClientIsLoggedWithoutRequest(t *testing.T) {
	onWeb(t, "strict file", nil, func(t *testing.T, _ *web) {
		r, log := newLogged(t)
		c := colly.NewCollector(r.Attach)
		c.SetClient(&http.Client{Transport: reply{status: 200, body: "Disallow: /x\nUser-agent: *\n"}})
		time.Sleep(time.Second)
		if err := c.Visit("http://a.example/a"); err == nil {
			t.Error("colly can parse the file")
		}
		wantLogged(t, log, logReplaced, 1)
		r.Attach(c)
		wantOK(t, c.Visit("http://a.example/a"))
	})
}

// A program that retries errors does not request a page again that redirects to a refused one.
func TestRefusedRedirectIsRemembered(t *testing.T) {
	robots := private
	s := newSite(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, robots) })
	clock := newClock()
	r := newRobots(t, &robotsext.Options{Now: clock.now})
	c := colly.NewCollector(r.Attach, colly.AllowURLRevisit())
	for range 3 {
		wantDisallowed(t, c.Visit(s.URL+"/to?/to?/private#a"), 2)
	}
	wantDisallowed(t, c.Visit(s.URL+"/to?/private"), 2)
	s.wantAsked(t, robotsLine, "GET /to?/to?/private", "GET /to?/private")
	wantOK(t, r.CheckLink(s.URL+"/to?/private"))              // robots.txt allows it
	if err := c.Post(s.URL+"/to?/private", nil); err == nil { // its redirect may be another
		t.Error("no error")
	}
	s.wantCount(t, "POST /to?/private", 1)
	wantOK(t, c.SetCookies(s.URL, []*http.Cookie{{Name: "session", Value: "1"}})) // as may that of a client with a cookie
	wantDisallowed(t, c.Visit(s.URL+"/to?/private"), 2)
	wantDisallowed(t, c.Visit(s.URL+"/to?/private"), 2)
	s.wantCount(t, "GET /to?/private", 2)
	clock.advance(time.Minute) // the site may redirect to a captcha only once
	wantDisallowed(t, c.Visit(s.URL+"/to?/private"), 2)
	s.wantCount(t, "GET /to?/private", 3)
	robots = ""
	_, err := r.Refresh(t.Context(), s.url("/"))
	wantOK(t, err)
	wantOK(t, c.Visit(s.URL+"/to?/private"))
	s.wantCount(t, "GET /private", 1)
}

// CheckLink costs nothing of what colly counts, and sends nothing.
func TestCheckLink(t *testing.T) {
	s := newSite(t, text(private))
	r := newRobots(t, nil)
	wantOK(t, r.CheckLink(s.URL+"/private")) // not known yet
	s.wantAsked(t)
	c := colly.NewCollector(r.Attach)
	wantOK(t, c.Visit(s.URL+"/a"))
	for link, disallowed := range map[string]bool{
		s.URL + "/private":             true,
		s.URL + "/x/../private":        true,
		s.URL + "/b":                   false,
		s.URL + "/robots.txt":          false,
		"file:///private":              false,
		"http://other.example/private": false,
	} {
		if err := r.CheckLink(link); disallowed {
			wantDisallowed(t, err, 2)
		} else {
			wantOK(t, err)
		}
	}
	down := newSite(t, status(503))
	wantLater(t, r.Check(t.Context(), down.url("/private")))
	wantOK(t, r.CheckLink(down.URL+"/private")) // Visit reports it
	if err := r.CheckLink("http://%"); err == nil {
		t.Error("no error for an invalid URL")
	}
	s.wantAsked(t, robotsLine, "GET /a")
}

// A program may keep a context that cannot be compared.
func TestTransportAndAnyContext(t *testing.T) {
	s := newSite(t, text(private))
	ctx := struct {
		context.Context
		values map[string]int
	}{t.Context(), nil}
	_, err := send(t, newRobots(t, nil), newRequest(t, "GET", s.URL+"/a", "").WithContext(ctx))
	wantOK(t, err)
}

// The callbacks of the program see the URLs that it has visited, also after it has set something.
func TestCallbacksSeeTheURL(t *testing.T) {
	s := newSite(t, text(private))
	c := colly.NewCollector(newRobots(t, nil).Attach)
	c.WithTransport(&http.Transport{DisableKeepAlives: true})
	see := func(req *colly.Request) {
		if req.URL.Scheme != "http" {
			t.Errorf("a callback sees %s", req.URL)
		}
	}
	c.OnRequest(see)
	c.OnRequestHeaders(see)
	c.OnError(func(r *colly.Response, _ error) { see(r.Request) })
	wantOK(t, c.Head(s.URL+"/a"))
	wantDisallowed(t, c.Visit(s.URL+"/private"), 2)
}

// A log handler may use the context of the collector.
func TestLogHandlerUsesContext(t *testing.T) {
	s := newSite(t, text(private))
	c := colly.NewCollector()
	r := newRobots(t, &robotsext.Options{Logger: slog.New(slog.NewTextHandler(writerFunc(func(p []byte) (int, error) {
		return len(p), c.Context.Err()
	}), nil))})
	r.Attach(c)
	c.SetClient(&http.Client{})
	wantOK(t, c.Visit(s.URL+"/a"))
	clone := c.Clone()
	c.SetClient(&http.Client{})
	if err := clone.Visit(s.URL + "/b"); !errors.Is(err, robotsext.ErrDetached) {
		t.Errorf("error %v, want ErrDetached", err)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// Attach may be called again, whatever the program has set in the meantime.
func TestAttachAgain(t *testing.T) {
	for name, change := range map[string]func(c *colly.Collector){
		"nothing":            func(*colly.Collector) {},
		"transport":          func(c *colly.Collector) { c.WithTransport(&http.Transport{DisableKeepAlives: true}) },
		"client":             func(c *colly.Collector) { c.SetClient(&http.Client{}) },
		"context":            func(c *colly.Collector) { c.Context = context.Background() },
		"context and client": func(c *colly.Collector) { c.Context = context.Background(); c.SetClient(&http.Client{}) },
		"jar":                (*colly.Collector).DisableCookies,
		"IgnoreRobotsTxt":    func(c *colly.Collector) { c.IgnoreRobotsTxt = true },
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, text(private))
			r := newRobots(t, nil)
			c := colly.NewCollector(r.Attach)
			for range 3 {
				change(c)
				r.Attach(c)
				if c.IgnoreRobotsTxt {
					t.Error("IgnoreRobotsTxt is set")
				}
				clone := c.Clone()
				wantOK(t, clone.Head(s.URL+"/a"))
				wantDisallowed(t, clone.Head(s.URL+"/private"), 2)
				wantDisallowed(t, c.Head(s.URL+"/to?/private"), 2)
			}
			if n := s.count(robotsLine); n != 1 {
				t.Errorf("robots.txt was requested %d times", n)
			}
			if !strings.Contains(c.String(), "OnRequest: 1,") {
				t.Error("each Attach registers a callback: ", c)
			}
		})
	}
}
