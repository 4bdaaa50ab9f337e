package crawler

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// Each URL that is left when a crawl ends, because no host can be asked yet, has a line with the
// time before which it is in vain to try again. A crawl that goes on before that asks nobody, and
// lists them again.
func TestLaterURLsAreListed(t *testing.T) {
	opens := time.Now().UTC().Add(3 * time.Hour).Truncate(time.Minute)
	hours := fmt.Sprintf("User-agent: *\nVisit-time: %s-%s\n", opens.Format("1504"), opens.Add(time.Hour).Format("1504"))
	retryAfter := func(status int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "7200")
			w.WriteHeader(status)
		}
	}
	for _, tt := range []struct {
		name    string
		robots  http.HandlerFunc // nil: there is none
		page    http.HandlerFunc // of /1
		retries int
		left    []string // paths
		detail  string
		wait    time.Duration
	}{
		{name: "503 with Retry-After", page: retryAfter(http.StatusServiceUnavailable), left: []string{"/2", "/3"}, detail: "Retry-After", wait: 2 * time.Hour},
		{name: "the same, to be retried", page: retryAfter(http.StatusServiceUnavailable), retries: 2, left: []string{"/1", "/2", "/3"}, detail: "Retry-After", wait: 2 * time.Hour},
		{name: "404 with Retry-After", page: retryAfter(http.StatusNotFound), left: []string{"/2", "/3"}, detail: "Retry-After", wait: 2 * time.Hour},
		{name: "Visit-time", robots: func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, hours) }, left: []string{"/1", "/2", "/3"}, detail: "Visit-time", wait: 3 * time.Hour},
		{name: "no robots.txt for now", robots: retryAfter(http.StatusServiceUnavailable), left: []string{"/1", "/2", "/3"}, detail: "status 503", wait: 2 * time.Hour},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newSite(t, "127.0.0.1", map[string]string{"/2": "2", "/3": "3"})
			if tt.robots != nil {
				s.handle("/robots.txt", tt.robots)
			}
			if tt.page != nil {
				s.handle("/1", tt.page)
			}
			other := newSite(t, "127.0.0.1", map[string]string{"/": "the crawl goes on elsewhere"})
			cfg := testConfig(t, s.url+"/1", s.url+"/2", s.url+"/3", other.url+"/")
			cfg.Limits.Workers, cfg.Fetch.Retries = 1, tt.retries
			check := func(got *crawl) {
				t.Helper()
				var paths []string
				for _, r := range got.rejected {
					paths = append(paths, strings.TrimPrefix(r.URL, s.url))
					if r.Reason != output.Later || !strings.Contains(r.Detail, tt.detail) || r.Source != "start" {
						t.Errorf("%+v, want later for %s", r, tt.detail)
					}
					if wait := time.Until(r.RetryAt); wait > tt.wait || wait < tt.wait-2*time.Minute {
						t.Errorf("%s is to be tried again in %v, want %v", r.URL, wait, tt.wait)
					}
				}
				slices.Sort(paths)
				if diff := cmp.Diff(tt.left, paths); diff != "" || got.End != EndLater || got.Left != len(tt.left) || got.Rejected[output.Later] != len(tt.left) {
					t.Errorf("%+v; rejected (-want +got):\n%s", got.Summary, diff)
				}
			}
			check(run(t, cfg, nil))
			asked := len(s.requests())
			check(run(t, cfg, &Options{Resume: true}))
			if again := len(s.requests()); again != asked {
				t.Errorf("%d requests, and %d when it went on", asked, again)
			}
		})
	}
}

// A crawl that a limit ends has URLs left that it could fetch: they are no rejections.
func TestURLsLeftByALimitAreNotRejected(t *testing.T) {
	s := newSite(t, "127.0.0.1", map[string]string{"/1": "1", "/2": "2"})
	cfg := testConfig(t, s.url+"/1", s.url+"/2")
	cfg.Limits.MaxPages = 1
	if got := run(t, cfg, nil); got.Left != 1 || len(got.rejected) > 0 || len(got.Rejected) > 0 {
		t.Errorf("%+v, rejected %+v", got.Summary, got.rejected)
	}
}
