// Package quota enforces the limits of a crawl on pages, bytes, hosts, sitemaps and concurrent requests.
package quota

import (
	"context"
	"sync"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/plan"
)

// Pages enforces the limits on pages and bytes of a crawl, and on pages of each host. It is
// safe for concurrent use.
//
// A process takes pages from counters, some at a time, before it grants them: other processes of
// the same crawl take from the same counters. A process that dies with unused pages returns them
// when it is resumed. Bytes are known only afterwards, from other processes with a delay.
type Pages struct {
	counters    Counters
	maxInFlight int  // requests to one host, at the most
	block       int  // how many pages are taken from a counter at a time
	fixed       bool // the limits do not change while the crawl runs

	refilling sync.Mutex // held while a counter is changed, and what is drawn with it

	mu       sync.Mutex // guards all below
	perHost  int        // pages; 0 means no limit
	all      *budget
	hosts    map[frontier.Host]*budget // where there is a limit for each
	maxBytes int64                     // 0 means no limit
	bytes    int64                     // of this process
	changes  int                       // how often limits were
}

// Limits are the limits of a crawl. Zero means no limit.
type Limits struct {
	MaxPages     int
	MaxHostPages int
	MaxBytes     int64

	Workers     int // of this process
	MaxInFlight int // requests to one host
}

// NewPages returns the limits of a crawl whose processes share counters. Nil means that this is the
// only process, and its limits never change.
func NewPages(opts Limits, of Counters) *Pages {
	l := &Pages{
		counters: of, perHost: opts.MaxHostPages, all: &budget{limit: opts.MaxPages}, maxBytes: opts.MaxBytes,
		hosts: make(map[frontier.Host]*budget), block: max(opts.Workers/2, 1), maxInFlight: opts.MaxInFlight,
	}
	if of == nil {
		l.counters, l.fixed = make(LocalCounters), true
	}
	return l
}

// LimitsHosts reports whether the pages of each host are limited.
func (l *Pages) LimitsHosts() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.perHost > 0
}

// A Share is the response to a request for a page.
type Share int

// The shares.
const (
	Granted    Share = iota // Done must be called
	busy                    // the last ones are in flight, and one may be given back
	CrawlSpent              // the crawl has fetched all that it may; see Exceeded
	HostSpent               // for the host
	hostTaken               // as HostSpent, but other processes may give pages back; see takeLast
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

// takeLast takes a page of a host if another process has taken the last one. While that page may be
// in flight, the host is leased to one worker at a time. The next lease then comes after that page,
// and its result is known.
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

// take reserves one page of a host. The error comes from the counters.
func (l *Pages) take(ctx context.Context, h frontier.Host) (Share, error) {
	for {
		s, short := l.tryTake(h)
		switch {
		case short != nil:
		case s == busy || s == CrawlSpent: // after the host's was drawn, maybe
			return s, l.giveBack(ctx, h)
		default:
			return s, nil
		}
		if err := l.refill(ctx, h, short); err != nil {
			return s, err
		}
	}
}

// tryTake is take, unless a budget has to draw first, which is returned then.
func (l *Pages) tryTake(h frontier.Host) (s Share, short *budget) {
	l.mu.Lock()
	defer l.mu.Unlock()
	host := l.host(h)
	switch {
	case l.end() != "":
		return CrawlSpent, nil
	case host.spent() && host.fetched < host.limit && !host.final:
		return hostTaken, nil
	case host.spent():
		return HostSpent, nil
	}
	for _, b := range []*budget{host, l.all} {
		switch {
		case !b.empty():
		case !b.exhausted:
			return busy, b
		default:
			return busy, nil
		}
	}
	l.all.take()
	host.take()
	return Granted, nil
}

// refill takes pages from a counter for an empty budget.
func (l *Pages) refill(ctx context.Context, h frontier.Host, b *budget) error {
	l.refilling.Lock()
	defer l.refilling.Unlock()
	l.mu.Lock()
	counter, n, most := PageCounter, l.block, l.all.limit
	if b != l.all {
		counter, n, most = HostCounter+string(h), 1, l.perHost
	}
	enough := !b.empty() || b.exhausted // another worker has refilled it
	changes := l.changes
	l.mu.Unlock()
	if enough {
		return nil
	}
	got, err := l.counters.Take(ctx, counter, int64(n), int64(most))
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	b.taken += int(got)
	b.exhausted = got == 0 && changes == l.changes // otherwise the limit has changed meanwhile
	return nil
}

// Done ends the request for a page that Take granted: whether it was fetched, and of how many
// bytes. The error comes from the counters.
func (l *Pages) Done(ctx context.Context, h frontier.Host, fetched bool, bytes int) error {
	l.mu.Lock()
	l.all.done(fetched)
	l.host(h).done(fetched)
	l.bytes += int64(bytes)
	l.mu.Unlock()
	if fetched {
		return nil
	}
	return l.giveBack(ctx, h)
}

// giveBack returns an unused page of a host to the counter: the next request to the host
// may be another process's.
func (l *Pages) giveBack(ctx context.Context, h frontier.Host) error {
	l.refilling.Lock()
	defer l.refilling.Unlock()
	l.mu.Lock()
	host, most := l.host(h), l.perHost
	back := host.limit > 0 && host.taken > host.fetched+host.inFlight
	if back {
		host.taken--
		host.exhausted = false // or of this one
	}
	l.mu.Unlock()
	if !back {
		return nil
	}
	_, err := l.counters.Take(ctx, HostCounter+string(h), -1, int64(most))
	return err
}

// Exceeded returns the limit that ends the crawl, or "" if none does.
func (l *Pages) Exceeded() plan.End {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.end()
}

func (l *Pages) end() plan.End {
	switch {
	case l.all.spent():
		return plan.MaxPages
	case l.maxBytes > 0 && l.bytes+l.counters.BytesElsewhere() >= l.maxBytes:
		return plan.MaxBytes
	}
	return ""
}

// Count counts a page that an earlier process fetched.
func (l *Pages) Count(h frontier.Host, bytes int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, b := range []*budget{l.all, l.host(h)} {
		b.fetched++
		b.taken++
	}
	l.bytes += int64(bytes)
}

// CountBytes counts the bytes of a check.
func (l *Pages) CountBytes(bytes int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.bytes += int64(bytes)
}

// SyncCounters sets the counters to what this process has of them. After a kill they may be higher,
// and without a limit they were not updated. Over says that this process grants no more pages: it
// keeps those fetched or in flight.
func (l *Pages) SyncCounters(ctx context.Context, over bool) error {
	l.refilling.Lock()
	defer l.refilling.Unlock()
	return l.counters.Set(ctx, l.taken(over))
}

// taken returns how much of each counter this process has; see SyncCounters.
func (l *Pages) taken(over bool) map[string]int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	taken := make(map[string]int64)
	note := func(counter string, b *budget) {
		if b.limit == 0 {
			return // the counter is not used
		}
		if over {
			b.taken = b.fetched + b.inFlight
		}
		taken[counter] = int64(b.taken)
	}
	note(PageCounter, l.all)
	for h, b := range l.hosts {
		note(HostCounter+string(h), b)
	}
	return taken
}

// Change changes the limits that are not nil. If there was no limit before, the pages of this
// process so far count.
func (l *Pages) Change(pages, perHost *int, bytes *int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	replace(&l.maxBytes, bytes)
	replace(&l.perHost, perHost)
	if pages != nil {
		l.all.change(*pages)
	}
	for _, b := range l.hosts {
		b.change(l.perHost)
	}
	l.changes++
}

func replace[T any](old, value *T) {
	if value != nil {
		*old = *value
	}
}

// host returns the budget of a host. Without a limit, now or later, no host has to be remembered.
func (l *Pages) host(h frontier.Host) *budget {
	if l.perHost == 0 && l.fixed {
		return &budget{}
	}
	b := l.hosts[h]
	if b == nil {
		b = &budget{limit: l.perHost}
		l.hosts[h] = b
	}
	return b
}

// budget is a number of pages. A request without a page returns its share, so that a limit is
// reached exactly.
type budget struct {
	limit    int // 0 if none
	fetched  int
	inFlight int // in flight

	// taken is the number of pages that this process has taken from the counter, fetched ones
	// included. exhausted says that the counter had no more, and final that this cannot change.
	// Until that is known, a narrowed host is leased to one worker at a time.
	taken                      int
	exhausted, final, narrowed bool
}

// change sets another limit.
func (b *budget) change(limit int) {
	if b.limit == 0 {
		b.taken = b.fetched + b.inFlight
	}
	b.limit, b.exhausted, b.final = limit, false, false
}

// empty reports whether there is no page to grant.
func (b *budget) empty() bool { return b.limit > 0 && b.fetched+b.inFlight >= b.taken }

// spent reports whether all pages have been fetched.
func (b *budget) spent() bool {
	return b.empty() && b.inFlight == 0 && (b.exhausted || b.taken >= b.limit)
}

func (b *budget) take() {
	b.inFlight++
	b.taken = max(b.taken, b.fetched+b.inFlight) // without a limit all are
}

func (b *budget) done(fetched bool) {
	b.inFlight--
	if fetched {
		b.fetched++
	}
}
