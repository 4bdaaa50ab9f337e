package logstore

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/internal/schedule"
)

// known returns a host in memory. It reads the record of another one, and creates an unknown one.
// The error is that of reading.
func (s *Store) known(name frontier.Host) (*host, error) {
	if h := s.hosts[name]; h != nil {
		return h, nil
	}
	h, err := s.loadHost(name)
	if err == nil {
		s.hosts[name] = h
	}
	return h, err
}

// loadHost returns a host that is not in memory, from its record or with default settings.
func (s *Store) loadHost(name frontier.Host) (*host, error) {
	h := s.newHost(name)
	at := s.records.Get(hostHash(&s.seed, name))
	if at == 0 {
		return h, nil
	}
	r, err := s.file.readHost(at)
	if err != nil {
		return nil, err
	}
	s.restore(h, r)
	if h.counts = r.counts; at < s.opened {
		h.waitDelay()
	}
	return h, nil
}

// waitDelay makes a host of an earlier opening wait its delay from this one. A request may have been in
// flight when the process ended.
func (h *host) waitDelay() { h.Clock = max(h.Clock, schedule.Later(0, h.Delay)) }

// Host implements frontier.Frontier.
func (s *Store) Host(ctx context.Context, name frontier.Host) (_ frontier.HostRecord, err error) {
	defer s.noteFailure(&err)
	now, err := s.sched.Enter(ctx)
	if err != nil {
		return frontier.HostRecord{}, err
	}
	h := s.hosts[name]
	if h == nil {
		if h, err = s.loadHost(name); err != nil {
			return frontier.HostRecord{}, s.submit(newRequest(), now, err)
		}
	}
	record := frontier.HostRecord{
		Host:         h.name,
		Delay:        h.Delay,
		MaxInFlight:  h.Limit,
		BlockedUntil: s.sched.Ahead(h.Blocked, now),
		Due:          s.sched.Ahead(h.Due(), now),
		Counts:       h.counts,
	}
	robots := s.robotsOf(name, h.origins)
	s.sched.Exit(now)
	if record.Robots, err = s.file.readRobots(robots); err != nil {
		return frontier.HostRecord{}, s.readFailed(err)
	}
	return record, nil
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
	r := newRequest()
	h, err := s.known(name)
	if err == nil {
		h.Set(u.Delay, u.MaxInFlight, s.sched.Instant(u.BlockUntil))
		s.sched.Place(&h.Host, now)
		for origin, robots := range u.Robots {
			r.changes = append(r.changes, &robotsChange{name, origin, robots})
			if !slices.Contains(h.origins, origin) {
				h.origins = append(slices.Clone(h.origins), origin)
			}
		}
		r.changes = append(r.changes, s.recordChange(h, now))
	}
	return s.submit(r, now, err)
}

// An idleHost is a host that may be dropped from memory.
type idleHost struct {
	host *host
	at   instant // earliest time
}

// Before is for package heap.
func (i idleHost) Before(j idleHost) bool { return i.at < j.at }

// Placed is for package heap.
func (idleHost) Placed(int) {}

// markIdle plans to drop h from memory once its clock allows a request. Then the stored record is
// complete.
func (s *Store) markIdle(h *host) {
	if !h.retiring {
		h.retiring = true
		s.idle.Push(idleHost{h, h.Due()})
	}
}

// retire drops idle hosts from memory. A changed host stays until its record is written.
func (s *Store) retire(now instant) {
	for {
		i, ok := s.idle.Top()
		if !ok || i.at > now {
			return
		}
		s.idle.Remove(0)
		h := i.host
		h.retiring = false
		switch {
		case h.pins > 0 || !h.Idle() || h.counts.Pending > 0:
			// It will be idle again.
		case h.Due() > now:
			s.markIdle(h)
		case h.changed:
			s.background(s.recordChange(h, now)) // its apply calls markIdle again
		default:
			delete(s.hosts, h.name)
		}
	}
}

// A recordChange writes the record of a host.
type recordChange struct {
	host *host
	body []byte
}

// recordChange returns the change that writes the current record of h.
func (s *Store) recordChange(h *host, now instant) *recordChange {
	h.stored, h.changed = true, false
	h.pins++
	return &recordChange{h, encodeHost(s.record(h, now))}
}

func (c *recordChange) append(body []byte) []byte { return append(body, c.body...) }

func (c *recordChange) apply(s *Store, at int64, size int, now instant) {
	s.setRecord(hostHash(&s.seed, c.host.name), at, size)
	c.host.pins--
	s.sched.Place(&c.host.Host, now)
}

// mustPersist reports whether the delay of a request must be written to survive a restart. After
// one, hosts wait their own delay anyway.
func (s *Store) mustPersist(h *host, delay time.Duration) bool {
	return delay > h.Delay && delay >= time.Millisecond
}

// A robotsChange writes the robots.txt record of an origin. It is not kept in memory.
type robotsChange struct {
	host   frontier.Host
	origin string
	robots frontier.Robots
}

func (c *robotsChange) append(body []byte) []byte {
	return appendRobots(body, c.host, c.origin, c.robots)
}

// setRecord notes the record of a host or robots.txt, whose size hardly changes.
func (s *Store) setRecord(hash uint64, at int64, size int) {
	if s.records.Set(hash, at) == 0 {
		s.live += int64(size)
	}
}

func (c *robotsChange) apply(s *Store, at int64, size int, _ instant) {
	s.setRecord(robotsHash(&s.seed, c.host, c.origin), at, size)
}
