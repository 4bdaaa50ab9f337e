package crawler

import (
	"errors"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext"
)

// What one worker could not write to the journal no other takes for written: it would put
// the host off, or be done with the page, and when the crawl goes on the URL would stand in
// no file.
func TestJournalFails(t *testing.T) {
	url := left{rejection: output.Rejection{URL: "http://b.test/x", Reason: output.OutOfScope}}
	for name, write := range map[string]func(s *aside) error{
		"a host that waits": func(s *aside) error {
			return s.wait("http://a.test", output.Rejection{Reason: output.Later}, time.Time{})
		},
		"a host that is back":   func(s *aside) error { return s.resume("http://back.test", s.noted("http://back.test")) },
		"a URL that is aside":   func(s *aside) error { return s.put([]left{url}) },
		"the same, and another": func(s *aside) error { return s.put([]left{url, {rejection: output.Rejection{URL: "http://c.test/"}}}) },
	} {
		t.Run(name, func(t *testing.T) {
			j, err := openJournal(filepath.Join(t.TempDir(), journalFile), false)
			if err != nil {
				t.Fatal(err)
			}
			s := newAside(j, func(a weburl.URL) string { return a.Canonical })
			s.later["http://back.test"] = &unreached{}
			_ = j.close()
			first := write(s)
			if second := write(s); first == nil || !errors.Is(second, first) {
				t.Errorf("the first: %v, the second: %v", first, second)
			}
		})
	}
}

// What cannot be written down of a robots.txt that cannot be reached, since the disk is
// full, does not leave its host alone without a reason: when the crawl goes on, each URL of
// it is listed with that. And when to come back is heeded, though it was not written down.
func TestRobotsGoesUnwritten(t *testing.T) {
	for _, status := range []int{http.StatusInternalServerError, http.StatusServiceUnavailable} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			bad := newSite(t, "127.0.0.1", nil)
			bad.handle("/robots.txt", func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Retry-After", "3600") // which counts with 503
				w.WriteHeader(status)
			})
			cfg := testConfig(t, bad.url+"/")
			cfg.RobotsRetry = time.Hour
			c, err := New(cfg, nil)
			if err != nil {
				t.Fatal(err)
			}
			full := errors.New("no space left on device")
			c.keep = func(*robotsext.Record) error { return full }
			if _, err := c.Run(t.Context()); !errors.Is(err, full) {
				t.Fatalf("%v, want %v", err, full)
			}
			got := resume(t, cfg, nil)
			if n := bad.count("/robots.txt"); n != 1 {
				t.Errorf("robots.txt was asked for %d times, want once", n)
			}
			if r := got.refusal(t, bad.url+"/"); r.Reason != output.Later || r.RobotsURL != bad.url+"/robots.txt" || !strings.Contains(r.Detail, strconv.Itoa(status)) {
				t.Errorf("%+v, want that its robots.txt answers %d", r, status)
			}
			if got.End != EndLater || got.Left != 1 || !slices.Equal(got.Waiting, []string{bad.url}) {
				t.Errorf("%+v, want one URL that waits, of %s", got.Summary, bad.url)
			}
		})
	}
}
