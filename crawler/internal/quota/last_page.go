package quota

import (
	"context"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

// Take takes a page of a host from the limits. Where processes share a crawl, the last
// page of a host may be in flight in another, and come to nothing.
func (l *Pages) Take(ctx context.Context, f frontier.Frontier, host frontier.Host) (Share, error) {
	s, err := l.take(ctx, host)
	switch {
	case err != nil:
		return s, err
	case s == hostTaken:
		return l.takeLast(ctx, f, host)
	case s == Granted && l.isNarrowed(host): // its limit was raised, or a page given back
		err = l.setNarrow(ctx, f, host, false)
	}
	return s, err
}

// takeLast takes a page of a host of which other processes have taken the last. As long as
// one may be in flight there, the host is handed out to one at a time: so it waits for that
// page, and who gets it then knows that there is no other.
func (l *Pages) takeLast(ctx context.Context, f frontier.Frontier, host frontier.Host) (Share, error) {
	rec, err := f.Host(ctx, host)
	if err != nil {
		return busy, err
	}
	if rec.MaxInFlight > 1 || rec.Leased > 1 {
		return busy, l.setNarrow(ctx, f, host, true)
	}
	s, err := l.takeExclusive(ctx, host)
	if s == HostSpent && err == nil { // there is nothing to wait for any more
		err = l.setNarrow(ctx, f, host, false)
	}
	return s, err
}

// setNarrow has a host handed out to one at a time, or to as many as the crawl says.
func (l *Pages) setNarrow(ctx context.Context, f frontier.Frontier, host frontier.Host, narrow bool) error {
	l.mu.Lock()
	l.host(host).narrowed = narrow
	l.mu.Unlock()
	most := l.maxInFlight
	if narrow {
		most = 1
	}
	return f.UpdateHost(ctx, host, frontier.HostUpdate{MaxInFlight: most})
}

func (l *Pages) isNarrowed(h frontier.Host) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.host(h).narrowed
}

// takeExclusive is take while no other process has a page of the host in flight: what has been
// taken then is given back by nobody.
func (l *Pages) takeExclusive(ctx context.Context, h frontier.Host) (Share, error) {
	l.mu.Lock()
	l.host(h).exhausted = false
	l.mu.Unlock()
	s, err := l.take(ctx, h)
	l.mu.Lock()
	defer l.mu.Unlock()
	if host := l.host(h); s == hostTaken && host.exhausted {
		host.final, s = true, HostSpent
	}
	return s, err
}
