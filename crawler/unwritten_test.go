package crawler

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext"
)

// What cannot be written down of a robots.txt that cannot be reached, since the disk is
// full, does not leave its host alone without a reason: when the crawl goes on, each URL of
// it is listed with that. And when to come back is heeded, though it was not written down.
func TestOutageSurvivesAFullDisk(t *testing.T) {
	for _, status := range []int{http.StatusInternalServerError, http.StatusServiceUnavailable} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			bad := newSite(t, "127.0.0.1", nil)
			bad.handle("/robots.txt", func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Retry-After", "3600") // which counts with 503
				w.WriteHeader(status)
			})
			cfg := testConfig(t, bad.url+"/")
			cfg.Robots.Retry = time.Hour
			full := errors.New("no space left on device")
			var c *Crawler
			c, err := New(cfg, &Options{Begun: func() { c.recorder = &fullDisk{c.recorder, full} }})
			if err != nil {
				t.Fatal(err)
			}
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

// fullDisk is a recorder that cannot write a robots.txt.
type fullDisk struct {
	recorder
	err error
}

func (r *fullDisk) Robots(*robotsext.Record) error { return r.err }
