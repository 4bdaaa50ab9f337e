package pebblestore

import (
	"context"
	"fmt"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

// Host implements frontier.Frontier.
func (s *Store) Host(ctx context.Context, name frontier.Host) (_ frontier.HostRecord, err error) {
	defer s.noteFailure(&err)
	now, err := s.enter(ctx, s.allRead)
	if err != nil {
		return frontier.HostRecord{}, err
	}
	s.readers.Add(1)
	defer s.readers.Done()
	var record frontier.HostRecord
	var id hostID // of a host that may have robots.txt records
	if h := s.hosts[name]; h != nil {
		if record = s.publicRecord(h, now); !h.noRobots {
			id = h.id
		}
		s.sched.Exit(now)
	} else {
		s.sched.Exit(now)
		f, err := s.readHost(name)
		if err != nil {
			return frontier.HostRecord{}, err
		}
		h := s.newHost(name, 0)
		if f.record != nil {
			h = s.restoreHost(f.id, f.record)
		}
		id, record = f.id, s.publicRecord(h, now)
	}
	if id != 0 {
		record.Robots, err = s.db.robots(id)
	}
	return record, err
}

// publicRecord returns the HostRecord of h without Robots.
func (s *Store) publicRecord(h *host, now instant) frontier.HostRecord {
	return frontier.HostRecord{
		Host:         h.name,
		Delay:        h.Delay,
		MaxInFlight:  h.Limit,
		BlockedUntil: s.sched.Ahead(h.Blocked, now),
		Due:          s.sched.Ahead(h.Due(), now),
		Counts:       h.counts,
	}
}

// UpdateHost implements frontier.Frontier.
func (s *Store) UpdateHost(ctx context.Context, name frontier.Host, u frontier.HostUpdate) (err error) {
	defer s.noteFailure(&err)
	if name == "" {
		return fmt.Errorf("%w: no host", frontier.ErrInvalid)
	}
	now, err := s.sched.Enter(ctx)
	if err != nil {
		return err
	}
	if now, err = s.ensureHosts([]frontier.Host{name}, now); err != nil {
		return err
	}
	h := s.hosts[name]
	h.Set(u.Delay, u.MaxInFlight, s.sched.Instant(u.BlockUntil))
	s.sched.Place(&h.Host, now)
	r := &request{changes: []change{s.recordChange(h, now)}, done: make(chan struct{})}
	h.noRobots = h.noRobots && len(u.Robots) == 0
	for origin, robots := range u.Robots {
		r.changes = append(r.changes, &robotsChange{h.id, origin, appendRobots(nil, robots)})
	}
	s.queue.push(r)
	s.sched.Exit(now)
	return s.wait(r)
}

// A robotsChange writes the robots.txt record of an origin. It is not kept in memory.
type robotsChange struct {
	id     hostID
	origin string
	value  []byte
}

func (c *robotsChange) write(b *batch) {
	b.key = robotsKey(b.key, c.id, c.origin)
	b.put(b.key, c.value)
}

func (*robotsChange) apply(*Store, instant) {}
