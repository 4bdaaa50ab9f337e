package crawler

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/results"
	"github.com/politecrawl/politecrawl/crawler/internal/run"
	"github.com/politecrawl/politecrawl/crawler/internal/trap"
	"github.com/politecrawl/politecrawl/crawler/internal/visit"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext"
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

// opened returns an open crawl without workers.
func opened(t *testing.T, cfg Config, opts *Options) *Crawler {
	t.Helper()
	c := newCrawler(t, cfg, opts)
	must(t, c.open())
	note(c)
	return c
}

// note has visited know how visits end.
func note(c *Crawler) {
	c.run.Visitor.Committer = &outcomes{Committer: c.run.Recorder, of: make(map[frontier.LeaseID]frontier.Result)}
}

// outcomes notes how visits end.
type outcomes struct {
	visit.Committer

	mu sync.Mutex // guards of
	of map[frontier.LeaseID]frontier.Result
}

func (r *outcomes) Commit(o frontier.Outcome, page *output.Page, lines results.Batch) error {
	r.mu.Lock()
	r.of[o.Lease] = o.Result
	r.mu.Unlock()
	return r.Committer.Commit(o, page, lines)
}

// restart reloads the state of a crawl, like another process.
func restart(t *testing.T, c *Crawler) {
	t.Helper()
	must(t, c.run.Results.Close())
	rec := results.New(results.Config{
		Dir: c.cfg.Output.Dir, Frontier: c.run.Frontier, Lifecycle: c.lifecycle, Scope: c.scope, Log: c.log,
	})
	must(t, rec.Load())
	must(t, rec.Open())
	must(t, rec.Restore(c.run.Discovery.RestoreJoined, func(*trap.ClosedPattern) {}))
	c.run.Results, c.run.Discovery.Results, c.run.Visitor.Results = rec, rec, rec
	c.run.Recorder, c.run.Discovery.Recorder = rec, rec
	note(c)
}

// leased leases the next URL.
func leased(t *testing.T, c *Crawler) frontier.Lease {
	t.Helper()
	got, err := c.run.Frontier.Lease(t.Context(), frontier.LeaseRequest{Max: 1, PerHost: 1, Wait: -1, Duration: c.settings.LeaseTime})
	if err != nil || len(got) != 1 {
		t.Fatalf("%v, %v", got, err)
	}
	return got[0]
}

// visited visits a URL like a worker, and returns how it ended.
func visited(t *testing.T, c *Crawler, lease frontier.Lease) frontier.Result {
	t.Helper()
	if _, _, err := c.run.Visitor.Visit(t.Context(), lease); err != nil {
		t.Fatal(err)
	}
	ended := c.run.Visitor.Committer.(*outcomes)
	ended.mu.Lock()
	defer ended.mu.Unlock()
	return ended.of[lease.ID]
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
	cfg := testConfig(t, "http://a.test/1", "http://a.test/2")
	cfg.Robots.Retry, cfg.Politeness.PerHost = time.Hour, 2
	c := opened(t, cfg, &Options{
		Frontier: frontier.NewMemory(&frontier.Options{MaxInFlight: cfg.Politeness.PerHost}),
		Transport: answering(func(w http.ResponseWriter, _ *http.Request) {
			if away {
				w.WriteHeader(http.StatusInternalServerError)
			}
		}),
	})
	defer c.lifecycle.Abort()
	if got := visited(t, c, leased(t, c)); got != frontier.Defer {
		t.Fatal(got) // it has gone to robots.txt
	}
	if before {
		away = false
		time.Sleep(time.Second)
		reaches(t, c.run.Frontier, "http://a.test", 0)
	}
	time.Sleep(24*time.Hour - time.Second)
	one, two := leased(t, c), leased(t, c)
	working, looks := c.lifecycle.Working, 0
	c.lifecycle.Working = looked{working, func() {
		if looks++; looks == n {
			time.Sleep(2 * time.Second) // the robots.txt is old now
			away, c.lifecycle.Working = true, working
			if got := visited(t, c, two); got != frontier.Defer {
				t.Fatal(got)
			}
		}
	}}
	done := visited(t, c, one) == frontier.Done
	c.lifecycle.Working = working
	if looks < n {
		return false
	}
	if _, err := c.finish(); err != nil {
		t.Fatal(err)
	}
	listed := readOutput[output.Rejection](t, cfg, "rejected.jsonl")
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
	c := opened(t, testConfig(t, host+"/"), &Options{
		Frontier:  frontier.NewMemory(nil),
		Transport: answering(redirect(busy + "/all.txt")),
	})
	defer c.lifecycle.Abort()
	wantWaits := func(want bool) {
		t.Helper()
		for _, when := range []string{"at work", "when it starts again"} {
			must(t, c.run.ForgetRecovered())
			if hosts, _ := c.run.Results.Deferred.All(); slices.Contains(hosts, host) != want {
				t.Errorf("%s: %v wait, want %t", when, hosts, want)
			}
			restart(t, c)
		}
	}
	if known {
		reaches(t, c.run.Frontier, host, 0)
	}
	for again := range 3 {
		time.Sleep(25 * time.Hour)
		release, err := c.run.Frontier.Hold(t.Context(), weburl.ServerOf(busy))
		if err != nil {
			t.Fatal(err)
		}
		if got := visited(t, c, leased(t, c)); got != frontier.Defer {
			t.Fatal(got)
		}
		release(0)
		wantWaits(true)
		reaches(t, c.run.Frontier, host, ahead)
		if again == 1 {
			continue // nobody looks whether it was reached before it is put off again
		}
		wantWaits(false)
	}
	if err := c.run.Close(); err != nil {
		t.Error(err)
	}
}

// An earlier version stored the outcome of a robots.txt with a package name, and without the
// number of the fetch.
func TestNotesOfAnEarlierVersion(t *testing.T) {
	const host = "http://a.test"
	c := opened(t, testConfig(t, host+"/"), &Options{Frontier: frontier.NewMemory(nil), Transport: answering(nil)})
	defer c.lifecycle.Abort()
	line := `{"deferred":"` + host + `","rejection":{"url":"","reason":"robots-unreachable","depth":0,"detail":"status 503"}}` + "\n"
	must(t, os.WriteFile(filepath.Join(c.cfg.Output.Dir, results.JournalFile), []byte(line), 0o600))
	restart(t, c)
	if noted := c.run.Results.Deferred.Get(host); noted == nil || noted.Rejection.Detail != "status 503" {
		t.Errorf("%+v", noted)
	}
	reaches(t, c.run.Frontier, host, 0)
	if err := c.run.ForgetRecovered(); err != nil || c.run.Results.Deferred.Get(host) != nil {
		t.Errorf("%v: it waits although others have reached it", err)
	}
	if err := c.run.Close(); err != nil {
		t.Error(err)
	}
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
		reason  output.Reason // empty: Deferred
	}{
		{name: "503 with Retry-After", page: retryAfter(http.StatusServiceUnavailable), left: []string{"/2", "/3"}, detail: "Retry-After", wait: 2 * time.Hour},
		{name: "the same, to be retried", page: retryAfter(http.StatusServiceUnavailable), retries: 2, left: []string{"/1", "/2", "/3"}, detail: "Retry-After", wait: 2 * time.Hour},
		{name: "404 with Retry-After", page: retryAfter(http.StatusNotFound), left: []string{"/2", "/3"}, detail: "Retry-After", wait: 2 * time.Hour},
		{name: "Visit-time", robots: func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, hours) }, left: []string{"/1", "/2", "/3"}, detail: "Visit-time", wait: 3 * time.Hour},
		{name: "no robots.txt for now", robots: retryAfter(http.StatusServiceUnavailable), left: []string{"/1", "/2", "/3"}, detail: "status 503", wait: 2 * time.Hour, reason: output.RobotsUnreachable},
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
		answer http.HandlerFunc // nil: pages; the connection of https is refused in any case
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

// TestOutageSurvivesAFullDisk: the disk is full when a robots.txt is found to be unreachable. The
// resumed crawl still lists each URL of the host with the reason, and obeys the retry time.
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
			c = newCrawler(t, cfg, &Options{OnStart: func() { c.run.Recorder = &fullDisk{c.run.Recorder, full} }})
			if _, err := c.Run(t.Context()); !errors.Is(err, full) {
				t.Fatalf("%v, want %v", err, full)
			}
			got := resume(t, cfg, nil)
			if n := bad.count("/robots.txt"); n != 1 {
				t.Errorf("robots.txt was asked for %d times, want once", n)
			}
			if r := got.refusal(t, bad.url+"/"); r.Reason != output.RobotsUnreachable || r.RobotsURL != bad.url+"/robots.txt" || !strings.Contains(r.Detail, strconv.Itoa(status)) {
				t.Errorf("%+v, want that its robots.txt answers %d", r, status)
			}
			if got.End != EndDeferred || got.Remaining != 1 || !slices.Equal(got.Waiting, []string{bad.url}) {
				t.Errorf("%+v, want one URL that waits, of %s", got.Summary, bad.url)
			}
		})
	}
}

// A fullDisk is a recorder that cannot write a robots.txt.
type fullDisk struct {
	run.Recorder
	err error
}

func (r *fullDisk) Robots(*robotsext.Record) error { return r.err }

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
