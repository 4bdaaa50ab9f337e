package frontier

import (
	"bytes"
	"context"
	"fmt"
	"hash/maphash"
	"sync"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier/internal/seen"
)

const defaultLeaseTime = 10 * time.Minute

// Options are the settings of a Memory.
type Options struct {
	// Delay and MaxInFlight are those of a host until UpdateHost changes
	// them. 0: no delay, and 1 in flight.
	Delay       time.Duration
	MaxInFlight int
	// LeaseTime is the length of a lease whose request leaves it open, and of
	// a hold. 0: 10 minutes.
	LeaseTime time.Duration
}

// A Memory is a Frontier that lives in memory and ends with the process. The
// package comment says what it costs. It starts no goroutine; a timer runs
// while a call waits.
//
// URLs that were seen are kept as 64-bit hashes under a secret random seed:
// among ten million URLs the chance that two share one, so that the second is
// taken as seen, is 3 in a million, and nobody can choose such URLs.
type Memory struct {
	opts Options
	seed maphash.Seed
	base time.Time        // instant 0
	wall func() time.Time // what callers' times are compared with
	done chan struct{}    // closed by Close

	mu      sync.Mutex // guards what follows, and all that it leads to
	closed  bool
	seen    seen.Set
	hosts   map[Host]*host
	due     heap[*host]  // those with a pending URL and a free slot
	held    heap[*host]  // those that a Hold waits for, with a free slot
	sleep   heap[*entry] // those that are scheduled
	expiry  heap[*lease] // those that are open
	leases  map[LeaseID]*lease
	counts  Counts
	crowd   int    // hosts that URLs were added for
	tokens  uint64 // the last lease's
	seq     uint64 // the last entry's
	turns   uint64 // the last host's
	waiters waitList
	holding int         // Holds that wait
	timer   *time.Timer // runs tick when the first waiter may be served
	armed   instant     // for when it is set
}

var _ Frontier = (*Memory)(nil)

// NewMemory returns an empty Memory. Nil options are the defaults.
func NewMemory(opts *Options) *Memory {
	m := &Memory{
		seed:   maphash.MakeSeed(),
		base:   time.Now(),
		wall:   time.Now,
		done:   make(chan struct{}),
		hosts:  make(map[Host]*host),
		leases: make(map[LeaseID]*lease),
		armed:  never,
	}
	if opts != nil {
		m.opts = *opts
	}
	m.opts.Delay = max(m.opts.Delay, 0)
	m.opts.MaxInFlight = max(m.opts.MaxInFlight, 1)
	if m.opts.LeaseTime <= 0 {
		m.opts.LeaseTime = defaultLeaseTime
	}
	return m
}

// enter takes the lock and brings the store up to the present, which it
// returns. On an error the lock is not held.
func (m *Memory) enter(ctx context.Context) (now instant, err error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	m.mu.Lock()
	if m.closed {
		m.mu.Unlock()
		return 0, ErrClosed
	}
	return m.advance(), nil
}

// leave serves those that wait from what has become free, and gives the lock
// back.
func (m *Memory) leave(now instant) {
	m.serve(now)
	m.mu.Unlock()
}

// Add implements Frontier.
func (m *Memory) Add(ctx context.Context, items []Item) ([]bool, error) {
	hosts, err := hostsOf(items)
	if err != nil {
		return nil, err
	}
	now, err := m.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer m.leave(now)
	added := make([]bool, len(items))
	for i := range items {
		added[i] = m.add(&items[i], hosts[i], now)
	}
	return added, nil
}

// Known implements Frontier.
func (m *Memory) Known(ctx context.Context, urls []string) ([]bool, error) {
	now, err := m.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer m.leave(now)
	known := make([]bool, len(urls))
	for i, url := range urls {
		known[i] = m.seen.Has(maphash.String(m.seed, url))
	}
	return known, nil
}

// hostsOf returns the host of each item.
func hostsOf(items []Item) ([]Host, error) {
	hosts := make([]Host, len(items))
	for i := range items {
		var err error
		if hosts[i], err = items[i].host(); err != nil {
			return nil, fmt.Errorf("item %d: %w", i, err)
		}
	}
	return hosts, nil
}

func (m *Memory) add(it *Item, name Host, now instant) bool {
	if !m.seen.Add(maphash.String(m.seed, it.URL)) {
		return false
	}
	h := m.host(name)
	if h.counts.Added == 0 {
		m.crowd++
	}
	h.counts.Added++
	m.counts.Added++
	path := split(it.URL, name)
	if ready := m.instant(it.NotBefore, now); ready > now {
		m.seq++
		m.putBack(&entry{
			host: h, path: path, meta: bytes.Clone(it.Meta),
			priority: it.Priority, seq: m.seq, ready: ready,
		}, now)
		return true
	}
	h.push(it.Priority, path, it.Meta)
	h.counts.Pending++
	m.counts.Pending++
	m.place(h, now)
	return true
}

// host returns the host of that name, new where it is not known.
func (m *Memory) host(name Host) *host {
	h := m.hosts[name]
	if h == nil {
		h = &host{name: name, delay: m.opts.Delay, limit: m.opts.MaxInFlight, index: -1}
		m.hosts[name] = h
	}
	return h
}

// putBack queues e for its time or, when that has come, for its turn.
func (m *Memory) putBack(e *entry, now instant) {
	h := e.host
	if e.ready > now {
		m.sleep.push(e)
		h.counts.Scheduled++
		m.counts.Scheduled++
		return
	}
	e.ready = 0
	h.back.push(e)
	h.counts.Pending++
	m.counts.Pending++
	m.place(h, now)
}

// place puts h into the heap in which it belongs now, if any. There the time
// counts at which h became due, or else came in: a host that was leased from, or
// that is new, stands behind all that are due by then.
func (m *Memory) place(h *host, now instant) {
	var in *heap[*host]
	switch {
	case len(h.flights) >= h.limit:
	case len(h.holds) > 0:
		in = &m.held
	case h.counts.Pending > 0:
		in = &m.due
	}
	if in != nil && h.in == nil {
		m.turns++
		h.since, h.turn = now, m.turns
	}
	key := max(h.due(), h.since)
	if in == h.in && key == h.key {
		return
	}
	if h.in != nil {
		h.in.remove(h.index)
	}
	h.in, h.key = in, key
	if in != nil {
		in.push(h)
	}
}

// advance ends what has expired and wakes what was scheduled, and returns the
// present.
func (m *Memory) advance() instant {
	now := time.Since(m.base)
	for {
		l, ok := m.expiry.top()
		if !ok || l.expires > now {
			break
		}
		l.host.requested(l, l.expires, 0) // for all we know
		m.end(l, now)
		if l.entry != nil {
			m.putBack(l.entry, now)
		}
	}
	for {
		e, ok := m.sleep.top()
		if !ok || e.ready > now {
			break
		}
		m.sleep.remove(0)
		e.host.counts.Scheduled--
		m.counts.Scheduled--
		m.putBack(e, now)
	}
	return now
}

// Host implements Frontier.
func (m *Memory) Host(ctx context.Context, name Host) (HostRecord, error) {
	now, err := m.enter(ctx)
	if err != nil {
		return HostRecord{}, err
	}
	defer m.leave(now)
	h := m.hosts[name]
	if h == nil {
		return HostRecord{Host: name, Delay: m.opts.Delay, MaxInFlight: m.opts.MaxInFlight}, nil
	}
	return HostRecord{
		Host:         name,
		Delay:        h.delay,
		MaxInFlight:  h.limit,
		BlockedUntil: m.ahead(h.blocked, now),
		Due:          m.ahead(h.due(), now),
		Robots:       h.robots.clone(),
		Counts:       h.counts,
	}, nil
}

// UpdateHost implements Frontier.
func (m *Memory) UpdateHost(ctx context.Context, name Host, u HostUpdate) error {
	if name == "" {
		return fmt.Errorf("%w: no host", ErrInvalid)
	}
	now, err := m.enter(ctx)
	if err != nil {
		return err
	}
	defer m.leave(now)
	h := m.host(name)
	if u.Delay != nil {
		h.delay = max(*u.Delay, 0)
	}
	if u.MaxInFlight > 0 {
		h.limit = u.MaxInFlight
	}
	if u.Robots != nil {
		h.robots = u.Robots.clone()
	}
	h.blocked = max(h.blocked, m.instant(u.BlockUntil, now))
	m.place(h, now)
	return nil
}

// Stats implements Frontier.
func (m *Memory) Stats(ctx context.Context) (Stats, error) {
	now, err := m.enter(ctx)
	if err != nil {
		return Stats{}, err
	}
	defer m.leave(now)
	s := Stats{Counts: m.counts, Hosts: m.crowd}
	if next := min(firstKey(m.due), firstKey(m.held), m.firstReady()); next < never {
		s.NextDue = m.time(next, now)
	}
	return s, nil
}

// Close implements Frontier.
func (m *Memory) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.closed {
		m.closed = true
		close(m.done)
		if m.timer != nil {
			m.timer.Stop()
		}
	}
	return nil
}

// instant returns the point on m's clock that t names. It is fixed from here
// on, whatever becomes of the wall clock.
func (m *Memory) instant(t time.Time, now instant) instant {
	if t.IsZero() {
		return 0
	}
	return later(now, t.Sub(m.wall()))
}

// time is the reverse of instant.
func (m *Memory) time(i, now instant) time.Time { return m.wall().Add(i - now) }

// ahead is time for what lies ahead, and zero for what has passed.
func (m *Memory) ahead(i, now instant) time.Time {
	if i <= now {
		return time.Time{}
	}
	return m.time(i, now)
}
