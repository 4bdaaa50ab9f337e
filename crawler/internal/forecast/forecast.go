// Package forecast estimates how long a polite crawl takes, and how much disk and memory.
package forecast

import (
	"math"
	"net/netip"
	"time"

	"github.com/politecrawl/politecrawl/crawler/plan"
)

// Server has the expected requests to one server. They are sent one after the other at the polite
// rate, first those for robots.txt and sitemaps.
type Server struct {
	Name   string
	Before int           // requests for robots.txt and sitemaps
	Pages  int           // pages to fetch
	Cycle  time.Duration // from the start of a request to the start of the next
	Took   time.Duration // duration of a request
	Addr   netip.Addr    // address for the limit PerIP; invalid: no limit
	Hours  *Hours        // visiting hours; nil means always
}

// NewServer returns a Server with the delay rest after each request. If several requests may be in
// flight, the delay runs from start to start (ROB-POL-02).
func NewServer(rest, took time.Duration, inFlight int) Server {
	c := Server{Took: took, Cycle: took + rest}
	if inFlight > 1 {
		c.Cycle = max(rest, took/time.Duration(inFlight))
	}
	return c
}

// done returns the number of requests that have ended after t.
func (c *Server) done(t time.Duration) int {
	if c.Hours != nil {
		t = c.Hours.open(t)
	}
	switch {
	case t < c.Took:
		return 0
	case c.Cycle <= 0:
		return c.Before + c.Pages
	}
	return min(c.Before+c.Pages, 1+int((t-c.Took)/c.Cycle))
}

// End returns the time at which the last of n requests ends.
func (c *Server) End(n int) time.Duration {
	if n == 0 {
		return 0
	}
	t := longest
	if float64(c.Cycle)*float64(n)+float64(c.Took) < float64(longest) {
		t = c.Took + time.Duration(n-1)*c.Cycle
	}
	if c.Hours != nil {
		return c.Hours.until(t)
	}
	return t
}

// longest is the longest forecast: about 146 years.
const longest = time.Duration(math.MaxInt64 / 2)

// Timetable has the servers of a crawl. Each is crawled at its own rate, unless workers or PerIP
// limit the requests in flight.
type Timetable struct {
	Servers []Server
	Workers int
	PerIP   int // maximum requests in flight per address; 0 means no limit
}

// pages returns the number of pages that are fetched when each server has been crawled for t.
func (tt *Timetable) pages(t time.Duration) int {
	n := 0
	for i := range tt.Servers {
		c := &tt.Servers[i]
		n += max(0, c.done(t)-c.Before)
	}
	return n
}

// wall returns the time until each server has been crawled for t, and the bottleneck. The time is
// longer than t if workers or PerIP limit the requests in flight.
func (tt *Timetable) wall(t time.Duration) (time.Duration, plan.Bottleneck) {
	var all float64
	by := make(map[netip.Addr]float64)
	for i := range tt.Servers {
		c := &tt.Servers[i]
		work := float64(c.done(t)) * float64(c.Took)
		all += work
		if tt.PerIP > 0 && c.Addr.IsValid() {
			by[c.Addr] += work
		}
	}
	long, why := float64(t), plan.BottleneckHost
	if w := all / float64(tt.Workers); w > long {
		long, why = w, plan.BottleneckConcurrency
	}
	for _, work := range by {
		if w := work / float64(tt.PerIP); w > long {
			long, why = w, plan.BottleneckPerIP
		}
	}
	return time.Duration(min(long, float64(longest))), why
}

// Forecast is the forecast of a crawl: its pages and duration until everything is fetched or a
// limit is reached, and its bottleneck.
type Forecast struct {
	Limit    plan.End // the limit that ends the crawl; empty if none
	Pages    int
	Duration time.Duration
	Bound    plan.Bottleneck
	Slowest  string // the server that is the bottleneck; empty if none
}

// Forecast returns the forecast until everything is fetched or the first limit is reached.
func (tt *Timetable) Forecast(maxPages int, maxTime time.Duration) Forecast {
	var f Forecast
	var at time.Duration
	for i := range tt.Servers {
		c := &tt.Servers[i]
		if end := c.End(c.Before + c.Pages); end > at {
			at, f.Slowest = end, c.Name
		}
	}
	f.Pages = tt.pages(at)
	if maxPages > 0 && f.Pages > maxPages {
		at = first(at, func(t time.Duration) bool { return tt.pages(t) >= maxPages })
		f.Limit, f.Pages = plan.MaxPages, maxPages
	}
	if f.Duration, f.Bound = tt.wall(at); maxTime > 0 && f.Duration > maxTime {
		at = first(at, func(t time.Duration) bool { w, _ := tt.wall(t); return w > maxTime })
		f.Limit, f.Duration = plan.MaxTime, maxTime
		f.Pages = tt.pages(at - 1)
	}
	if f.Bound != plan.BottleneckHost || f.Limit != "" {
		f.Slowest = ""
	}
	return f
}

// first returns the first time up to most at which ok is true. ok must be true from then on.
func first(most time.Duration, ok func(time.Duration) bool) time.Duration {
	low, high := time.Duration(-1), most // ok holds at high, not at low
	for high-low > 1 {
		if mid := low + (high-low)/2; ok(mid) {
			high = mid
		} else {
			low = mid
		}
	}
	return high
}
