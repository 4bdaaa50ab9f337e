package politeness

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

var quiet = slog.New(slog.DiscardHandler)

// ROB-POL-05, ROB-POL-06: failures slow the whole host, and only they.
func TestROB_POL_05(t *testing.T) {
	const host, origin = frontier.Host("example.com"), robotsext.Origin("http://example.com")
	ctx := t.Context()
	f := frontier.NewMemory(&frontier.Options{Delay: time.Second})
	defer func() { _ = f.Close() }()
	opts := Options{Delay: time.Second, MaxCrawlDelay: 30 * time.Second, Logger: quiet}
	p := NewDelays(f, opts)
	var group *robotstxt.Group
	delay := func() time.Duration {
		rec, err := f.Host(ctx, host)
		must(t, err)
		return rec.Delay
	}
	answer := func(status int, want time.Duration) {
		t.Helper()
		if err := p.Observe(ctx, host, origin, group, status); err != nil || delay() != want {
			t.Fatalf("after %d the delay is %v, %v; want %v", status, delay(), err, want)
		}
	}
	for _, status := range []int{200, 301, 401, 403, 404, 410, 502} {
		answer(status, time.Second) // ROB-POL-06: says nothing about the load
	}
	answer(503, 2*time.Second)
	answer(429, 4*time.Second)
	answer(500, 8*time.Second)
	answer(404, 8*time.Second)
	answer(200, 7200*time.Millisecond) // a tenth less
	group = robotstxt.Parse([]byte("User-agent: *\nCrawl-delay: 3"), nil).Group("x")
	if err := p.Learn(ctx, origin, group); err != nil || delay() != 7200*time.Millisecond {
		t.Errorf("a new robots.txt made a host that is slowed down faster: %v, %v", delay(), err)
	}
	for range 40 {
		must(t, p.Observe(ctx, host, origin, group, 200))
	}
	answer(200, 3*time.Second) // back at what robots.txt requests
	answer(503, 6*time.Second)
	opts.Resumed = true
	p = NewDelays(f, opts) // the process ended, and the crawl continues
	answer(200, 5400*time.Millisecond)
	for range 9 {
		must(t, p.Observe(ctx, host, origin, group, 503))
	}
	answer(503, time.Minute) // the most
	if answer(200, 54*time.Second); p.Longest() != time.Minute {
		t.Errorf("the longest delay is %v", p.Longest())
	}
}

// ROB-POL-07: a slow server gets no request for as long as it took.
func TestROB_POL_07(t *testing.T) {
	p := NewDelays(frontier.NewMemory(nil), Options{Delay: time.Second, ResponseFactor: 2})
	if got := p.After(3 * time.Second); got != 6*time.Second {
		t.Errorf("after an answer that took 3 s, by factor 2: %v", got)
	}
	p.opts.Delay = 0
	if got := p.After(3 * time.Second); got != Requested {
		t.Errorf("without a delay: %v", got)
	}
}

// ROB-EXT-02: Request-rate is a delay, Visit-time closes a host.
func TestROB_EXT_02(t *testing.T) {
	const host, origin = frontier.Host("example.com"), robotsext.Origin("http://example.com")
	f := frontier.NewMemory(nil)
	defer func() { _ = f.Close() }()
	p := NewDelays(f, Options{MaxCrawlDelay: time.Hour})
	file := robotstxt.Parse([]byte("User-agent: *\nRequest-rate: 1/10m\nVisit-time: 0200-0300\nVisit-time: 1400-1430\n"),
		&robotstxt.Options{RequestRateDelay: true, MaxCrawlDelay: time.Hour})
	must(t, p.Learn(t.Context(), origin, file.Group("x")))
	if rec, err := f.Host(t.Context(), host); err != nil || rec.Delay != 10*time.Minute {
		t.Errorf("delay %v, %v; want 10m", rec.Delay, err)
	}
	day := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	for at, opens := range map[time.Duration]time.Duration{
		time.Hour: 2 * time.Hour, 150 * time.Minute: 0, 4 * time.Hour: 14 * time.Hour, 14*time.Hour + time.Minute: 0, 20 * time.Hour: 26 * time.Hour,
	} {
		until, closed := ClosedUntil(file.Group("x"), day.Add(at))
		if closed != (opens != 0) || closed && !until.Equal(day.Add(opens)) {
			t.Errorf("%v after midnight: closed %v until %v, want %v", at, closed, until, opens)
		}
	}
	if _, closed := ClosedUntil(nil, day); closed {
		t.Error("a host without visiting hours is closed")
	}
}

// ROB-EXT-01: a Crawl-delay is obeyed up to max-crawl-delay, however its file was read.
func TestMaxCrawlDelay(t *testing.T) {
	opts := Options{Delay: time.Second, MaxCrawlDelay: 3 * time.Second}
	p := NewDelays(nil, opts)
	for seconds, want := range map[int]time.Duration{0: opts.Delay, 2: 2 * time.Second, 86400: opts.MaxCrawlDelay} {
		file := robotstxt.Parse(fmt.Appendf(nil, "User-agent: *\nCrawl-delay: %d\n", seconds), &robotstxt.Options{MaxCrawlDelay: -1})
		if got := p.RequestedDelay(file.Group("x")); got != want {
			t.Errorf("Crawl-delay %d: %v, want %v", seconds, got, want)
		}
	}
}

// A countedFrontier counts the calls of Host.
type countedFrontier struct {
	frontier.Frontier
	asked int
}

func (f *countedFrontier) Host(ctx context.Context, h frontier.Host) (frontier.HostRecord, error) {
	f.asked++
	return f.Frontier.Host(ctx, h)
}

// A host that one process slows down is slowed down by all, and recovers with the good responses
// that any of them gets. Processes that have not slowed it down check now and then.
func TestServerSlowedByOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const host, origin, base = frontier.Host("a.test"), robotsext.Origin("http://a.test"), 100 * time.Millisecond
		f := &countedFrontier{Frontier: frontier.NewMemory(nil)}
		const recheck = 30 * time.Second
		process := func(resumed bool) *Delays {
			return NewDelays(f, Options{Delay: base, Recheck: recheck, Resumed: resumed, Logger: quiet})
		}
		answered := func(p *Delays, status int, want time.Duration) {
			t.Helper()
			must(t, p.Observe(t.Context(), host, origin, nil, status))
			if rec, err := f.Frontier.Host(t.Context(), host); err != nil || rec.Delay != want {
				t.Errorf("the delay is %v, %v, want %v", rec.Delay, err, want)
			}
		}
		one, two, three, four := process(false), process(false), process(false), process(true)
		for _, p := range []*Delays{one, two} {
			must(t, p.Learn(t.Context(), origin, nil))
		}
		answered(one, 503, 2*base)
		answered(one, 503, 4*base)
		must(t, two.Learn(t.Context(), origin, nil))
		answered(two, 200, 360*time.Millisecond) // and not base
		answered(two, 200, 324*time.Millisecond) // it knows now
		for _, p := range []*Delays{three, four} {
			rec, err := f.Frontier.Host(t.Context(), host)
			must(t, err)
			first := rec.Delay - rec.Delay/10
			answered(p, 200, first)
			f.asked = 0
			answered(p, 200, first)
			if f.asked > 0 {
				t.Errorf("the frontier is asked at every answer, which costs a round trip")
			}
			time.Sleep(recheck)
			answered(p, 200, first-first/10)
		}
		for range 20 {
			must(t, two.Observe(t.Context(), host, origin, nil, 200))
		}
		answered(two, 200, base)
	})
}

// However many hosts there are, the time of the last check is kept for a limited number.
func TestCheckedServersAreBounded(t *testing.T) {
	p := NewDelays(nil, Options{Recheck: time.Hour})
	for i := range maxChecked + 10 {
		p.mayBeSlowed(frontier.Host(fmt.Sprintf("h%d.test", i)))
	}
	if n := len(p.checked); n == 0 || n > maxChecked {
		t.Errorf("%d are remembered", n)
	}
}

// must ends a test with an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
