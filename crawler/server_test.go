package crawler

import (
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// spellings links to all spellings of the URL /a of example.com.
const spellings = `<a href="http://example.com/a">1</a><a href="https://example.com/a">2</a><a href="http://example.com./a">3</a>
	<a href="https://example.com./a">4</a>`

var spelt = []string{"http://example.com./a", "http://example.com/", "http://example.com/a", "https://example.com./a", "https://example.com/a"}

// inSpellings is the server of example.com, with pages for each origin.
func inSpellings() *fakeServer {
	s := &fakeServer{pages: make(map[string]http.HandlerFunc)}
	for _, origin := range []string{"http://example.com", "https://example.com", "http://example.com.", "https://example.com."} {
		s.pages[origin+"/robots.txt"], s.pages[origin+"/a"], s.pages[origin+"/"] = page(200, ""), page(200, "a"), page(200, spellings)
	}
	return s
}

// ROB-POL-01: http, https and the name with a dot are one server. It gets one request at a time,
// with the delay, including robots.txt, also in a resumed crawl. Their URLs are different.
func TestROB_POL_01_OneServerHasOneClock(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := inSpellings()
		cfg := testConfig(t, "http://example.com/")
		cfg.Politeness.Delay, cfg.Limits.Concurrency, cfg.Limits.MaxPages = time.Second, 8, 3
		if first := runCrawl(t, cfg, &Options{Transport: s}); first.End != EndMaxPages || first.Hosts != 1 {
			t.Fatalf("%+v", first.Summary)
		}
		cfg.Limits.MaxPages = 0
		got := runCrawl(t, cfg, &Options{Transport: s, Resume: true})
		if diff := cmp.Diff(spelt, got.paths("")); diff != "" {
			t.Errorf("pages (-want +got):\n%s", diff)
		}
		requests := s.requests()
		if len(requests) != len(spelt)+4 { // a robots.txt of each origin
			t.Errorf("%d requests", len(requests))
		}
		wantSpaced(t, requests, cfg.Politeness.Delay)
	})
}

// The same holds for a shared crawl.
func TestROB_POL_01_OneServerHasOneClockInASharedCrawl(t *testing.T) {
	t.Parallel()
	s := inSpellings()
	cfg := sharedConfig(t, "http://example.com/")
	cfg.Politeness.Delay = 40 * time.Millisecond
	all := togetherWith(t, Options{Transport: s}, workerConfig(t, cfg, "w1"), workerConfig(t, cfg, "w2"))
	if diff := cmp.Diff(spelt, allPages(all)); diff != "" {
		t.Errorf("pages (-want +got):\n%s", diff)
	}
	wantSpaced(t, s.requests(), cfg.Politeness.Delay)
}

// A fakeServer responds in memory, in the time of a bubble.
type fakeServer struct {
	site
	pages map[string]http.HandlerFunc // by URL; nil at "http:" means it takes no connections
}

// RoundTrip implements http.RoundTripper.
func (s *fakeServer) RoundTrip(r *http.Request) (*http.Response, error) {
	if answer, known := s.pages[r.URL.Scheme+":"]; known && answer == nil {
		return nil, &net.OpError{Op: "dial", Err: errors.New("connection refused")}
	}
	w := httptest.NewRecorder()
	began := time.Now()
	if answer := s.pages[r.URL.String()]; answer != nil {
		answer(w, r)
	} else {
		http.NotFound(w, r)
	}
	s.seen.Lock()
	defer s.seen.Unlock()
	s.seen.requests = append(s.seen.requests, request{uri: r.URL.String(), began: began, end: time.Now(), header: r.Header.Clone()})
	return w.Result(), nil
}

// crawlServer crawls http://example.com/ and https://example.com/ of a server, with fake time.
func crawlServer(t *testing.T, pages map[string]http.HandlerFunc, change func(*Config), look func(t *testing.T, got *crawl, s *fakeServer)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &fakeServer{pages: pages}
		cfg := testConfig(t, "http://example.com/", "https://example.com/")
		cfg.Politeness.Delay, cfg.Robots.Retry, cfg.Limits.MaxWait = time.Second, time.Hour, 10*time.Minute
		if change != nil {
			change(&cfg)
		}
		look(t, runCrawl(t, cfg, &Options{Transport: s}), s)
	})
}

// ROB-POL-04: Retry-After of one origin applies to the whole server.
func TestROB_POL_04_RetryAfterHoldsForTheServer(t *testing.T) {
	tries := 0
	busy := func(w http.ResponseWriter, r *http.Request) {
		if tries++; tries > 1 {
			page(200, "at last")(w, r)
			return
		}
		w.Header().Set("Retry-After", "60")
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	crawlServer(t, map[string]http.HandlerFunc{
		"http://example.com/robots.txt": page(200, ""), "https://example.com/robots.txt": page(200, ""),
		"http://example.com/":  busy,
		"https://example.com/": page(200, `<a href="/1">1</a><a href="/2">2</a>`), "https://example.com/1": page(200, "1"), "https://example.com/2": page(200, "2"),
	}, func(c *Config) { c.Fetch.Retries = 2 }, func(t *testing.T, got *crawl, s *fakeServer) {
		requests := s.requests()
		at := slices.IndexFunc(requests, func(r request) bool { return r.uri == "http://example.com/" })
		if gap := requests[at+1].began.Sub(requests[at].end); gap < time.Minute {
			t.Errorf("%s was asked for %v after Retry-After: 60", requests[at+1].uri, gap)
		}
		if got.Pages != 4 {
			t.Errorf("%+v", got.Summary)
		}
	})
}

// ROB-POL-03: if the robots.txt of one origin is unreachable, its URLs wait, and those of another
// origin of the server are fetched. After Retry-After, all wait.
func TestROB_POL_03_OneOriginIsUnreachable(t *testing.T) {
	status := func(code int, fields ...string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			for i := 0; i < len(fields); i += 2 {
				w.Header().Set(fields[i], fields[i+1])
			}
			w.WriteHeader(code)
		}
	}
	for name, tt := range map[string]struct {
		robots http.HandlerFunc // of http; nil means the connection is refused
		quiet  bool
	}{
		"connection refused": {nil, false},
		"500":                {status(500), false},
		"503":                {status(503), true},
		"429":                {status(429), true},
		"503 Retry-After":    {status(503, "Retry-After", "7200"), true},
	} {
		t.Run(name, func(t *testing.T) {
			pages := map[string]http.HandlerFunc{
				"https://example.com/robots.txt": page(200, ""), "https://example.com/": page(200, `<a href="/1">1</a><a href="http://example.com/2">2</a>`),
				"https://example.com/1": page(200, "1"),
			}
			if tt.robots == nil {
				pages["http:"] = nil
			} else {
				pages["http://example.com/robots.txt"] = tt.robots
			}
			crawlServer(t, pages, nil, func(t *testing.T, got *crawl, s *fakeServer) {
				want := []string{"https://example.com/", "https://example.com/1"}
				if tt.quiet {
					want = nil
				}
				if diff := cmp.Diff(want, got.paths("")); diff != "" {
					t.Errorf("pages (-want +got):\n%s", diff)
				}
				if r := got.refusal(t, "http://example.com/"); r.Reason != output.RobotsUnreachable || r.RobotsURL != "http://example.com/robots.txt" {
					t.Errorf("%+v", r)
				}
				if !slices.Equal(got.Waiting, []string{"http://example.com"}) || got.End != EndDeferred {
					t.Errorf("%+v", got.Summary)
				}
				if requests := s.requests(); len(requests) > 1 {
					wantSpaced(t, requests, time.Second)
				}
			})
		})
	}
}

// ROB-FET-19: a robots.txt that redirects to another origin of its server waits for the delay in
// between, but not for another request slot.
func TestROB_FET_19_RedirectOfRobotsStaysOnTheServer(t *testing.T) {
	redirect := http.RedirectHandler("https://example.com/robots.txt", http.StatusMovedPermanently).ServeHTTP
	crawlServer(t, map[string]http.HandlerFunc{
		"http://example.com/robots.txt": redirect, "https://example.com/robots.txt": page(200, "User-agent: *\nDisallow: /no\n"),
		"http://example.com/": page(200, `<a href="/no">no</a>`), "https://example.com/": page(200, `<a href="/no">no</a>`),
	}, nil, func(t *testing.T, got *crawl, s *fakeServer) {
		if got.Pages != 2 || got.Rejected[output.Disallowed] != 2 || got.End != EndFinished {
			t.Errorf("%+v", got.Summary)
		}
		requests := s.requests()
		if len(requests) != 5 {
			t.Errorf("%d requests, want 5", len(requests))
		}
		wantSpaced(t, requests, time.Second)
		if took := requests[len(requests)-1].end.Sub(requests[0].began); took > 10*time.Second {
			t.Errorf("it took %v", took)
		}
	})
}

// ROB-POL-02: the delay of a server is the longest Crawl-delay of its origins.
func TestROB_POL_02_LongestCrawlDelayOfTheOrigins(t *testing.T) {
	slow, quick := page(200, "User-agent: *\nCrawl-delay: 5\n"), page(200, "User-agent: *\nCrawl-delay: 2\n")
	links := `<a href="/1">1</a><a href="/2">2</a>`
	for name, tt := range map[string]struct{ plain, secure http.HandlerFunc }{"of the first": {slow, quick}, "of the last": {quick, slow}} {
		t.Run(name, func(t *testing.T) {
			pages := map[string]http.HandlerFunc{"http://example.com/robots.txt": tt.plain, "https://example.com/robots.txt": tt.secure}
			for _, origin := range []string{"http://example.com", "https://example.com"} {
				pages[origin+"/"], pages[origin+"/1"], pages[origin+"/2"] = page(200, links), page(200, "1"), page(200, "2")
			}
			crawlServer(t, pages, nil, func(t *testing.T, got *crawl, s *fakeServer) {
				if got.Pages != 6 {
					t.Errorf("%+v", got.Summary)
				}
				requests := s.requests()
				read := slices.IndexFunc(requests, func(r request) bool { return r.uri == "https://example.com/robots.txt" })
				wantSpaced(t, requests[read:], 5*time.Second)
			})
		})
	}
}

// max-host-pages counts pages of all names and schemes of a server.
func TestHostPagesAreOfAServer(t *testing.T) {
	pages := make(map[string]http.HandlerFunc)
	for _, origin := range []string{"http://example.com", "https://example.com"} {
		pages[origin+"/robots.txt"], pages[origin+"/"] = page(200, ""), page(200, `<a href="/1">1</a><a href="/2">2</a>`)
		pages[origin+"/1"], pages[origin+"/2"] = page(200, "1"), page(200, "2")
	}
	crawlServer(t, pages, func(c *Config) { c.Limits.MaxHostPages = 3 }, func(t *testing.T, got *crawl, _ *fakeServer) {
		if got.Pages != 3 || got.Rejected[output.MaxHostPages] == 0 || got.Hosts != 1 {
			t.Errorf("%+v", got.Summary)
		}
	})
}
