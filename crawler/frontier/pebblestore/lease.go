package pebblestore

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/internal/schedule"
	"github.com/politecrawl/politecrawl/crawler/frontier/internal/urlpath"
)

// Lease implements frontier.Frontier. It reads and writes nothing, but tells
// the committer of the attempt.
func (s *Store) Lease(ctx context.Context, req frontier.LeaseRequest) (leases []frontier.Lease, err error) {
	defer s.hear(&err)
	give := func(slot *slot, now instant) { leases = append(leases, s.give(slot, now)) }
	for {
		now, err := s.enter(ctx, func() bool { return !s.waking })
		if err != nil {
			return nil, err
		}
		reads := s.reads
		s.sched.Leave(now)
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

// give hands out the next URL of the host that slot is of.
func (s *Store) give(slot *slot, now instant) frontier.Lease {
	h := slot.Host.Owner
	e := h.window.pop()
	e.attempts++
	s.count(h, frontier.Counts{Pending: -1, Leased: 1})
	slot.Entry = e
	s.queue.mark(e)
	s.readAhead(h)
	url := urlpath.Join(string(h.name), e.path)
	e.hash = s.seed.Sum(url)
	return frontier.Lease{
		Item:       frontier.Item{URL: url, Host: h.name, Priority: e.priority, Meta: bytes.Clone(e.meta)},
		ID:         frontier.LeaseID(slot.ID),
		Attempt:    e.attempts,
		Expires:    s.sched.Time(slot.Expires(), now),
		Validators: e.validators.Clone(),
	}
}

// readSince reports whether something was read from the database, since there
// were that many reads, that a caller who found nothing to lease may have
// missed. It waits for what is still to be read.
func (s *Store) readSince(ctx context.Context, reads uint64) (bool, error) {
	now, err := s.enter(ctx, s.settled)
	if err != nil {
		return false, err
	}
	defer s.sched.Leave(now)
	return s.reads != reads, nil
}

// Hold implements frontier.Frontier. It returns when the host is in the store,
// which makes it wait for its delay after a restart.
func (s *Store) Hold(ctx context.Context, name frontier.Host) (release func(delay time.Duration), err error) {
	defer s.hear(&err)
	if name == "" {
		return nil, fmt.Errorf("%w: no host", frontier.ErrInvalid)
	}
	now, err := s.sched.Enter(ctx)
	if err != nil {
		return nil, err
	}
	if now, err = s.summon([]frontier.Host{name}, now); err != nil {
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

// held is told that a hold of h begins, or has set its clock.
func (s *Store) held(h *host, now instant) {
	if !h.named || s.outlives(h, h.Clock-now) {
		s.background(s.recordChange(h, now))
	}
}
