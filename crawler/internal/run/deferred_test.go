package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/discover"
	"github.com/politecrawl/politecrawl/crawler/internal/results"
	"github.com/politecrawl/politecrawl/crawler/internal/trap"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/plan"
	"github.com/politecrawl/politecrawl/robotsext"
)

// restart reloads the state of a crawl, like another process.
func restart(t *testing.T, c *Crawl) {
	t.Helper()
	must(t, c.parts.Results.Close())
	c.newRecorder()
	must(t, c.parts.Results.Load())
	must(t, c.parts.Results.Open())
	must(t, c.parts.Results.Restore(c.parts.Discovery.RestoreJoined, func(*trap.ClosedPattern) {}))
	note(c)
}

// stores simulates another process that fetches a robots.txt. Its clock is ahead by a duration.
func stores(t *testing.T, f frontier.Frontier, rec *robotsext.Record, ahead time.Duration) {
	t.Helper()
	rec.FetchedAt = time.Now().Add(ahead)
	rec.ExpiresAt = time.Now().Add(24 * time.Hour)
	data, err := json.Marshal(rec)
	must(t, err)
	must(t, f.UpdateHost(t.Context(), weburl.ServerOf(string(rec.Origin)), frontier.HostUpdate{
		Robots: map[string]frontier.Robots{string(rec.Origin): {FailingSince: rec.FailingSince, Data: data}},
	}))
}

// reaches simulates that the other process finds no robots.txt.
func reaches(t *testing.T, f frontier.Frontier, origin robotsext.Origin, ahead time.Duration) {
	t.Helper()
	stores(t, f, &robotsext.Record{Origin: origin, Outcome: robotsext.OutcomeAllowAll, Status: http.StatusNotFound}, ahead)
}

// looked calls a function each time the end of the context is checked.
type looked struct {
	context.Context
	then func()
}

func (l looked) Err() error {
	l.then()
	return l.Context.Err()
}

// A slow worker with an older robots.txt does not report that its host has recovered from a later
// outage. Each waiting URL is listed.
func TestSlowWorkerDoesNotEndALaterOutage(t *testing.T) {
	for _, before := range []bool{false, true} { // it was away before, too
		for moment, reached := 1, true; reached; moment++ {
			t.Run(fmt.Sprintf("at look %d, away before %t", moment, before), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { reached = isAwayAt(t, moment, before) })
			})
		}
	}
}

// isAwayAt makes the robots.txt of a host unreachable for one worker, while another worker checks
// its context for the n-th time. If before is true, there was an earlier outage that another
// process has seen end. It returns whether there was an n-th check.
func isAwayAt(t *testing.T, n int, before bool) (reached bool) {
	away := before
	set := testSettings(t, answering(func(w http.ResponseWriter, _ *http.Request) {
		if away {
			w.WriteHeader(http.StatusInternalServerError)
		}
	}), "http://a.test/1", "http://a.test/2")
	set.Limits.MaxInFlight, set.Delays.MaxInFlight, set.Visit.Requests.PerHost = 2, 2, 2
	c := opened(t, set, frontier.NewMemory(&frontier.Options{MaxInFlight: 2}))
	defer c.parts.Lifecycle.Abort()
	if got := visited(t, c, leased(t, c)); got != frontier.Defer {
		t.Fatal(got) // it has gone to robots.txt
	}
	if before {
		away = false
		time.Sleep(time.Second)
		reaches(t, c.parts.Frontier, "http://a.test", 0)
	}
	time.Sleep(24*time.Hour - time.Second)
	one, two := leased(t, c), leased(t, c)
	working, looks := c.parts.Lifecycle.Working, 0
	c.parts.Lifecycle.Working = looked{working, func() {
		if looks++; looks == n {
			time.Sleep(2 * time.Second) // the robots.txt is old now
			away, c.parts.Lifecycle.Working = true, working
			if got := visited(t, c, two); got != frontier.Defer {
				t.Fatal(got)
			}
		}
	}}
	done := visited(t, c, one) == frontier.Done
	c.parts.Lifecycle.Working = working
	if looks < n {
		return false
	}
	if _, err := c.End(); err != nil {
		t.Fatal(err)
	}
	listed := rejections(t, set)
	for _, l := range []frontier.Lease{one, two} {
		if l.ID == one.ID && done {
			continue
		}
		if !slices.ContainsFunc(listed, func(r output.Rejection) bool { return r.URL == l.URL && r.Reason == output.RobotsUnreachable }) {
			t.Errorf("%s waits, and stands in no file", l.URL)
		}
	}
	return true
}

// A host that was deferred for a reason of our own waits until any process has reached it. The
// clocks of other processes do not matter.
func TestHostDeferredByUsWaitsUntilReached(t *testing.T) {
	for _, known := range []bool{false, true} {
		for _, ahead := range []time.Duration{-100 * time.Hour, 0, 100 * time.Hour} {
			t.Run(fmt.Sprintf("known %t, clock ahead %v", known, ahead), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { isPutOff(t, known, ahead) })
			})
		}
	}
}

// isPutOff defers a host whose robots.txt redirects to a host that is not due. Then another
// process, whose clock is ahead, reaches it; and the same again.
func isPutOff(t *testing.T, known bool, ahead time.Duration) {
	const host, busy = "http://a.test", "http://b.test"
	away := http.RedirectHandler(busy+"/all.txt", http.StatusFound)
	c := opened(t, testSettings(t, answering(away.ServeHTTP), host+"/"), frontier.NewMemory(nil))
	defer c.parts.Lifecycle.Abort()
	wantWaits := func(want bool) {
		t.Helper()
		for _, when := range []string{"at work", "when it starts again"} {
			must(t, c.forgetRecovered())
			if hosts, _ := c.parts.Results.Deferred.All(); slices.Contains(hosts, host) != want {
				t.Errorf("%s: %v wait, want %t", when, hosts, want)
			}
			restart(t, c)
		}
	}
	if known {
		reaches(t, c.parts.Frontier, host, 0)
	}
	for again := range 3 {
		time.Sleep(25 * time.Hour)
		release, err := c.parts.Frontier.Hold(t.Context(), weburl.ServerOf(busy))
		must(t, err)
		if got := visited(t, c, leased(t, c)); got != frontier.Defer {
			t.Fatal(got)
		}
		release(0)
		wantWaits(true)
		reaches(t, c.parts.Frontier, host, ahead)
		if again == 1 {
			continue // nobody looks whether it was reached before it is put off again
		}
		wantWaits(false)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// An earlier version stored the outcome of a robots.txt with a package name, and without the
// number of the fetch.
func TestNotesOfAnEarlierVersion(t *testing.T) {
	const host = "http://a.test"
	c := opened(t, testSettings(t, answering(nil), host+"/"), frontier.NewMemory(nil))
	defer c.parts.Lifecycle.Abort()
	line := `{"deferred":"` + host + `","rejection":{"url":"","reason":"robots-unreachable","depth":0,"detail":"status 503"}}` + "\n"
	must(t, os.WriteFile(filepath.Join(c.set.Results.Dir, results.JournalFile), []byte(line), 0o600))
	restart(t, c)
	if noted := c.parts.Results.Deferred.Get(host); noted == nil || noted.Rejection.Detail != "status 503" {
		t.Errorf("%+v", noted)
	}
	reaches(t, c.parts.Frontier, host, 0)
	if err := c.forgetRecovered(); err != nil || c.parts.Results.Deferred.Get(host) != nil {
		t.Errorf("%v: it waits although others have reached it", err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// TestOutageSurvivesAFullDisk: the disk is full when a robots.txt is found to be unreachable. The
// resumed crawl still lists each URL of the host with the reason, and obeys the retry time.
func TestOutageSurvivesAFullDisk(t *testing.T) {
	const site = "http://a.test"
	for _, status := range []int{http.StatusInternalServerError, http.StatusServiceUnavailable} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			asked := 0
			set := testSettings(t, answering(func(w http.ResponseWriter, _ *http.Request) {
				asked++
				w.Header().Set("Retry-After", "3600") // which counts with 503
				w.WriteHeader(status)
			}), site+"/")
			full := errors.New("no space left on device")
			c := opened(t, set, nil)
			c.parts.Recorder = &fullDisk{c.parts.Recorder, full}
			if _, err := worked(t, c); !errors.Is(err, full) {
				t.Fatalf("%v, want %v", err, full)
			}
			set.Results.Resume = true
			got, err := worked(t, opened(t, set, nil))
			must(t, err)
			if asked != 1 {
				t.Errorf("robots.txt was asked for %d times, want once", asked)
			}
			listed := rejections(t, set)
			if len(listed) != 1 || listed[0].URL != site+"/" || listed[0].Reason != output.RobotsUnreachable || listed[0].RobotsURL != site+"/robots.txt" || !strings.Contains(listed[0].Detail, strconv.Itoa(status)) {
				t.Errorf("%+v, want that its robots.txt answers %d", listed, status)
			}
			if got.End != plan.Deferred || got.Remaining != 1 || !slices.Equal(got.Waiting, []string{site}) {
				t.Errorf("%+v, want one URL that waits, of %s", got, site)
			}
		})
	}
}

// A fullDisk is a recorder that cannot write a robots.txt.
type fullDisk struct {
	discover.Recorder
	err error
}

func (r *fullDisk) Robots(*robotsext.Record) error { return r.err }
