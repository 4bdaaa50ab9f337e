package crawler

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// ROB-POL-02: with several concurrent requests, the delay counts from start to start. This
// includes URLs that waited for robots.txt, and its Crawl-delay.
func TestROB_POL_02(t *testing.T) {
	const delay = 300 * time.Millisecond
	tests := []struct {
		name, robots string
		slow         time.Duration // robots.txt
		perHost      int
		configured   time.Duration
	}{
		{"configured, robots.txt slow", "", 2 * delay, 4, delay},
		{"Crawl-delay", "User-agent: *\nCrawl-delay: 0.3\n", time.Millisecond, 4, 0},
		{"one in flight", "User-agent: *\nCrawl-delay: 0.3\n", time.Millisecond, 1, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, bubbled(func(t *testing.T) {
			var starts []string
			s := newSite(t, "127.0.0.1", nil)
			s.handle("/robots.txt", func(w http.ResponseWriter, _ *http.Request) {
				time.Sleep(tt.slow)
				_, _ = fmt.Fprint(w, tt.robots)
			})
			for i := range 6 {
				path := fmt.Sprint("/", i)
				s.page(path, "page")
				starts = append(starts, s.url+path)
			}
			cfg := testConfig(t, starts...)
			cfg.Politeness.Delay, cfg.Politeness.PerHost = tt.configured, tt.perHost
			got := runCrawl(t, cfg, nil)
			requests := s.requests()
			if got.Pages != 6 || len(requests) != 7 || requests[0].uri != "/robots.txt" {
				t.Fatalf("%+v, requests %+v", got.Summary, requests)
			}
			for i, r := range requests[1:] {
				before := requests[i]
				if tt.perHost == 1 {
					if gap := r.began.Sub(before.end); gap < delay {
						t.Errorf("%s came %v after the end of %s", r.uri, gap, before.uri)
					}
					continue
				}
				if gap := r.began.Sub(before.began); gap < delay {
					t.Errorf("%s came %v after the start of %s", r.uri, gap, before.uri)
				}
			}
		}))
	}
}

// A host that is requested because of sitemaps, redirects, links and robots.txt of other hosts
// still has one delay, and its own robots.txt is requested first.
func TestThirdHostIsNotFlooded(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		const delay = 50 * time.Millisecond
		victim := newSite(t, "127.0.0.9", map[string]string{"/robots.txt": "User-agent: *\nDisallow: /no\n", "/others.txt": "", "/map.txt": "", "/page": "page"})
		var starts []string
		for i := range 3 {
			var list, links strings.Builder
			for j := range 4 {
				fmt.Fprintf(&list, "Sitemap: %s/map.txt?%d-%d\nSitemap: %[1]s/no?%[2]d-%d\n", victim.url, i, j)
				fmt.Fprintf(&links, "<a href='/to?%d-%d'>1</a><a href='%s/page?link-%[1]d-%[2]d'>2</a><a href='%[3]s/no?%[1]d-%d'>3</a>", i, j, victim.url)
			}
			s := newSite(t, fmt.Sprintf("127.0.0.%d", i+1), map[string]string{"/": links.String()})
			s.handle("/to", func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, victim.url+"/page?"+r.URL.RawQuery, http.StatusFound)
			})
			s.page("/robots.txt", list.String())
			starts = append(starts, s.url+"/")
		}
		moved := newSite(t, "127.0.0.4", map[string]string{"/": "page"})
		moved.handle("/robots.txt", redirect(victim.url+"/others.txt"))
		cfg := testConfig(t, append(starts, moved.url+"/")...)
		cfg.Politeness.Delay, cfg.Scope.Kind = delay, ScopeAny
		runCrawl(t, cfg, nil)
		requests := victim.requests()
		if len(requests) != 12+24+2 {
			t.Errorf("%d requests", len(requests))
		}
		for i, r := range requests {
			if strings.HasPrefix(r.uri, "/no") || strings.HasPrefix(r.uri, "/robots.txt") && i > 1 {
				t.Errorf("request %d is for %s", i, r.uri)
			}
		}
		wantSpaced(t, requests, delay)
	})
}

// ROB-POL-08: a permanent failure is requested Retries times more, and then recorded.
func TestROB_POL_08(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := newSite(t, "127.0.0.1", map[string]string{"/": `<a href="/broken">b</a><a href="/cut">c</a>`})
		s.handle("/broken", status(http.StatusInternalServerError))
		s.handle("/cut", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
		cfg := testConfig(t, s.url)
		cfg.Fetch.Retries = 1
		got := runCrawl(t, cfg, nil)
		if s.count("/broken") != 2 {
			t.Errorf("/broken was asked for %d times, want 2", s.count("/broken"))
		}
		if i := slices.IndexFunc(got.pages, func(p output.Page) bool { return p.URL == s.url+"/broken" }); i < 0 ||
			got.pages[i].Status != 500 || got.pages[i].Attempt != 2 {
			t.Errorf("pages %+v", got.pages)
		}
		if r := got.refusal(t, s.url+"/cut"); r.Reason != output.Failed || r.Detail == "" {
			t.Errorf("%+v", r)
		}
	})
}

// ROB-POL-03: the URLs of an unreachable robots.txt wait, and none is lost.
func TestROB_POL_03(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		var failures atomic.Int32
		failures.Store(2)
		s := newSite(t, "127.0.0.1", map[string]string{"/": `<a href="/a">a</a>`, "/a": "a"})
		s.handle("/robots.txt", func(w http.ResponseWriter, _ *http.Request) {
			if failures.Add(-1) >= 0 {
				w.WriteHeader(http.StatusServiceUnavailable)
			}
		})
		cfg := testConfig(t, s.url)
		cfg.Limits.MaxWait = time.Minute
		got := runCrawl(t, cfg, nil)
		if got.End != EndFinished || got.Pages != 2 || got.Robots != 3 || len(got.rejected) != 0 {
			t.Errorf("%+v, rejected %+v", got.Summary, got.rejected)
		}
		for i, r := range s.requests()[:3] {
			if r.uri != "/robots.txt" {
				t.Errorf("request %d, while robots.txt was unreachable, was for %s", i, r.uri)
			}
		}
	})
}

// ROB-POL-04, ROB-POL-05: a host that sends 429 with Retry-After gets no request before that
// time. Then its delay is longer, and finally as before. The site checks the requests.
func TestTooManyRequests(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		const (
			delay      = 100 * time.Millisecond
			retryAfter = 5 * time.Second
			pages      = 20
			refused    = 5 // the page that is answered so, once
		)
		site := map[string]string{}
		for i := range pages {
			site[fmt.Sprintf("/%d", i)] = fmt.Sprintf(`<a href="/%d">next</a>`, i+1)
		}
		s := newSite(t, "127.0.0.1", site)
		inner, tired := s.mux, true
		s.mux = http.NewServeMux()
		s.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == fmt.Sprintf("/%d", refused) && tired {
				tired = false // one request is in flight at a time
				w.Header().Set("Retry-After", fmt.Sprint(retryAfter.Seconds()))
				w.WriteHeader(http.StatusTooManyRequests)
				return
			}
			inner.ServeHTTP(w, r)
		})
		cfg := testConfig(t, s.url+"/0")
		cfg.Politeness.Delay, cfg.Fetch.Retries, cfg.Limits.MaxWait, cfg.Politeness.ResponseFactor = delay, 3, time.Minute, 0
		got := runCrawl(t, cfg, nil)
		if got.End != EndFinished || got.Statuses[200] != pages || got.Statuses[404] != 1 {
			t.Errorf("%+v", got.Summary)
		}
		requests := s.requests()
		gap := func(i int) time.Duration { return requests[i].began.Sub(requests[i-1].end) }
		after := 0 // the first request after the refusal
		for i := 1; i < len(requests); i++ {
			if requests[i-1].uri == fmt.Sprintf("/%d", refused) && after == 0 {
				after = i
			}
			if gap(i) < delay {
				t.Errorf("%s came after %v, the delay is %v", requests[i].uri, gap(i), delay)
			}
		}
		t.Logf("before: %v, after 429: %v, then: %v … %v", gap(after-1), gap(after), gap(after+1), gap(len(requests)-1))
		if gap(after) < retryAfter {
			t.Errorf("the host was asked again %v after it had asked for %v", gap(after), retryAfter)
		}
		// Twice the delay, and from each answer to the next a tenth less.
		for i, least := after+1, 2*delay*9/10; i < after+4; i, least = i+1, least*9/10 {
			if gap(i) < least {
				t.Errorf("request %d after the refusal came after %v, want %v: the host is to be slowed down", i-after, gap(i), least)
			}
		}
		// A busy machine makes any gap longer, but not each of the last.
		shortest := time.Hour
		for i := len(requests) - 6; i < len(requests); i++ {
			shortest = min(shortest, gap(i))
		}
		if shortest > 2*delay*9/10 {
			t.Errorf("the last requests came after %v or more: the host has long recovered, its delay is %v", shortest, delay)
		}
	})
}

// ROB-POL-04: after any response with Retry-After, the host gets no request before that time. A page with it is
// recorded like any other.
func TestROB_POL_04(t *testing.T) {
	const (
		wait  = time.Second
		front = `<a href="/busy">busy</a><a href="/next">next</a>`
	)
	withMap := page(200, "Sitemap: {site}/map.txt\n")
	toOther := http.RedirectHandler("/r.txt", http.StatusMovedPermanently).ServeHTTP
	for _, tt := range []struct {
		name   string
		robots http.HandlerFunc // nil if there is none
		path   string           // of the response that has a Retry-After of a second
		give   http.HandlerFunc
		want   []string // the paths requested, in order
	}{
		{"page 200", nil, "/busy", page(200, "busy"), []string{"/robots.txt", "/", "/busy", "/next"}},
		{"page 404", nil, "/busy", page(404, "no"), []string{"/robots.txt", "/", "/busy", "/next"}},
		{"page 429", nil, "/busy", page(429, "no"), []string{"/robots.txt", "/", "/busy", "/next"}},
		{"page 500", nil, "/busy", page(500, "no"), []string{"/robots.txt", "/", "/busy", "/next"}},
		{"redirect", nil, "/busy", redirect("/there"), []string{"/robots.txt", "/", "/busy", "/next", "/there"}},
		{"decimals", nil, "/busy", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "0.01")
		}, []string{"/robots.txt", "/", "/busy", "/next"}},
		{"date, by a clock that is an hour slow", nil, "/busy", func(w http.ResponseWriter, _ *http.Request) {
			slow := time.Now().Add(-time.Hour).UTC()
			w.Header().Set("Date", slow.Format(http.TimeFormat))
			w.Header().Set("Retry-After", slow.Add(wait).Format(http.TimeFormat))
		}, []string{"/robots.txt", "/", "/busy", "/next"}},
		{"several fields", nil, "/busy", func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Retry-After"] = []string{"0", "1", "soon"}
		}, []string{"/robots.txt", "/", "/busy", "/next"}},
		{"body that breaks off", nil, "/busy", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = fmt.Fprint(w, "half")
		}, []string{"/robots.txt", "/", "/busy", "/robots.txt", "/next"}},
		{"body that takes its time", nil, "/busy", func(w http.ResponseWriter, _ *http.Request) {
			_ = http.NewResponseController(w).Flush()
			time.Sleep(wait / 2) // the wait counts from the end
		}, []string{"/robots.txt", "/", "/busy", "/next"}},
		{"robots.txt 200", nil, "/robots.txt", page(200, "User-agent: *\nAllow: /\n"), []string{"/robots.txt", "/", "/busy", "/next"}},
		{"robots.txt 404", nil, "/robots.txt", page(404, "no"), []string{"/robots.txt", "/", "/busy", "/next"}},
		{"robots.txt 301", nil, "/robots.txt", toOther, []string{"/robots.txt", "/r.txt", "/", "/busy", "/next"}},
		{"robots.txt, behind a redirect", toOther, "/r.txt", page(200, "User-agent: *\nAllow: /\n"), []string{"/robots.txt", "/r.txt", "/", "/busy", "/next"}},
		{"sitemap 200", withMap, "/map.txt", page(200, "{site}/listed\n"), []string{"/robots.txt", "/", "/map.txt", "/listed", "/busy", "/next"}},
		{"sitemap 404", withMap, "/map.txt", page(404, "no"), []string{"/robots.txt", "/", "/map.txt", "/busy", "/next"}},
		{"sitemap 302", withMap, "/map.txt", redirect("/other.txt"), []string{"/robots.txt", "/", "/map.txt", "/other.txt", "/busy", "/next"}},
	} {
		t.Run(tt.name, bubbled(func(t *testing.T) {
			s := newSite(t, "127.0.0.1", map[string]string{"/": front, "/next": "next", "/there": "there"})
			if tt.robots != nil {
				s.handle("/robots.txt", tt.robots)
			}
			if tt.path != "/busy" {
				s.page("/busy", "busy")
			}
			s.handle(tt.path, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Retry-After", fmt.Sprint(wait.Seconds()))
				tt.give(w, r)
			})
			cfg := testConfig(t, s.url)
			cfg.Limits.MaxWait = time.Minute
			if tt.name == "page 200" || tt.name == "page 404" {
				cfg.Fetch.Retries = 3 // which these need not
			}
			got := runCrawl(t, cfg, nil)
			if strings.HasPrefix(tt.name, "page ") && !slices.ContainsFunc(got.pages, func(p output.Page) bool {
				return p.URL == s.url+"/busy" && fmt.Sprint("page ", p.Status) == tt.name
			}) {
				t.Errorf("pages %+v", got.pages)
			}
			requests := s.requests()
			var paths []string
			for i, r := range requests {
				paths = append(paths, r.uri)
				if i > 0 && requests[i-1].uri == tt.path && r.began.Sub(requests[i-1].end) < wait {
					t.Errorf("%s was requested %v after the response", r.uri, r.began.Sub(requests[i-1].end))
				}
			}
			if !slices.Equal(paths, tt.want) {
				t.Errorf("requests %q, want %q", paths, tt.want)
			}
		}))
	}
}

// A Retry-After of a robots.txt that another host redirects to applies to its own host.
func TestRetryAfterOfRobotsTxtElsewhere(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		other := newSite(t, "127.0.0.2", map[string]string{"/": "page"})
		other.handle("/r.txt", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Retry-After", "1")
			page(200, "User-agent: *\nAllow: /\n")(w, r)
		})
		s := newSite(t, "127.0.0.1", map[string]string{"/": `<a href="` + other.url + `/">other</a>`})
		s.handle("/robots.txt", redirect(other.url+"/r.txt"))
		cfg := testConfig(t, s.url)
		cfg.Scope.Kind, cfg.Limits.MaxWait = ScopeAny, time.Minute
		runCrawl(t, cfg, nil)
		requests := other.requests()
		if len(requests) != 3 || requests[0].uri != "/r.txt" {
			t.Fatalf("requests %+v", requests)
		}
		if gap := requests[1].began.Sub(requests[0].end); gap < time.Second {
			t.Errorf("%s was requested %v after the response", requests[1].uri, gap)
		}
	})
}

// ROB-POL-07 applies to requests of every kind.
func TestROB_POL_07_everyRequest(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		const slow = 400 * time.Millisecond
		s := newSite(t, "127.0.0.1", map[string]string{"/": "start"})
		for path, body := range map[string]string{"/robots.txt": "Sitemap: %s/map.txt\n", "/map.txt": "%s/\n"} {
			s.handle(path, func(w http.ResponseWriter, r *http.Request) {
				time.Sleep(slow)
				_, _ = fmt.Fprintf(w, body, "http://"+r.Host)
			})
		}
		cfg := testConfig(t, s.url+"/")
		cfg.Politeness.Delay, cfg.Politeness.ResponseFactor = 10*time.Millisecond, 1
		runCrawl(t, cfg, nil)
		requests := s.requests()
		for i, r := range requests[:len(requests)-1] {
			if took, gap := r.end.Sub(r.began), requests[i+1].began.Sub(r.end); gap < took*9/10 {
				t.Errorf("%s took %v, and %s came %v later", r.uri, took, requests[i+1].uri, gap)
			}
		}
	})
}

// Hosts with the same address share its limit.
func TestPerIP(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		var mu sync.Mutex
		busy, most := 0, 0
		handler := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			mu.Lock()
			busy++
			most = max(most, busy)
			mu.Unlock()
			time.Sleep(5 * time.Millisecond) // the answer takes a while; nothing waits for it to be over
			mu.Lock()
			busy--
			mu.Unlock()
			w.Header().Set("Content-Type", "text/html")
			_, _ = fmt.Fprint(w, `<a href="/a">a</a>`)
		})
		var starts []string
		for range 8 {
			s := newSite(t, "127.0.0.1", nil) // another port, the same address
			s.mux.Handle("/", handler)
			starts = append(starts, s.url+"/")
		}
		cfg := testConfig(t, starts...)
		cfg.Politeness.PerIP = 2
		if got := runCrawl(t, cfg, nil); got.Pages != 16 || most != 2 {
			t.Errorf("%d requests at a time, want 2; %+v", most, got.Summary)
		}
	})
}
