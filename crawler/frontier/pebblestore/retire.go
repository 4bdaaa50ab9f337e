package pebblestore

import (
	"context"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

// ensureHosts loads hosts into memory, and creates unknown ones. It is called with the lock, and
// releases it while it reads. After an error the lock is not held.
func (s *Store) ensureHosts(names []frontier.Host, now instant) (instant, error) {
	missing := 0
	for _, name := range names {
		if s.hosts[name] == nil {
			missing++
		}
	}
	if missing == 0 {
		return now, nil
	}
	absent := make([]frontier.Host, 0, missing)
	for _, name := range names {
		s.loading[name]++ // keeps the host in memory meanwhile
		if s.hosts[name] == nil {
			absent = append(absent, name)
		}
	}
	s.readers.Add(1)
	s.sched.Exit(now)
	found := make([]storedHost, len(absent))
	var err error
	for i, name := range absent {
		if found[i], err = s.readHost(name); err != nil {
			break
		}
	}
	s.readers.Done()
	if err != nil {
		return 0, err // the store has failed
	}
	if now, err = s.sched.Enter(context.Background()); err != nil {
		return 0, err
	}
	for _, name := range names {
		if s.loading[name]--; s.loading[name] == 0 {
			delete(s.loading, name)
		}
	}
	for i, name := range absent {
		switch f := found[i]; {
		case s.hosts[name] != nil: // a concurrent call loaded it
		case f.record != nil:
			s.register(s.restoreHost(f.id, f.record))
		default:
			s.lastID++
			h := s.newHost(name, s.lastID)
			h.noRobots = true
			s.register(h)
		}
	}
	return now, nil
}

// A storedHost is a host in the database.
type storedHost struct {
	id     hostID
	record *hostRecord // nil if the host is unknown
}

func (s *Store) readHost(name frontier.Host) (h storedHost, err error) {
	if h.id, err = s.db.idOf(name); err != nil || h.id == 0 {
		return h, err
	}
	h.record, err = s.db.host(h.id)
	return h, err
}

// An idleHost is a host that may be dropped from memory.
type idleHost struct {
	host *host
	at   instant // earliest time
}

// Before is for package heap.
func (i *idleHost) Before(j *idleHost) bool { return i.at < j.at }

// Placed is for package heap.
func (i *idleHost) Placed(int) {}

// markIdle plans to drop h from memory once its clock allows a request. Then the stored record is
// complete.
func (s *Store) markIdle(h *host) {
	if !h.retiring {
		h.retiring = true
		s.idle.Push(&idleHost{h, h.Due()})
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
		case h.pins > 0 || !h.Idle() || h.counts.Pending > 0 || s.loading[h.name] > 0:
			// It will be idle again.
		case h.Due() > now:
			s.markIdle(h)
		case h.changed:
			s.background(s.recordChange(h, now)) // its apply calls markIdle again
		default:
			delete(s.hosts, h.name)
			delete(s.byID, h.id)
		}
	}
}

// A recordChange writes the record of a host.
type recordChange struct {
	host  *host
	name  bool // also writes its name
	value []byte
}

// recordChange returns the change that writes the current record of h.
func (s *Store) recordChange(h *host, now instant) *recordChange {
	c := &recordChange{host: h, name: !h.named, value: appendHost(nil, s.record(h, now))}
	h.named, h.changed = true, false
	h.pins++
	return c
}

func (c *recordChange) write(b *batch) {
	b.key = idKey(b.key, kindHost, c.host.id)
	b.put(b.key, c.value)
	if c.name {
		b.val = append(b.val[:0], b.key[1:]...)
		b.key = nameKey(b.key, string(c.host.name))
		b.put(b.key, b.val)
	}
}

func (c *recordChange) apply(s *Store, now instant) {
	c.host.pins--
	s.sched.Place(&c.host.Host, now)
}

// mustPersist reports whether the delay of a request must be written to survive a restart. After
// one, hosts wait their own delay anyway.
func (s *Store) mustPersist(h *host, delay time.Duration) bool {
	return delay > h.Delay && delay >= time.Millisecond
}
