package crawler

import (
	"context"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

// takePage takes a page of a host from the limits. Where processes share a crawl, the last
// page of a host may be in flight in another, and come to nothing.
func (c *Crawler) takePage(host frontier.Host) (share, error) {
	s, err := c.limits.take(c.books, host)
	switch {
	case err != nil:
		return s, err
	case s == hostTaken:
		return c.takeLast(host)
	case s == granted && c.limits.isNarrowed(host): // its limit was raised, or a page given back
		err = c.setNarrow(host, false)
	}
	return s, err
}

// takeLast takes a page of a host of which other processes have taken the last. As long as
// one may be in flight there, the host is handed out to one at a time: so it waits for that
// page, and who gets it then knows that there is no other.
func (c *Crawler) takeLast(host frontier.Host) (share, error) {
	rec, err := c.frontier.Host(c.books, host)
	if err != nil {
		return crowded, err
	}
	if rec.MaxInFlight > 1 || rec.Leased > 1 {
		return crowded, c.setNarrow(host, true)
	}
	s, err := c.limits.takeAlone(c.books, host)
	if s == hostSpent && err == nil { // there is nothing to wait for any more
		err = c.setNarrow(host, false)
	}
	return s, err
}

// setNarrow has a host handed out to one at a time, or to as many as the crawl says.
func (c *Crawler) setNarrow(host frontier.Host, narrow bool) error {
	most := c.cfg.PerHost
	if narrow {
		most = 1
	}
	c.limits.narrow(host, narrow)
	return c.frontier.UpdateHost(c.books, host, frontier.HostUpdate{MaxInFlight: most})
}

func (l *limits) narrow(h frontier.Host, narrow bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.host(h).narrowed = narrow
}

func (l *limits) isNarrowed(h frontier.Host) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.host(h).narrowed
}

// takeAlone is take while no other process has a page of the host in flight: what has been
// taken then is given back by nobody.
func (l *limits) takeAlone(ctx context.Context, h frontier.Host) (share, error) {
	l.mu.Lock()
	l.host(h).dry = false
	l.mu.Unlock()
	s, err := l.take(ctx, h)
	l.mu.Lock()
	defer l.mu.Unlock()
	if host := l.host(h); s == hostTaken && host.dry {
		host.over, s = true, hostSpent
	}
	return s, err
}
