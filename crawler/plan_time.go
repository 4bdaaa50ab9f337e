package crawler

import (
	"cmp"
	"math"
	"net/netip"
	"slices"
	"time"
)

// clock is the course of a crawl on one host, as far as it can be foretold: one
// request after the other at the polite rate, those for robots.txt and sitemaps
// first.
type clock struct {
	host   string
	before int           // requests for robots.txt and sitemaps
	pages  int           // to be fetched
	cycle  time.Duration // from the start of a request to that of the next
	took   time.Duration // how long one takes
	addr   netip.Addr    // not valid: it shares no limit
	hours  *hours        // when it may be asked; nil: always
}

// newClock is that of a host that is left alone for rest after each request, or from
// the start of one to that of the next where several may be in flight (ROB-POL-02).
func newClock(rest, took time.Duration, inFlight int) clock {
	c := clock{took: took, cycle: took + rest}
	if inFlight > 1 {
		c.cycle = max(rest, took/time.Duration(inFlight))
	}
	return c
}

// done is how many requests have ended so long after the beginning.
func (c *clock) done(t time.Duration) int {
	if c.hours != nil {
		t = c.hours.open(t)
	}
	switch {
	case t < c.took:
		return 0
	case c.cycle <= 0:
		return c.before + c.pages
	}
	return min(c.before+c.pages, 1+int((t-c.took)/c.cycle))
}

// end is when the last of n requests has ended.
func (c *clock) end(n int) time.Duration {
	if n == 0 {
		return 0
	}
	t := longest64
	if float64(c.cycle)*float64(n)+float64(c.took) < float64(longest64) {
		t = c.took + time.Duration(n-1)*c.cycle
	}
	if c.hours != nil {
		return c.hours.until(t)
	}
	return t
}

// longest64 is a time beyond which nobody plans: some 146 years.
const longest64 = time.Duration(math.MaxInt64 / 2)

// timetable is the course of a crawl on all its hosts, each of which goes by its own
// clock unless workers or addresses are too few.
type timetable struct {
	clocks  []clock
	workers int
	perIP   int // 0: no limit
}

// pages is how many pages all hosts have when each has run for t.
func (tt *timetable) pages(t time.Duration) int {
	n := 0
	for i := range tt.clocks {
		c := &tt.clocks[i]
		n += max(0, c.done(t)-c.before)
	}
	return n
}

// wall is how long it takes until each host has run for t: that long, or longer
// where the requests in flight are too many for the workers or for an address.
func (tt *timetable) wall(t time.Duration) (time.Duration, Bound) {
	var all float64
	by := make(map[netip.Addr]float64)
	for i := range tt.clocks {
		c := &tt.clocks[i]
		work := float64(c.done(t)) * float64(c.took)
		all += work
		if tt.perIP > 0 && c.addr.IsValid() {
			by[c.addr] += work
		}
	}
	long, why := float64(t), BoundHost
	if w := all / float64(tt.workers); w > long {
		long, why = w, BoundWorkers
	}
	for _, work := range by {
		if w := work / float64(tt.perIP); w > long {
			long, why = w, BoundAddress
		}
	}
	return time.Duration(min(long, float64(longest64))), why
}

// forecast is how a crawl goes by a timetable.
type forecast struct {
	end     End
	pages   int
	takes   time.Duration
	bound   Bound
	slowest string
}

// forecast finds the end: when all is fetched or the first limit is reached.
func (tt *timetable) forecast(maxPages int, maxTime time.Duration) forecast {
	f := forecast{end: EndFinished}
	var at time.Duration
	for i := range tt.clocks {
		c := &tt.clocks[i]
		if end := c.end(c.before + c.pages); end > at {
			at, f.slowest = end, c.host
		}
	}
	f.pages = tt.pages(at)
	if maxPages > 0 && f.pages > maxPages {
		at = least(at, func(t time.Duration) bool { return tt.pages(t) >= maxPages })
		f.end, f.pages = EndMaxPages, maxPages
	}
	if f.takes, f.bound = tt.wall(at); maxTime > 0 && f.takes > maxTime {
		at = least(at, func(t time.Duration) bool { w, _ := tt.wall(t); return w > maxTime })
		f.end, f.takes = EndMaxTime, maxTime
		f.pages = tt.pages(at - 1)
	}
	if f.bound != BoundHost || f.end != EndFinished {
		f.slowest = ""
	}
	return f
}

// least is the first time up to most at which ok holds, which does from then on.
func least(most time.Duration, ok func(time.Duration) bool) time.Duration {
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

// byPages sorts the hosts of a plan, those with the most to fetch first.
func byPages(hosts []*PlannedHost) {
	slices.SortFunc(hosts, func(a, b *PlannedHost) int {
		return cmp.Or(b.Pages-a.Pages, b.URLs-a.URLs, cmp.Compare(a.Host, b.Host))
	})
}
