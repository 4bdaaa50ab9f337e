package frontier

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"
)

// A lease is a slot of a host that is taken: by a lease of a URL or, without
// entry, by a hold.
type lease struct {
	id             LeaseID
	host           *host
	entry          *entry
	start, expires instant
	index          int
}

func (l *lease) before(k *lease) bool { return l.expires < k.expires }
func (l *lease) placed(i int)         { l.index = i }

// Lease implements Frontier.
func (m *Memory) Lease(ctx context.Context, req LeaseRequest) ([]Lease, error) {
	req.Max = max(req.Max, 1)
	if req.PerHost <= 0 {
		req.PerHost = req.Max
	}
	if req.For <= 0 {
		req.For = m.opts.LeaseTime
	}
	now, err := m.enter(ctx)
	if err != nil {
		return nil, err
	}
	m.serve(now) // those that came before us
	leases := m.take(req, now)
	if len(leases) > 0 || req.Wait == 0 {
		m.mu.Unlock()
		return leases, nil
	}
	w := &leaseWaiter{req: req, given: make(chan []Lease, 1)}
	m.waiters.push(w)
	m.leave(now)
	return m.await(ctx, w)
}

// take leases what may be leased now, within the limits of req.
func (m *Memory) take(req LeaseRequest, now instant) []Lease {
	var leases []Lease
	var full []*host // those with PerHost leases among these
	for len(leases) < req.Max {
		h, ok := m.due.top()
		if !ok || h.key > now {
			break
		}
		m.due.remove(0)
		h.in = nil
		leases = append(leases, m.lease(h, req.For, now))
		if req.PerHost < req.Max && countHost(leases, h.name) >= req.PerHost {
			full = append(full, h)
		} else {
			m.place(h, now)
		}
	}
	for _, h := range full {
		m.place(h, now)
	}
	return leases
}

func countHost(leases []Lease, h Host) (n int) {
	for i := range leases {
		if leases[i].Host == h {
			n++
		}
	}
	return n
}

// lease hands out the next URL of h, which is in no heap.
func (m *Memory) lease(h *host, length time.Duration, now instant) Lease {
	e := h.pop()
	if e.seq == 0 {
		// First leases of a priority come in the order of discovery, so this
		// numbers them in it without a number for each URL that waits.
		m.seq++
		e.seq = m.seq
	}
	e.attempts++
	h.counts.Pending--
	m.counts.Pending--
	h.counts.Leased++
	m.counts.Leased++
	l := m.open(h, e, length, now)
	return Lease{
		Item:       Item{URL: e.url(), Host: h.name, Priority: e.priority, Meta: bytes.Clone(e.meta)},
		ID:         l.id,
		Attempt:    e.attempts,
		Expires:    m.time(l.expires, now),
		Validators: e.validators.clone(),
	}
}

// open takes a slot of h.
func (m *Memory) open(h *host, e *entry, length time.Duration, now instant) *lease {
	m.tokens++
	l := &lease{
		id:   LeaseID(strconv.FormatUint(m.tokens, 36)),
		host: h, entry: e, start: now, expires: later(now, length),
	}
	m.leases[l.id] = l
	m.expiry.push(l)
	h.flights = append(h.flights, l)
	return l
}

// end gives the slot of l back.
func (m *Memory) end(l *lease, now instant) {
	h := l.host
	delete(m.leases, l.id)
	m.expiry.remove(l.index)
	i := slices.Index(h.flights, l)
	h.flights = slices.Delete(h.flights, i, i+1)
	if len(h.flights) == 0 {
		h.flights = nil
	}
	if l.entry != nil {
		h.counts.Leased--
		m.counts.Leased--
	}
	m.place(h, now)
}

// Finish implements Frontier.
func (m *Memory) Finish(ctx context.Context, outcomes []Outcome) ([]error, error) {
	errs := make([]error, len(outcomes))
	hosts := make([][]Host, len(outcomes))
	for i := range outcomes {
		if o := &outcomes[i]; !o.Result.valid() {
			errs[i] = fmt.Errorf("%w: %v", ErrInvalid, o.Result)
		} else {
			hosts[i], errs[i] = hostsOf(o.Links)
		}
	}
	now, err := m.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer m.leave(now)
	for i := range outcomes {
		if errs[i] != nil {
			continue
		}
		o := &outcomes[i]
		for j := range o.Links {
			m.add(&o.Links[j], hosts[i][j], now)
		}
		if l := m.leases[o.Lease]; l != nil && l.entry != nil {
			m.finish(l, o, now)
		} else {
			errs[i] = ErrLeaseLost
		}
	}
	return errs, nil
}

func (m *Memory) finish(l *lease, o *Outcome, now instant) {
	h, e := l.host, l.entry
	if o.HostDelay > 0 {
		h.requested(l, now, o.HostDelay)
	}
	m.end(l, now)
	if o.Validators != nil {
		e.validators = o.Validators.clone()
	}
	e.ready = m.instant(o.NotBefore, now)
	switch o.Result {
	case Drop:
		h.counts.Dropped++
		m.counts.Dropped++
		return
	case Done:
		if o.NotBefore.IsZero() {
			h.counts.Done++
			m.counts.Done++
			return
		}
		e.attempts = 0
	case Defer:
		e.attempts--
	}
	m.putBack(e, now)
}

// Extend implements Frontier.
func (m *Memory) Extend(ctx context.Context, ids []LeaseID, d time.Duration) error {
	now, err := m.enter(ctx)
	if err != nil {
		return err
	}
	defer m.leave(now)
	var lost []LeaseID
	for _, id := range ids {
		l := m.leases[id]
		if l == nil || l.entry == nil {
			lost = append(lost, id)
			continue
		}
		l.expires = max(l.expires, later(now, d))
		m.expiry.fix(l.index)
	}
	if lost != nil {
		return &LostError{Leases: lost}
	}
	return nil
}
