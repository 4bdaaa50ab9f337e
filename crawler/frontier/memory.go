package frontier

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"hash/maphash"
	"maps"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier/internal/heap"
	"github.com/politecrawl/politecrawl/crawler/frontier/internal/schedule"
	"github.com/politecrawl/politecrawl/crawler/frontier/internal/seen"
	"github.com/politecrawl/politecrawl/crawler/frontier/internal/urlpath"
)

const defaultLeaseTime = 10 * time.Minute

// Options configure a Memory.
type Options struct {
	// Delay and MaxInFlight are the values of a new host, until UpdateHost changes them. The
	// default is no delay, and 1 request in flight.
	Delay       time.Duration
	MaxInFlight int
	// LeaseTime is the duration of holds, and of leases if LeaseRequest.Duration is 0 (default 10
	// minutes).
	LeaseTime time.Duration
}

// A Memory is a Frontier in memory. Its data is lost when the process ends. It starts no
// goroutine; a timer runs while a call waits.
//
// Known URLs are kept as 64-bit hashes with a secret random seed. With ten million URLs the
// chance of one collision, which would skip a new URL as known, is 3 in a million. A site cannot
// construct collisions.
type Memory struct {
	opts Options
	seed maphash.Seed

	sched *schedule.Schedule[*host, *entry] // its lock guards the fields below and the hosts

	seen       seen.Set               // with isDone and isDropped as marks
	validators map[uint64]*Validators // of finished URLs, by hash
	note       []byte
	hosts      map[Host]*host
	scheduled  heap.Heap[*entry] // scheduled URLs
	counts     Counts
	hostCount  int    // number of hosts with URLs
	seq        uint64 // number of the last entry
}

var (
	_ Frontier  = (*Memory)(nil)
	_ Revisiter = (*Memory)(nil)
	_ Lister    = (*Memory)(nil)
)

// NewMemory returns an empty Memory. Nil options are the defaults.
func NewMemory(opts *Options) *Memory {
	m := &Memory{seed: maphash.MakeSeed(), hosts: make(map[Host]*host), validators: make(map[uint64]*Validators)}
	if opts != nil {
		m.opts = *opts
	}
	m.opts.Delay = max(m.opts.Delay, 0)
	m.opts.MaxInFlight = max(m.opts.MaxInFlight, 1)
	m.opts.LeaseTime = cmp.Or(max(m.opts.LeaseTime, 0), defaultLeaseTime)
	m.sched = schedule.New(schedule.Store[*host, *entry]{
		Ready:     func(h *host) bool { return h.counts.Pending > 0 },
		OnExpired: m.expired,
		Wake:      m.wake,
		Next:      m.next,
	}, m.opts.LeaseTime)
	return m
}

// Add implements Frontier.
func (m *Memory) Add(ctx context.Context, items []Item) ([]bool, error) {
	return m.forEach(ctx, items, m.add)
}

// forEach calls do for each item and returns the results.
func (m *Memory) forEach(ctx context.Context, items []Item, do func(*Item, Host, schedule.Instant) bool) ([]bool, error) {
	hosts, err := HostsOf(items)
	if err != nil {
		return nil, err
	}
	now, err := m.sched.Enter(ctx)
	if err != nil {
		return nil, err
	}
	defer m.sched.Exit(now)
	results := make([]bool, len(items))
	for i := range items {
		results[i] = do(&items[i], hosts[i], now)
	}
	return results, nil
}

// Known implements Frontier.
func (m *Memory) Known(ctx context.Context, keys []Key) ([]bool, error) {
	now, err := m.sched.Enter(ctx)
	if err != nil {
		return nil, err
	}
	defer m.sched.Exit(now)
	known := make([]bool, len(keys))
	for i, key := range keys {
		known[i] = m.seen.Has(m.hash(key))
	}
	return known, nil
}

func (m *Memory) hash(k Key) uint64 { return maphash.String(m.seed, k.String()) }

func (m *Memory) add(it *Item, name Host, now schedule.Instant) bool {
	if !m.seen.Add(m.hash(it.Key())) {
		return false
	}
	h := m.host(name)
	if h.counts.URLs == 0 {
		m.hostCount++
	}
	m.count(h, Counts{URLs: 1})
	m.enqueue(h, it, now)
	return true
}

// enqueue queues a new or revisited URL after the waiting URLs of its host.
func (m *Memory) enqueue(h *host, it *Item, now schedule.Instant) {
	path := urlpath.Cut(it.Key().String(), string(h.name))
	if ready := m.sched.Instant(it.NotBefore); ready > now {
		m.seq++
		m.requeue(&entry{
			host: h, path: path, meta: bytes.Clone(it.Meta),
			priority: it.Priority, seq: m.seq, ready: ready,
		}, now)
		return
	}
	h.push(it.Priority, path, it.Meta)
	m.count(h, Counts{Pending: 1})
	m.sched.Place(&h.Host, now)
}

// host returns the host of that name, and creates an unknown one.
func (m *Memory) host(name Host) *host {
	h := m.hosts[name]
	if h == nil {
		h = &host{name: name}
		h.Owner, h.Delay, h.Limit = h, m.opts.Delay, m.opts.MaxInFlight
		m.hosts[name] = h
	}
	return h
}

// count changes the counts of h and of the store.
func (m *Memory) count(h *host, by Counts) {
	h.counts, m.counts = h.counts.Plus(by), m.counts.Plus(by)
}

// requeue makes e scheduled or, if its time has passed, pending.
func (m *Memory) requeue(e *entry, now schedule.Instant) {
	h := e.host
	if e.ready > now {
		m.scheduled.Push(e)
		m.count(h, Counts{Scheduled: 1})
		return
	}
	e.ready = 0
	h.retried.Push(e)
	m.count(h, Counts{Pending: 1})
	m.sched.Place(&h.Host, now)
}

// expired makes the URL of an expired lease pending.
func (m *Memory) expired(slot *schedule.Slot[*host, *entry], now schedule.Instant) {
	m.count(slot.Entry.host, Counts{InFlight: -1})
	m.requeue(slot.Entry, now)
}

// wake makes scheduled URLs pending that are due.
func (m *Memory) wake(now schedule.Instant) {
	for m.next() <= now {
		e := m.scheduled.Remove(0)
		m.count(e.host, Counts{Scheduled: -1})
		m.requeue(e, now)
	}
}

// next returns the time of the next scheduled URL.
func (m *Memory) next() schedule.Instant {
	if e, ok := m.scheduled.Top(); ok {
		return e.ready
	}
	return schedule.Never
}

// Host implements Frontier.
func (m *Memory) Host(ctx context.Context, name Host) (HostRecord, error) {
	now, err := m.sched.Enter(ctx)
	if err != nil {
		return HostRecord{}, err
	}
	defer m.sched.Exit(now)
	h := m.hosts[name]
	if h == nil {
		return HostRecord{Host: name, Delay: m.opts.Delay, MaxInFlight: m.opts.MaxInFlight}, nil
	}
	return HostRecord{
		Host:         name,
		Delay:        h.Delay,
		MaxInFlight:  h.Limit,
		BlockedUntil: m.sched.Ahead(h.Blocked, now),
		Due:          m.sched.Ahead(h.Due(), now),
		Robots:       cloneRobots(h.robots),
		Counts:       h.counts,
	}, nil
}

// UpdateHost implements Frontier.
func (m *Memory) UpdateHost(ctx context.Context, name Host, u HostUpdate) error {
	if name == "" {
		return fmt.Errorf("%w: no host", ErrInvalid)
	}
	now, err := m.sched.Enter(ctx)
	if err != nil {
		return err
	}
	defer m.sched.Exit(now)
	h := m.host(name)
	h.Set(u.Delay, u.MaxInFlight, m.sched.Instant(u.BlockUntil))
	if h.robots == nil {
		h.robots = cloneRobots(u.Robots)
	} else {
		maps.Copy(h.robots, cloneRobots(u.Robots))
	}
	m.sched.Place(&h.Host, now)
	return nil
}

// Stats implements Frontier.
func (m *Memory) Stats(ctx context.Context) (Stats, error) {
	now, err := m.sched.Enter(ctx)
	if err != nil {
		return Stats{}, err
	}
	defer m.sched.Exit(now)
	s := Stats{Counts: m.counts, Hosts: m.hostCount}
	if next := m.sched.NextDue(); next < schedule.Never {
		s.NextDue = m.sched.Time(next, now)
	}
	return s, nil
}

// Close implements Frontier.
func (m *Memory) Close() error {
	m.sched.Close(ErrClosed)
	return nil
}
