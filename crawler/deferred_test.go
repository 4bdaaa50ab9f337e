package crawler

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// answering is a network in which all sites respond alike.
type answering http.HandlerFunc

func (a answering) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	a(w, r)
	resp := w.Result()
	resp.Request = r
	return resp, nil
}

// A host that has recovered is not deferred, even with a long delay.
func TestRecoveredHostIsNotDeferred(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := newSite(t, "127.0.0.1", map[string]string{
			"/": `<a href="/a">a</a>`, "/a": "a", "/map.txt": "{site}/only\n", "/only": "only",
		})
		var asked atomic.Int32
		s.handle("/robots.txt", func(w http.ResponseWriter, r *http.Request) {
			if asked.Add(1) == 1 {
				w.WriteHeader(http.StatusServiceUnavailable)
			}
			_, _ = fmt.Fprintf(w, "Sitemap: http://%s/map.txt\n", r.Host)
		})
		cfg := testConfig(t, s.url)
		cfg.Politeness.Delay, cfg.Limits.MaxWait = 300*time.Millisecond, 150*time.Millisecond
		got := runCrawl(t, cfg, nil)
		if diff := cmp.Diff([]string{"/", "/a", "/only"}, got.paths(s.url)); diff != "" || got.End != EndFinished || len(got.rejected) != 0 {
			t.Errorf("end %s, rejected %+v, pages (-want +got):\n%s", got.End, got.rejected, diff)
		}
	})
}

// When a crawl ends because no host is due, each remaining URL is listed with the time of the
// next retry. A crawl that is resumed before that time sends no request, and lists them again.
func TestDeferredURLsAreListed(t *testing.T) {
	hours := "User-agent: *\nVisit-time: 0300-0400\n" // a bubble begins at midnight
	for _, tt := range []struct {
		name    string
		robots  http.HandlerFunc // nil if there is none
		page    http.HandlerFunc // of /1
		retries int
		left    []string // paths
		detail  string
		wait    time.Duration
		reason  output.Reason // empty means Deferred
	}{
		{name: "503 with Retry-After", page: statusWith(http.StatusServiceUnavailable, "Retry-After", "7200"), left: []string{"/2", "/3"}, detail: "Retry-After", wait: 2 * time.Hour},
		{name: "the same, to be retried", page: statusWith(http.StatusServiceUnavailable, "Retry-After", "7200"), retries: 2, left: []string{"/1", "/2", "/3"}, detail: "Retry-After", wait: 2 * time.Hour},
		{name: "404 with Retry-After", page: statusWith(http.StatusNotFound, "Retry-After", "7200"), left: []string{"/2", "/3"}, detail: "Retry-After", wait: 2 * time.Hour},
		{name: "Visit-time", robots: func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, hours) }, left: []string{"/1", "/2", "/3"}, detail: "Visit-time", wait: 3 * time.Hour},
		{name: "no robots.txt for now", robots: statusWith(http.StatusServiceUnavailable, "Retry-After", "7200"), left: []string{"/1", "/2", "/3"}, detail: "status 503", wait: 2 * time.Hour, reason: output.RobotsUnreachable},
	} {
		t.Run(tt.name, bubbled(func(t *testing.T) {
			s := newSite(t, "127.0.0.1", map[string]string{"/2": "2", "/3": "3"})
			if tt.robots != nil {
				s.handle("/robots.txt", tt.robots)
			}
			if tt.page != nil {
				s.handle("/1", tt.page)
			}
			other := newSite(t, "127.0.0.1", map[string]string{"/": "the crawl continues elsewhere"})
			cfg := testConfig(t, s.url+"/1", s.url+"/2", s.url+"/3", other.url+"/")
			cfg.Limits.Concurrency, cfg.Fetch.Retries = 1, tt.retries
			reason := tt.reason
			if reason == "" {
				reason = output.Deferred
			}
			check := func(got *crawl) {
				t.Helper()
				var paths []string
				for _, r := range got.rejected {
					paths = append(paths, strings.TrimPrefix(r.URL, s.url))
					if r.Reason != reason || !strings.Contains(r.Detail, tt.detail) || r.Source != "start" {
						t.Errorf("%+v, want %s for %s", r, reason, tt.detail)
					}
					if wait := time.Until(r.RetryAt); wait > tt.wait || wait < tt.wait-2*time.Minute {
						t.Errorf("%s is to be tried again in %v, want %v", r.URL, wait, tt.wait)
					}
				}
				slices.Sort(paths)
				if diff := cmp.Diff(tt.left, paths); diff != "" || got.End != EndDeferred || time.Until(got.NextDue) < tt.wait-2*time.Minute || got.Remaining != len(tt.left) || got.Rejected[reason] != len(tt.left) {
					t.Errorf("%+v; rejected (-want +got):\n%s", got.Summary, diff)
				}
			}
			check(runCrawl(t, cfg, nil))
			asked := len(s.requests())
			check(runCrawl(t, cfg, &Options{Resume: true}))
			if again := len(s.requests()); again != asked {
				t.Errorf("%d requests, and %d when it went on", asked, again)
			}
		}))
	}
}

// max-wait ends the crawl whatever else the host allows. The delay of a host and the retry of a page
// may take longer, also when the crawl is resumed.
func TestMaxWait(t *testing.T) {
	pages := func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/robots.txt":
		case "/":
			_, _ = fmt.Fprint(w, `<a href="https://a.test/x">x</a><a href="/1">1</a><a href="/2">2</a>`)
		default:
			_, _ = fmt.Fprint(w, r.URL.Path)
		}
	}
	for _, tt := range []struct {
		name   string
		answer http.HandlerFunc // nil means pages; the connection of https is refused in any case
		paths  int              // pages in the end
		longer bool             // than max-wait
	}{
		{name: "another origin of the host refuses connections", paths: 3},
		{name: "Retry-After of a page", paths: 1, answer: func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/" {
				w.Header().Set("Retry-After", "30")
			}
			pages(w, r)
		}},
		{name: "Crawl-delay", paths: 3, longer: true, answer: func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/robots.txt" {
				_, _ = fmt.Fprint(w, "User-agent: *\nCrawl-delay: 20\n")
			}
			pages(w, r)
		}},
		{name: "a page is retried", paths: 3, longer: true, answer: func() http.HandlerFunc {
			asked := 0
			return func(w http.ResponseWriter, r *http.Request) {
				if asked++; r.URL.Path == "/1" && asked < 8 {
					w.WriteHeader(http.StatusBadGateway)
				}
				pages(w, r)
			}
		}()},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				if tt.answer == nil {
					tt.answer = pages
				}
				cfg := testConfig(t, "http://a.test/")
				cfg.Limits.MaxWait, cfg.Robots.Retry, cfg.Limits.Concurrency, cfg.Fetch.Retries = 3*time.Second, time.Hour, 1, 5
				cfg.Limits.MaxPages = 1
				network := refusing(func(r *http.Request) bool { return r.URL.Scheme == "https" }, tt.answer)
				runCrawl(t, cfg, &Options{Transport: network})
				cfg.Limits.MaxPages = 0
				began := time.Now()
				got := runCrawl(t, cfg, &Options{Transport: network, Resume: true})
				if took := time.Since(began); (took > cfg.Limits.MaxWait) != tt.longer || got.End != EndDeferred || len(got.pages) != tt.paths {
					t.Errorf("%s after %v with %d pages, want %d", got.End, took, len(got.pages), tt.paths)
				}
			})
		})
	}
}

// refusing is a network that refuses the connection of some requests, and answers others.
func refusing(refuses func(*http.Request) bool, answer http.HandlerFunc) http.RoundTripper {
	return roundTrip(func(r *http.Request) (*http.Response, error) {
		if refuses(r) {
			return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
		}
		return answering(answer).RoundTrip(r)
	})
}

// ROB-POL-03: URLs with an unreachable robots.txt are listed, keep waiting, and are fetched when
// the host recovers.
func TestResumeOfDeferredURLs(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		bad := newSite(t, "127.0.0.2", map[string]string{"/": `<a href="/deep">deep</a>`, "/deep": "deep", "/other": "other"})
		var up atomic.Bool
		bad.handle("/robots.txt", func(w http.ResponseWriter, _ *http.Request) {
			if !up.Load() {
				w.WriteHeader(http.StatusServiceUnavailable)
			}
		})
		good := newSite(t, "127.0.0.1", map[string]string{"/": `<a href="` + bad.url + `/other">other</a><a href="` + bad.url + `/">listed already</a>`})
		cfg := testConfig(t, good.url+"/", bad.url+"/")
		cfg.Robots.Retry = 400 * time.Millisecond
		first := runCrawl(t, cfg, nil)
		for _, path := range []string{"/", "/other"} {
			if r := first.refusal(t, bad.url+path); r.Reason != output.RobotsUnreachable || r.RobotsURL != bad.url+"/robots.txt" || r.Detail == "" {
				t.Errorf("%+v", r)
			}
		}
		if r := first.refusal(t, bad.url+"/other"); r.FoundOn != good.url+"/" || r.Depth != 1 || r.Source != "link" {
			t.Errorf("%+v", r)
		}
		if first.End != EndDeferred || first.Remaining != 2 || !slices.Equal(first.Waiting, []string{bad.url}) || first.Rejected[output.RobotsUnreachable] != 2 {
			t.Errorf("%+v", first.Summary)
		}
		asked := bad.count("/robots.txt")
		// Again before the host may be asked: nothing changes.
		again := resume(t, cfg, nil)
		if again.End != EndDeferred || again.Rejected[output.RobotsUnreachable] != 2 || len(again.rejected) != 2 {
			t.Errorf("%+v, %+v", again.Summary, again.rejected)
		}
		up.Store(true)
		last := resume(t, cfg, func(c *Config) { c.Limits.MaxWait = time.Minute })
		if diff := cmp.Diff([]string{"/", "/deep", "/other"}, last.paths(bad.url)); diff != "" || last.End != EndFinished || len(last.rejected) != 0 || len(last.Waiting) != 0 {
			t.Errorf("%+v, %+v, pages (-want +got):\n%s", last.Summary, last.rejected, diff)
		}
		requests := bad.requests()
		if first, next := requests[0], requests[asked]; next.began.Sub(first.end) < cfg.Robots.Retry {
			t.Errorf("robots.txt was requested again after %v, want %v", next.began.Sub(first.end), cfg.Robots.Retry)
		}
	})
}

// Each of two unreachable hosts is reported with its reason. The URL of a robots.txt may be
// requested while the file is unreachable; the other URLs of its origin wait.
func TestWaitingHostsHaveReasons(t *testing.T) {
	failing, busy := newSite(t, "127.0.0.1", nil), newSite(t, "127.0.0.2", nil)
	failing.handle("/robots.txt", status(http.StatusInternalServerError))
	busy.handle("/robots.txt", status(http.StatusServiceUnavailable))
	cfg := testConfig(t, busy.url+"/", failing.url+"/", failing.url+"/robots.txt")
	cfg.Robots.Retry = time.Hour
	got := runCrawl(t, cfg, nil)
	if got.Pages != 1 || !slices.Equal(got.Waiting, []string{failing.url, busy.url}) || !slices.Equal(got.WaitingReasons, []string{"status 500", "status 503"}) {
		t.Errorf("%d pages, %q: %q", got.Pages, got.Waiting, got.WaitingReasons)
	}
	if r := got.refusal(t, failing.url+"/"); r.Reason != output.RobotsUnreachable || r.RobotsURL != failing.url+"/robots.txt" || r.Detail != "status 500" {
		t.Errorf("%+v", r)
	}
}
