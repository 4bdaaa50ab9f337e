package crawler

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// ROB-POL-04: whatever response has a Retry-After, the host gets no request before that time.
func TestRetryAfterIsObeyed(t *testing.T) {
	const (
		wait  = time.Second
		front = `<a href="/busy">busy</a><a href="/next">next</a>`
	)
	withMap := page(200, "Sitemap: {site}/map.txt\n")
	toOther := http.RedirectHandler("/r.txt", http.StatusMovedPermanently).ServeHTTP
	for _, tt := range []struct {
		name   string
		robots http.HandlerFunc // nil: there is none
		path   string           // of the response that has a Retry-After of a second
		give   http.HandlerFunc
		want   []string // the paths requested, in order
	}{
		{"page 200", nil, "/busy", page(200, "busy"), []string{"/robots.txt", "/", "/busy", "/next"}},
		{"page 404", nil, "/busy", page(404, "no"), []string{"/robots.txt", "/", "/busy", "/next"}},
		{"page 500", nil, "/busy", page(500, "no"), []string{"/robots.txt", "/", "/busy", "/next"}},
		{"redirect", nil, "/busy", http.RedirectHandler("/there", http.StatusFound).ServeHTTP, []string{"/robots.txt", "/", "/busy", "/next", "/there"}},
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
		}, []string{"/robots.txt", "/", "/busy", "/next"}},
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
		{"sitemap 302", withMap, "/map.txt", http.RedirectHandler("/other.txt", http.StatusFound).ServeHTTP, []string{"/robots.txt", "/", "/map.txt", "/other.txt", "/busy", "/next"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
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
			run(t, testConfig(t, s.url), nil)
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
		})
	}
}

// page is a response with a body, in which {site} stands for the site.
func page(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(status)
		_, _ = fmt.Fprint(w, strings.ReplaceAll(body, "{site}", "http://"+r.Host))
	}
}

// A robots.txt that another host leads to has the clock of its own host wait.
func TestRetryAfterOfRobotsTxtElsewhere(t *testing.T) {
	other := newSite(t, "127.0.0.2", map[string]string{"/": "page"})
	other.handle("/r.txt", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Retry-After", "1")
		page(200, "User-agent: *\nAllow: /\n")(w, r)
	})
	s := newSite(t, "127.0.0.1", map[string]string{"/": `<a href="` + other.url + `/">other</a>`})
	s.handle("/robots.txt", http.RedirectHandler(other.url+"/r.txt", http.StatusFound).ServeHTTP)
	cfg := testConfig(t, s.url)
	cfg.Scope.Kind = ScopeAny
	run(t, cfg, nil)
	requests := other.requests()
	if len(requests) != 3 || requests[0].uri != "/r.txt" {
		t.Fatalf("requests %+v", requests)
	}
	if gap := requests[1].began.Sub(requests[0].end); gap < time.Second {
		t.Errorf("%s was requested %v after the response", requests[1].uri, gap)
	}
}

// A page with a Retry-After counts like any other, and only the host's clock waits.
func TestPageWithRetryAfterIsKept(t *testing.T) {
	s := newSite(t, "127.0.0.1", map[string]string{"/last": "last"})
	for path, give := range map[string]http.HandlerFunc{"/": page(200, `<a href="/gone">gone</a>`), "/gone": page(404, "no")} {
		s.handle(path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Retry-After", "1")
			give(w, r)
		})
	}
	cfg := testConfig(t, s.url)
	cfg.Fetch.Retries = 3
	got := run(t, cfg, nil)
	if got.End != EndFinished || got.Statuses[200] != 1 || got.Statuses[404] != 1 || s.count("/") != 1 || s.count("/gone") != 1 {
		t.Errorf("%+v, requests %+v", got.Summary, s.requests())
	}
}
