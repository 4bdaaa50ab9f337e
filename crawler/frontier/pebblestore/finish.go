package pebblestore

import (
	"bytes"
	"context"
	"slices"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/internal/schedule"
	"github.com/politecrawl/politecrawl/crawler/internal/fields"
)

// Finish implements frontier.Frontier.
func (s *Store) Finish(ctx context.Context, outcomes []frontier.Outcome, note []byte) (_ []error, err error) {
	defer s.noteFailure(&err)
	hosts, errs, err := frontier.CheckFinish(outcomes, note)
	if err != nil {
		return nil, err
	}
	all := slices.Concat(hosts...)
	links := make([]*frontier.Item, 0, len(all))
	for i := range outcomes {
		if errs[i] == nil {
			links = pointers(links, outcomes[i].Links)
		}
	}
	err = s.addURLs(ctx, s.newDiscovery(links, all), func(r *request, now instant) {
		for i := range outcomes {
			if errs[i] != nil {
				continue
			}
			if slot := s.sched.Find(string(outcomes[i].Lease)); slot != nil {
				s.finish(r, slot, &outcomes[i], now)
			} else {
				errs[i] = frontier.ErrLeaseLost
			}
		}
		if note != nil {
			r.changes = append(r.changes, &noteChange{bytes.Clone(note)})
		}
	})
	if err != nil {
		return nil, err
	}
	return errs, nil
}

// Note implements frontier.Frontier.
func (s *Store) Note(ctx context.Context) (_ []byte, err error) {
	defer s.noteFailure(&err)
	now, err := s.sched.Enter(ctx)
	if err != nil {
		return nil, err
	}
	defer s.sched.Exit(now)
	return bytes.Clone(s.note), nil
}

// A noteChange replaces the note.
type noteChange struct{ note []byte }

func (c *noteChange) write(b *batch) { b.put(metaKey(metaNote), c.note) }

func (c *noteChange) apply(s *Store, _ instant) { s.note = c.note }

// finish adds the end of a lease to a request. The slot stays occupied until it is written.
func (s *Store) finish(r *request, slot *slot, o *frontier.Outcome, now instant) {
	s.sched.Detach(slot)
	e, h := slot.Entry, slot.Host.Owner
	if o.HostDelay > 0 {
		h.Requested(slot, now, o.HostDelay)
		if s.mustPersist(h, o.HostDelay) {
			r.changes = append(r.changes, s.recordChange(h, now))
		}
	}
	c := &endChange{slot: slot, state: Done, validators: o.Validators, mark: s.queue.unmark(e)}
	r.changes = append(r.changes, c)
	if o.Result == frontier.Drop {
		c.state = Dropped
	}
	next := e.next()
	c.next = next
	if o.Validators != nil {
		next.known, next.validators = true, o.Validators.Clone()
	}
	if o.Result == frontier.Drop || o.Result == frontier.Done && o.NotBefore.IsZero() {
		return
	}
	switch o.Result {
	case frontier.Done:
		next.attempts = 0
	case frontier.Defer:
		next.attempts--
	}
	c.state = Pending
	if ready := s.sched.Instant(o.NotBefore); ready > now {
		c.state, c.ready = Scheduled, s.millis(ready)
	}
}

// next returns a copy of e for the time after its lease.
func (e *entry) next() *entry {
	n := *e
	n.again, n.marked = true, unmarked
	return &n
}

// An endChange ends a lease.
type endChange struct {
	slot       *slot
	next       *entry // after the lease
	state      State
	ready      int64 // for Scheduled
	validators *frontier.Validators
	mark       bool // has an attempt record
}

func (c *endChange) write(b *batch) {
	e := c.slot.Entry
	if c.mark {
		b.removeMark(e)
	}
	if c.validators != nil {
		b.key = hashKey(b.key, kindValidators, e.id, e.hash)
		b.val = fields.AppendValidators(b.val[:0], c.validators)
		b.put(b.key, b.val)
	}
	switch c.state {
	case Pending:
		b.putEntry(c.next)
		return
	case Scheduled:
		b.putTimed(c.next, c.ready)
	case Done, Dropped:
		b.key = hashKey(b.key, kindSeen, e.id, e.hash)
		b.val = appendFinished(b.val[:0], c.state, c.next)
		b.put(b.key, b.val)
	}
	b.removeEntry(e)
}

func (c *endChange) apply(s *Store, now instant) {
	h := c.slot.Host.Owner
	switch c.state {
	case Pending:
		s.count(h, frontier.Counts{InFlight: -1, Pending: 1})
		s.insert(h, c.next, true)
	case Scheduled:
		s.count(h, frontier.Counts{InFlight: -1, Scheduled: 1})
		s.next = min(s.next, c.ready)
	case Done:
		s.count(h, frontier.Counts{InFlight: -1, Done: 1})
	case Dropped:
		s.count(h, frontier.Counts{InFlight: -1, Dropped: 1})
	}
	s.sched.End(c.slot, now)
}

// expired makes the URL of an expired lease pending.
func (s *Store) expired(slot *slot, now instant) {
	h, e := slot.Host.Owner, slot.Entry.next()
	// A copy: e may be leased again before it is written.
	s.background(&returnChange{entry: e.next(), mark: s.queue.unmark(slot.Entry)})
	s.count(h, frontier.Counts{InFlight: -1, Pending: 1})
	s.insert(h, e, true)
	s.sched.Place(&h.Host, now)
}

// A returnChange moves the attempt of an expired lease into the queue record, so that only open
// leases have attempt records.
type returnChange struct {
	entry *entry
	mark  bool // has an attempt record
}

func (c *returnChange) write(b *batch) {
	b.putEntry(c.entry)
	if c.mark {
		b.removeMark(c.entry)
	}
}

func (*returnChange) apply(*Store, instant) {}

// Extend implements frontier.Frontier. It writes nothing: leases end with the process.
func (s *Store) Extend(ctx context.Context, ids []frontier.LeaseID, d time.Duration) (err error) {
	defer s.noteFailure(&err)
	lost, err := schedule.Extend(ctx, s.sched, ids, d)
	if len(lost) > 0 {
		return &frontier.LostError{Leases: lost}
	}
	return err
}
