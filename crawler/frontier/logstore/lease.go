package logstore

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/internal/schedule"
)

// Lease implements frontier.Frontier. It returns before the attempts of
// the leases are stored.
func (s *Store) Lease(ctx context.Context, req frontier.LeaseRequest) (leases []frontier.Lease, err error) {
	defer s.noteFailure(&err)
	var entries []*entry
	err = s.sched.Lease(ctx, schedule.Request(req), func(slot *slot, now instant) {
		e := s.lease(slot)
		entries = append(entries, e)
		leases = append(leases, frontier.Lease{
			ID:      frontier.LeaseID(slot.ID),
			Attempt: int(e.Attempts),
			Expires: s.sched.Time(slot.Expires(), now),
		})
	})
	if err != nil || len(leases) == 0 {
		return nil, err
	}
	switch lead := s.lead(); {
	case lead && s.opts.Durability == Power:
		go s.commitAll() // it takes long
	case lead:
		s.commitOnce()
	}
	for i, e := range entries {
		u, size, err := s.file.readURL(e.At)
		if err != nil {
			return nil, s.readFailed(err)
		}
		e.url, e.size = u, size
		leases[i].Item = u.item()
		leases[i].Meta = bytes.Clone(u.meta)
		leases[i].Validators = u.validators.Clone()
	}
	return leases, nil
}

// lease leases the next URL of the host of slot.
func (s *Store) lease(slot *slot) *entry {
	h := slot.Host.Owner
	e := &entry{returned: h.queue.pop()}
	if e.Seq == 0 {
		// First leases of a priority are in the order of discovery. So numbers are needed only
		// from the first lease on.
		s.seq++
		e.Seq = s.seq
	}
	e.Attempts++
	slot.Entry = e
	s.count(h, frontier.Counts{Pending: -1, InFlight: 1})
	s.queue.attempt(e)
	return e
}

// Extend implements frontier.Frontier. It writes nothing: leases end with the process.
func (s *Store) Extend(ctx context.Context, ids []frontier.LeaseID, d time.Duration) (err error) {
	defer s.noteFailure(&err)
	lost, err := schedule.Extend(ctx, s.sched, ids, d)
	if len(lost) > 0 {
		return &frontier.LostError{Leases: lost}
	}
	return err
}

// expired makes the URL of an expired lease pending.
func (s *Store) expired(slot *slot, now instant) {
	h, e := slot.Host.Owner, slot.Entry
	s.count(h, frontier.Counts{InFlight: -1, Pending: 1})
	h.queue.Again.Push(e.returned)
	s.sched.Place(&h.Host, now)
}

// Hold implements frontier.Frontier. It returns after the host is stored, so that the host waits
// for its delay after a restart.
func (s *Store) Hold(ctx context.Context, name frontier.Host) (release func(delay time.Duration), err error) {
	defer s.noteFailure(&err)
	if name == "" {
		return nil, fmt.Errorf("%w: no host", frontier.ErrInvalid)
	}
	now, err := s.sched.Enter(ctx)
	if err != nil {
		return nil, err
	}
	h, err := s.known(name)
	if err != nil {
		return nil, s.submit(newRequest(), now, err)
	}
	if release, err = s.sched.Hold(ctx, &h.Host, now); err != nil {
		return nil, err
	}
	if err := s.flush(); err != nil {
		return nil, err
	}
	return release, nil
}

// flush waits until what is queued is applied.
func (s *Store) flush() error {
	now, err := s.sched.Enter(context.Background())
	if err != nil {
		return err
	}
	r := newRequest()
	r.joins = true
	return s.submit(r, now, nil)
}

// onHold is called when a hold of h begins or sets the clock of h.
func (s *Store) onHold(h *host, now instant) {
	if !h.stored || s.mustPersist(h, h.Clock-now) {
		s.background(s.recordChange(h, now))
	}
}
