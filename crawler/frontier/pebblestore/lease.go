package pebblestore

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
	give := func(slot *slot, now instant) { leases = append(leases, s.newLease(slot, now)) }
	for {
		now, err := s.enter(ctx, func() bool { return !s.waking })
		if err != nil {
			return nil, err
		}
		reads := s.reads
		s.sched.Exit(now)
		if err := s.sched.Lease(ctx, schedule.Request(req), give); err != nil {
			return nil, err
		}
		if len(leases) > 0 || req.Wait != 0 {
			return leases, nil
		}
		again, err := s.readSince(ctx, reads)
		if err != nil || !again {
			return nil, err
		}
	}
}

// newLease leases the next URL of the host of slot.
func (s *Store) newLease(slot *slot, now instant) frontier.Lease {
	h := slot.Host.Owner
	e := h.window.pop()
	e.attempts++
	s.count(h, frontier.Counts{Pending: -1, InFlight: 1})
	slot.Entry = e
	s.queue.mark(e)
	s.readAhead(h)
	it := e.item(h.name)
	it.Meta = bytes.Clone(it.Meta)
	e.hash = s.seed.Sum(it.Key().String())
	return frontier.Lease{
		Item:       it,
		ID:         frontier.LeaseID(slot.ID),
		Attempt:    e.attempts,
		Expires:    s.sched.Time(slot.Expires(), now),
		Validators: e.validators.Clone(),
	}
}

// readSince waits until all pending reads are done, and reports whether s.reads is no longer
// reads: then a caller that found nothing to lease must try again.
func (s *Store) readSince(ctx context.Context, reads uint64) (bool, error) {
	now, err := s.enter(ctx, s.allRead)
	if err != nil {
		return false, err
	}
	defer s.sched.Exit(now)
	return s.reads != reads, nil
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
	if now, err = s.ensureHosts([]frontier.Host{name}, now); err != nil {
		return nil, err
	}
	release, err = s.sched.Hold(ctx, &s.hosts[name].Host, now)
	if err == nil {
		err = s.flush()
	}
	if err != nil {
		return nil, err
	}
	return release, nil
}

// onHold is called when a hold of h begins or sets the clock of h.
func (s *Store) onHold(h *host, now instant) {
	if !h.named || s.mustPersist(h, h.Clock-now) {
		s.background(s.recordChange(h, now))
	}
}
