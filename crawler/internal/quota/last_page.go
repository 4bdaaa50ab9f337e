package quota

import (
	"context"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

// Take takes a page of a host from the limits. In a shared crawl, the last page of a host
// may be in flight in another process, and may fail.
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

// takeLast takes a page of a host whose last page another process has taken. While that
// page may be in flight, the host is leased to one worker at a time. The next lease then
// comes after that page, and its result is known.
func (l *Pages) takeLast(ctx context.Context, f frontier.Frontier, host frontier.Host) (Share, error) {
	rec, err := f.Host(ctx, host)
	if err != nil {
		return busy, err
	}
	if rec.MaxInFlight > 1 || rec.InFlight > 1 {
		return busy, l.setNarrow(ctx, f, host, true)
	}
	s, err := l.takeExclusive(ctx, host)
	if s == HostSpent && err == nil { // no other page can be returned
		err = l.setNarrow(ctx, f, host, false)
	}
	return s, err
}

// setNarrow leases a host to one worker at a time, or to as many as the crawl allows.
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

// takeExclusive is take while no other process has a page of the host in flight: no page
// can be returned.
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
