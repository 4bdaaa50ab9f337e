package logstore

import (
	"bytes"
	"context"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

// Finish implements frontier.Frontier.
func (s *Store) Finish(ctx context.Context, outcomes []frontier.Outcome, note []byte) (_ []error, err error) {
	defer s.noteFailure(&err)
	hosts, errs, err := frontier.CheckFinish(outcomes, note)
	if err != nil {
		return nil, err
	}
	links := make([][]discovery, len(outcomes))
	for i := range outcomes {
		if errs[i] != nil {
			continue
		}
		if len(hosts[i]) <= maxAdded {
			links[i] = s.discover(outcomes[i].Links, hosts[i])
		} else if _, err := s.addAll(ctx, outcomes[i].Links, hosts[i]); err != nil {
			return nil, err
		}
	}
	now, err := s.sched.Enter(ctx)
	if err != nil {
		return nil, err
	}
	r := newRequest()
	for i := range outcomes {
		if errs[i] != nil {
			continue
		}
		if _, err = s.add(r, links[i], now); err != nil {
			break
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
	if err := s.submit(r, now, err); err != nil {
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

// finish adds the end of a lease to a request. The slot stays occupied until it is written.
func (s *Store) finish(r *request, slot *slot, o *frontier.Outcome, now instant) {
	s.sched.Detach(slot)
	s.queue.end(slot.Entry)
	e, h := slot.Entry, slot.Host.Owner
	if o.HostDelay > 0 {
		h.Requested(slot, now, o.HostDelay)
		if s.mustPersist(h, o.HostDelay) {
			r.changes = append(r.changes, s.recordChange(h, now))
		}
	}
	c := &urlChange{host: h, hash: urlHash(&s.seed, e.url.key), url: e.url, slot: slot, was: e.size}
	c.by.InFlight = -1
	c.url.attempts, c.url.seq, c.url.ready = 0, 0, 0
	if o.Validators != nil {
		c.url.validators = o.Validators.Clone()
	}
	h.pins++
	r.changes = append(r.changes, c)
	switch {
	case o.Result == frontier.Drop:
		c.url.state, c.by.Dropped = Dropped, 1
		return
	case o.Result == frontier.Done && o.NotBefore.IsZero():
		c.url.state, c.by.Done = Done, 1
		return
	case o.Result == frontier.Retry:
		c.url.attempts = int(e.Attempts)
	case o.Result == frontier.Defer:
		c.url.attempts = int(e.Attempts) - 1
	}
	c.url.seq = e.Seq
	s.schedule(c, s.sched.Instant(o.NotBefore), now)
}

// A noteChange replaces the note.
type noteChange struct{ note []byte }

func (c *noteChange) append(body []byte) []byte { return append(append(body, kindNote), c.note...) }

func (c *noteChange) apply(s *Store, _ int64, _ int, _ instant) { s.note = c.note }
