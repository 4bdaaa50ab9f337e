package forecast

import (
	"net/netip"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler/plan"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// TestForecast holds how long a crawl is foretold to take against what follows from
// its clocks by hand.
func TestForecast(t *testing.T) {
	// host makes so many requests, of 100 ms each, with a second of rest.
	host := func(name string, before, pages int) Server {
		c := NewServer(time.Second, 100*time.Millisecond, 1)
		c.Name, c.Before, c.Pages = name, before, pages
		return c
	}
	at := func(c Server, ip string) Server {
		c.Addr = netip.MustParseAddr(ip)
		return c
	}
	second := func(n float64) time.Duration { return time.Duration(n * float64(time.Second)) }
	for _, tt := range []struct {
		name     string
		table    Timetable
		maxPages int
		maxTime  time.Duration
		want     Forecast
	}{
		{"nothing", Timetable{Workers: 1}, 0, 0, Forecast{"", 0, 0, plan.BottleneckHost, ""}},
		{"one page", Timetable{Servers: []Server{host("a", 0, 1)}, Workers: 1}, 0, 0, Forecast{"", 1, second(.1), plan.BottleneckHost, "a"}},
		{"the pause lies between requests", Timetable{Servers: []Server{host("a", 1, 10)}, Workers: 1}, 0, 0, Forecast{"", 10, second(11.1), plan.BottleneckHost, "a"}},
		{"hosts go on side by side", Timetable{Servers: []Server{host("a", 1, 10), host("b", 1, 20)}, Workers: 16}, 0, 0, Forecast{"", 30, second(21*1.1 - 1), plan.BottleneckHost, "b"}},
		{"workers are too few", Timetable{Servers: []Server{host("a", 0, 10), host("b", 0, 10), host("c", 0, 10), host("d", 0, 10), host("e", 0, 10), host("f", 0, 10), host("g", 0, 10), host("h", 0, 10), host("i", 0, 10), host("j", 0, 10), host("k", 0, 10), host("l", 0, 10)}, Workers: 1}, 0, 0, Forecast{"", 120, second(12), plan.BottleneckConcurrency, ""}},
		{"an address is shared", Timetable{Servers: []Server{at(host("a", 0, 10), "10.0.0.1"), at(host("b", 0, 10), "10.0.0.1"), at(host("c", 0, 100), "10.0.0.2")}, Workers: 16, PerIP: 1}, 0, 0, Forecast{"", 120, second(100*1.1 - 1), plan.BottleneckHost, "c"}},
		{"max-pages", Timetable{Servers: []Server{host("a", 1, 10)}, Workers: 1}, 4, 0, Forecast{"max-pages", 4, second(4*1.1 + .1), plan.BottleneckHost, ""}},
		{"max-pages that are not reached", Timetable{Servers: []Server{host("a", 1, 10)}, Workers: 1}, 10, 0, Forecast{"", 10, second(11.1), plan.BottleneckHost, "a"}},
		{"max-time", Timetable{Servers: []Server{host("a", 1, 10)}, Workers: 1}, 0, 5 * time.Second, Forecast{"max-time", 4, 5 * time.Second, plan.BottleneckHost, ""}},
		{"max-time that is not reached", Timetable{Servers: []Server{host("a", 1, 10)}, Workers: 1}, 0, 12 * time.Second, Forecast{"", 10, second(11.1), plan.BottleneckHost, "a"}},
	} {
		t.Run("ROB-POL-02/"+tt.name, func(t *testing.T) {
			got := tt.table.Forecast(tt.maxPages, tt.maxTime)
			if d := got.Duration - tt.want.Duration; d < -time.Millisecond || d > time.Millisecond {
				t.Errorf("%v, want %v", got.Duration, tt.want.Duration)
			}
			got.Duration = tt.want.Duration
			if got != tt.want {
				t.Errorf("%+v, want %+v", got, tt.want)
			}
		})
	}
}

// TestRequestsInFlight holds that with more than one request in flight the pause counts
// from start to start.
func TestRequestsInFlight(t *testing.T) {
	c := NewServer(time.Second, 3*time.Second, 2)
	c.Pages = 10
	if got, want := c.End(10), 9*1500*time.Millisecond+3*time.Second; got != want {
		t.Errorf("%v, want %v: two requests of 3 s at a time", got, want)
	}
	c = NewServer(2*time.Second, 3*time.Second, 2)
	c.Pages = 10
	if got, want := c.End(10), 9*2*time.Second+3*time.Second; got != want {
		t.Errorf("%v, want %v: one every 2 s", got, want)
	}
}

// TestHours holds the visiting hours of a host against a walk through its minutes.
func TestHours(t *testing.T) {
	f := robotstxt.Parse([]byte("User-agent: *\nVisit-time: 0600-0845\nVisit-time: 2300-0030\n"), nil)
	windows := f.Group("x").VisitTimes()
	if len(windows) != 2 {
		t.Fatalf("%d windows", len(windows))
	}
	began := time.Date(2026, 11, 21, 7, 13, 30, 0, time.UTC)
	h := NewHours(windows, began)
	open := time.Duration(0)
	for s := range 3 * 24 * 60 * 2 { // half minutes
		at := time.Duration(s) * 30 * time.Second
		if got := h.open(at); got != open {
			t.Fatalf("ROB-EXT-02: open for %v of the first %v, want %v", got, at, open)
		}
		now := began.Add(at)
		for _, w := range windows {
			if w.Contains(now.Truncate(time.Minute)) {
				open += 30 * time.Second
				break
			}
		}
	}
	for _, n := range []time.Duration{time.Second, time.Hour, 2 * time.Hour, 10 * time.Hour, 100 * time.Hour} {
		until := h.until(n)
		if h.open(until) != n || h.open(until-1) >= n {
			t.Errorf("ROB-EXT-02: until %v: %v, when it was open for %v", n, until, h.open(until))
		}
	}
	if NewHours(nil, began) != nil {
		t.Error("a host without Visit-time has hours")
	}
}
