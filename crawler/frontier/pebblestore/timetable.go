package pebblestore

import (
	"context"
	"math"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/internal/schedule"
)

// Scheduled entries are only in the database, by time. The store keeps the time of the next one
// in memory. The committer moves entries that are due to the queues of their hosts.

const (
	never    = math.MaxInt64 // in milliseconds
	maxMoves = 1000          // maximum number of entries that a round moves
)

// nextDue returns the time of the next scheduled URL.
func (s *Store) nextDue() instant {
	if s.waking || s.next == never {
		return schedule.Never
	}
	return s.instant(s.next)
}

// wake is called when the time of nextDue has come.
func (s *Store) wake(now instant) {
	s.retire(now)
	if s.nextDue() <= now {
		s.waking = true
		s.queue.wakeUp(due{s.next, s.base + int64(now/time.Millisecond)})
		s.next = never // later additions lower it again
	}
}

// A wakeChange moves entries that are due to the queues of their hosts.
type wakeChange struct {
	entries []*entry
	times   []int64
	next    int64                  // time of the first entry that stays
	hosts   map[hostID]*host       // hosts in memory
	records map[hostID]*hostRecord // other hosts
}

// readDue reads the entries that are due.
func (s *Store) readDue(d due) (*wakeChange, error) {
	c := &wakeChange{next: never, hosts: make(map[hostID]*host), records: make(map[hostID]*hostRecord)}
	err := s.db.scan(timeKey(nil, d.from, 0), []byte{kindTime + 1}, func(key []byte, r *reader) bool {
		ms := millisOf(key)
		if ms > d.to || len(c.entries) == maxMoves {
			c.next = ms
			return false
		}
		c.entries, c.times = append(c.entries, r.timed(key)), append(c.times, ms)
		return true
	})
	if err == nil {
		err = s.db.validators(c.entries...)
	}
	if err == nil {
		err = s.findHosts(c)
	}
	return c, err
}

// findHosts finds the hosts of the entries of c.
func (s *Store) findHosts(c *wakeChange) error {
	now, err := s.sched.Enter(context.Background())
	if err != nil {
		return nil //nolint:nilerr // the store is closed and will not apply c
	}
	for _, e := range c.entries {
		if h := s.byID[e.id]; h != nil && c.hosts[e.id] == nil {
			h.pins++
			c.hosts[e.id] = h
		}
	}
	s.sched.Exit(now)
	for _, e := range c.entries {
		if c.hosts[e.id] != nil || c.records[e.id] != nil {
			continue
		}
		if c.records[e.id], err = s.db.host(e.id); err != nil {
			return err
		}
	}
	return nil
}

func (c *wakeChange) write(b *batch) {
	for i, e := range c.entries {
		b.key = timeKey(b.key, c.times[i], e.seq)
		b.remove(b.key)
		b.putEntry(e)
	}
}

func (c *wakeChange) apply(s *Store, now instant) {
	s.waking = false
	s.reads++
	s.next = min(s.next, c.next)
	for _, h := range c.hosts {
		h.pins--
	}
	for _, e := range c.entries {
		h := s.byID[e.id]
		if h == nil {
			// The record is current: a change of the host would have been written after
			// this one.
			h = s.restoreHost(e.id, c.records[e.id])
			s.register(h)
		}
		s.count(h, frontier.Counts{Scheduled: -1, Pending: 1})
		s.insert(h, e, false)
		s.sched.Place(&h.Host, now)
	}
}
