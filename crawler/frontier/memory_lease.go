package frontier

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier/internal/schedule"
)

// Lease implements Frontier.
func (m *Memory) Lease(ctx context.Context, req LeaseRequest) (leases []Lease, err error) {
	err = m.sched.Lease(ctx, schedule.Request(req), func(slot *schedule.Slot[*host, *entry], now schedule.Instant) {
		leases = append(leases, m.lease(slot, now))
	})
	return leases, err
}

// lease leases the next URL of the host of slot.
func (m *Memory) lease(slot *schedule.Slot[*host, *entry], now schedule.Instant) Lease {
	h := slot.Host.Owner
	e := h.pop()
	if e.seq == 0 {
		// First leases of a priority are in the order of discovery. So numbers are needed
		// only from the first lease on.
		m.seq++
		e.seq = m.seq
	}
	it := h.item(e.path, e.priority, e.meta)
	e.hash = m.hash(it.Key())
	if v := m.validators[e.hash]; v != nil { // of the last fetch
		e.validators = v
		delete(m.validators, e.hash)
	}
	e.attempts++
	m.count(h, Counts{Pending: -1, InFlight: 1})
	slot.Entry = e
	return Lease{
		Item:       it,
		ID:         LeaseID(slot.ID),
		Attempt:    e.attempts,
		Expires:    m.sched.Time(slot.Expires(), now),
		Validators: e.validators.Clone(),
	}
}

// Finish implements Frontier.
func (m *Memory) Finish(ctx context.Context, outcomes []Outcome, note []byte) ([]error, error) {
	hosts, errs, err := CheckFinish(outcomes, note)
	if err != nil {
		return nil, err
	}
	now, err := m.sched.Enter(ctx)
	if err != nil {
		return nil, err
	}
	defer m.sched.Exit(now)
	for i := range outcomes {
		if errs[i] != nil {
			continue
		}
		o := &outcomes[i]
		for j := range o.Links {
			m.add(&o.Links[j], hosts[i][j], now)
		}
		if slot := m.sched.Find(string(o.Lease)); slot != nil {
			m.finish(slot, o, now)
		} else {
			errs[i] = ErrLeaseLost
		}
	}
	if note != nil {
		m.note = bytes.Clone(note)
	}
	return errs, nil
}

// Note implements Frontier.
func (m *Memory) Note(ctx context.Context) ([]byte, error) {
	now, err := m.sched.Enter(ctx)
	if err != nil {
		return nil, err
	}
	defer m.sched.Exit(now)
	return bytes.Clone(m.note), nil
}

func (m *Memory) finish(slot *schedule.Slot[*host, *entry], o *Outcome, now schedule.Instant) {
	e := slot.Entry
	h := e.host
	if o.HostDelay > 0 {
		h.Requested(slot, now, o.HostDelay)
	}
	m.count(h, Counts{InFlight: -1})
	m.sched.End(slot, now)
	if o.Validators != nil {
		e.validators = o.Validators.Clone()
	}
	e.ready = m.sched.Instant(o.NotBefore)
	switch o.Result {
	case Drop:
		m.count(h, Counts{Dropped: 1})
		m.markFinished(e, isDropped)
		return
	case Done:
		if o.NotBefore.IsZero() {
			m.count(h, Counts{Done: 1})
			m.markFinished(e, isDone)
			return
		}
		e.attempts = 0
	case Defer:
		e.attempts--
	}
	m.requeue(e, now)
}

// Extend implements Frontier.
func (m *Memory) Extend(ctx context.Context, ids []LeaseID, d time.Duration) error {
	lost, err := schedule.Extend(ctx, m.sched, ids, d)
	if len(lost) > 0 {
		return &LostError{Leases: lost}
	}
	return err
}

// Hold implements Frontier.
func (m *Memory) Hold(ctx context.Context, name Host) (release func(delay time.Duration), err error) {
	if name == "" {
		return nil, fmt.Errorf("%w: no host", ErrInvalid)
	}
	now, err := m.sched.Enter(ctx)
	if err != nil {
		return nil, err
	}
	return m.sched.Hold(ctx, &m.host(name).Host, now)
}
