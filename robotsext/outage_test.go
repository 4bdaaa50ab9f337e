package robotsext_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/robotsext"
)

const day = 24 * time.Hour

// host is a site on a moved clock, played by a RoundTripper.
type host struct {
	t     *testing.T
	clock *clock
	r     *robotsext.Robots
	now   reply            // what robots.txt is answered with
	pages map[string]reply // what other paths are
	asked []time.Time      // for robots.txt
	dir   string           // of the cache of cachedHost
}

func newHost(t *testing.T, opts robotsext.Options, now reply) *host {
	t.Helper()
	h := &host{t: t, clock: newClock(), now: now, pages: map[string]reply{}}
	h.open(opts)
	return h
}

// open gives the host a new Robots, as a new process would.
func (h *host) open(opts robotsext.Options) {
	h.t.Helper()
	opts.Now = h.clock.now
	opts.Transport = roundTripper(func(req *http.Request) (*http.Response, error) {
		if req.URL.Path == "/robots.txt" {
			h.asked = append(h.asked, h.clock.now())
			return h.now.RoundTrip(req)
		}
		page, ok := h.pages[req.URL.Path]
		if !ok {
			page = reply{status: 404}
		}
		return page.RoundTrip(req)
	})
	h.r = newRobots(h.t, &opts)
}

func (h *host) refresh() *robotsext.Record {
	h.t.Helper()
	rec, err := h.r.Refresh(h.t.Context(), mustParse(h.t, "http://example.com/"))
	wantOK(h.t, err)
	return rec
}

func (h *host) record() *robotsext.Record {
	h.t.Helper()
	return recordFor(h.t, h.r, mustParse(h.t, "http://example.com/"))
}

func (h *host) check(path string) error {
	return h.r.Check(h.t.Context(), mustParse(h.t, "http://example.com"+path))
}

// wantAsked wants robots.txt to have been requested so many times.
func (h *host) wantAsked(times int) {
	h.t.Helper()
	if len(h.asked) != times {
		h.t.Errorf("asked %d times, want %d", len(h.asked), times)
	}
}

// failFor has the host fail, by 500 if it does not yet, until an outage has lasted for e,
// looked at each day.
func (h *host) failFor(e time.Duration) *robotsext.Record {
	h.t.Helper()
	if h.now.err == nil && h.now.status < 500 {
		h.now = reply{status: 500}
	}
	rec := h.refresh()
	for e > 0 {
		step := min(e, day)
		h.clock.advance(step)
		rec = h.refresh()
		e -= step
	}
	return rec
}

// wantCopyLost has robots.txt fail, and wants to know whether rules from before may be lost, on which
// it depends what the outage allows (TestTableLAD, TestEvictedCopyIsLost).
func (h *host) wantCopyLost(want bool) {
	h.t.Helper()
	h.now = reply{status: 500}
	if rec := h.refresh(); rec.CopyLost != want || rec.Outcome != robotsext.OutcomeUnreachable {
		h.t.Errorf("%s, copy lost %v, want %v", rec.Outcome, rec.CopyLost, want)
	}
}

// letter is the cell of table LAD that rec shows.
func letter(rec *robotsext.Record) string {
	switch {
	case rec.Outcome == robotsext.OutcomeAllowAll:
		return "A"
	case rec.Outcome == robotsext.OutcomeRules && rec.Copy != nil && rec.File == rec.Copy.File:
		return "C"
	case rec.Outcome == robotsext.OutcomeUnreachable:
		return "D"
	}
	return fmt.Sprintf("%v", rec.Outcome)
}

func wantLetter(t *testing.T, rec *robotsext.Record, want string) {
	t.Helper()
	if got := letter(rec); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestTableLAD(t *testing.T) {
	phases2019 := [3][]time.Duration{{0, 12*time.Hour - 1}, {12 * time.Hour, 30 * day}, {30*day + 1, 90 * day}}
	columns := []struct {
		name    string
		profile robotsext.OutageProfile
		// lengths of an outage in each of the three phases, their ends included
		phases [3][]time.Duration
	}{
		{"google", robotsext.ProfileGoogle, [3][]time.Duration{{0, 12*time.Hour - 1}, {12 * time.Hour, 12*time.Hour + 30*day - 1}, {12*time.Hour + 30*day, 90 * day}}},
		{"google-2019", robotsext.ProfileGoogle2019, phases2019},
		{"rfc9309", robotsext.ProfileRFC9309, phases2019},
		{"pre-2019", robotsext.ProfilePre2019, phases2019},
	}
	rows := specTable(t, "lad")
	header, rows := rows[0], rows[1:]
	phases := []string{"E<12h", "12h<=E<12h+30d (30d)", "later"}
	for _, row := range rows {
		phase := slices.Index(phases, row[0])
		if phase < 0 {
			t.Fatalf("unknown phase %q in the specification", row[0])
		}
		for _, column := range columns {
			cell := row[slices.Index(header, column.name)]
			for _, e := range column.phases[phase] {
				for _, available := range []bool{false, true} {
					name := fmt.Sprintf("ROB-STA-04/%s/%s/copy %s/%s/available %v", column.name, row[0], row[1], e, available)
					t.Run(name, func(t *testing.T) {
						h := newHost(t, robotsext.Options{Outage: robotsext.OutageOptions{Profile: column.profile, Available: func(robotsext.Origin) bool { return available }}}, robotsReply)
						if row[1] == "yes" {
							h.refresh()
							h.clock.advance(day)
						}
						want := cell
						if cell == "avail?A:D" {
							want = map[bool]string{true: "A", false: "D"}[available]
						}
						wantLetter(t, h.failFor(e), want)
					})
				}
			}
		}
	}
}

// What was evicted counts as lost: however long ago that was, an outage allows nothing
// (ROB-CAC-17), also of a site that is up but for its robots.txt.
func TestEvictedCopyIsLost(t *testing.T) {
	upButForRobots := robotsext.OutageOptions{Profile: robotsext.ProfileGoogle, Available: func(robotsext.Origin) bool { return true }}
	for name, outage := range map[string]robotsext.OutageOptions{"ROB-CAC-17/RFC9309": {}, "ROB-CAC-17/ROB-STA-10/Google": upButForRobots} {
		for _, lost := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s/lost %v", name, lost), func(t *testing.T) {
				h := newHost(t, robotsext.Options{Cache: robotsext.CacheOptions{MaxRecords: 1}, Outage: outage}, robotsReply)
				if lost {
					h.record()
					h.evict()
				}
				rec := h.failFor(43 * day)
				wantLetter(t, rec, map[bool]string{true: "D", false: "A"}[lost])
				if rec.CopyLost != lost {
					t.Errorf("copy lost %v", rec.CopyLost)
				}
			})
		}
	}
}

func TestOutage(t *testing.T) {
	t.Run("ROB-STA-02", func(t *testing.T) {
		h := newHost(t, robotsext.Options{}, reply{status: 500})
		for range 2 {
			blocked := wantLater(t, h.check("/"))
			h.clock.set(blocked.RetryAt)
		}
		h.now = robotsReply
		wantOK(t, h.check("/"))
		wantDisallowed(t, h.check("/private"), 2)
	})
	t.Run("ROB-STA-03/ROB-CAC-13", func(t *testing.T) {
		tries := func(status int) (at []time.Duration) {
			h := newHost(t, robotsext.Options{}, reply{status: status})
			start := h.clock.now()
			for range 12 {
				h.clock.set(h.record().RetryAt)
			}
			for _, a := range h.asked {
				at = append(at, a.Sub(start)/time.Minute)
			}
			return at
		}
		if got, want := tries(500), []time.Duration{0, 1, 3, 7, 15, 31, 63, 123, 183, 243, 303, 363}; !slices.Equal(got, want) {
			t.Errorf("500: tries at minutes %d, want %d", got, want)
		}
		if got, want := tries(503), []time.Duration{0, 1, 3, 7, 15, 25, 35, 45, 55, 65, 75, 85}; !slices.Equal(got, want) {
			t.Errorf("503: tries at minutes %d, want %d", got, want)
		}
	})
	t.Run("ROB-CAC-13/options", func(t *testing.T) {
		h := newHost(t, robotsext.Options{Outage: robotsext.OutageOptions{RetryMin: time.Second, RetryMax: 3 * time.Second}}, reply{status: 503})
		for _, want := range []time.Duration{time.Second, 2 * time.Second, 3 * time.Second, 3 * time.Second} {
			if got := h.refresh().RetryAt.Sub(h.clock.now()); got != want {
				t.Errorf("next try after %s, want %s", got, want)
			}
		}
	})
	t.Run("ROB-CAC-13/at most a day", func(t *testing.T) {
		h := newHost(t, robotsext.Options{Outage: robotsext.OutageOptions{RetryMin: 48 * time.Hour, RetryMax: 72 * time.Hour}}, reply{status: 500})
		for range 2 {
			if got := h.refresh().RetryAt.Sub(h.clock.now()); got != day {
				t.Errorf("next try after %s, want a day", got)
			}
		}
	})
	t.Run("ROB-CAC-13/not asked before", func(t *testing.T) {
		h := newHost(t, robotsext.Options{}, reply{status: 500})
		wantLater(t, h.check("/"))
		h.clock.advance(59 * time.Second)
		wantLater(t, h.check("/"))
		h.wantAsked(1)
	})
	type fetch struct {
		after  time.Duration // the last one
		status int
	}
	outage := slices.Repeat([]fetch{{day, 500}}, 32)
	const none = time.Duration(-1)
	for _, test := range []struct {
		name    string
		fetches []fetch
		letter  string
		length  time.Duration // of the outage
		since   time.Duration // from the first fetch to the start of the outage
	}{
		{"ROB-STA-05/cleared", []fetch{{0, 500}, {6 * time.Hour, 404}}, "A", 0, none},
		{"ROB-STA-05/begins anew", []fetch{{0, 500}, {6 * time.Hour, 404}, {day, 500}}, "D", 0, 30 * time.Hour},
		{"ROB-STA-05/nobody looked", []fetch{{0, 500}, {40 * day, 500}}, "D", day, 0},
		{"ROB-STA-05/clock set back", []fetch{{0, 500}, {-10 * day, 500}}, "D", 0, 0},
		{"ROB-STA-05/starts uncovered", []fetch{{0, 200}, {20 * time.Hour, 500}, {10 * time.Hour, 500}}, "D", 0, 30 * time.Hour},
		{"ROB-STA-07/a remembered 404 is no copy", append([]fetch{{0, 404}}, outage...), "A", 31 * day, day},
		{"ROB-STA-08/a 404 drops the rules before it", append([]fetch{{0, 200}, {day, 404}}, outage...), "A", 31 * day, 2 * day},
		{"ROB-STA-11/the copy", append([]fetch{{0, 200}}, outage...), "C", 31 * day, day},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := newHost(t, robotsext.Options{}, robotsReply)
			var since time.Time
			if test.since != none {
				since = h.clock.now().Add(test.since)
			}
			var rec *robotsext.Record
			for _, f := range test.fetches {
				h.clock.advance(f.after)
				h.now = reply{status: f.status, body: private}
				rec = h.refresh()
			}
			wantLetter(t, rec, test.letter)
			if rec.Outage != test.length || !rec.FailingSince.Equal(since) || (rec.Failures == 0) != since.IsZero() || test.letter == "A" && rec.Copy != nil || rec.CopyLost {
				t.Errorf("got %+v", rec)
			}
			if test.letter == "C" && (!rec.ExpiresAt.Equal(rec.RetryAt) || !rec.RetryAt.Equal(h.clock.now().Add(time.Hour))) {
				t.Errorf("a stale copy holds until %s, next try at %s", rec.ExpiresAt, rec.RetryAt)
			}
		})
	}
	t.Run("ROB-STA-06", func(t *testing.T) {
		h := newHost(t, robotsext.Options{}, robotsReply)
		good := h.refresh()
		h.clock.advance(20 * time.Hour)
		h.now = reply{status: 500}
		if rec := h.refresh(); rec != good {
			t.Errorf("the record was replaced: %+v", rec)
		}
		h.clock.advance(4*time.Hour - time.Minute)
		wantDisallowed(t, h.check("/private"), 2)
		h.clock.advance(time.Minute)
		wantLater(t, h.check("/private"))
	})
	t.Run("ROB-CAC-02/ROB-CAC-14", func(t *testing.T) {
		h := newHost(t, robotsext.Options{}, robotsReply)
		h.now.header = http.Header{"Cache-Control": {"must-revalidate, max-age=600"}}
		h.refresh()
		h.clock.advance(day)
		h.now = reply{err: errors.New("connection reset")}
		h.failFor(31 * day)
		wantDisallowed(t, h.check("/private"), 2)
		if err := h.check("/a"); err != nil {
			t.Errorf("the copy does not hold: %v", err)
		}
	})
}

func TestRetryAfter(t *testing.T) {
	for _, test := range []struct {
		name, value string
		want        time.Duration
	}{
		{"seconds", "120", 2 * time.Minute}, // FuzzRetryAfter has all other forms
		{"less than the back-off", "5", time.Minute},
		{"date", "Thu, 01 Oct 2026 15:00:00 GMT", 3 * time.Hour},
		{"a week", "604800", day},
	} {
		for _, status := range []int{429, 503} {
			t.Run(fmt.Sprintf("ROB-STA-01/ROB-CAC-13/ROB-POL-04/%d/%s", status, test.name), func(t *testing.T) {
				h := newHost(t, robotsext.Options{}, reply{status: status, header: http.Header{"Retry-After": {test.value}}})
				if got := h.refresh().RetryAt.Sub(h.clock.now()); got != test.want {
					t.Errorf("next try after %s, want %s", got, test.want)
				}
			})
		}
	}
}
