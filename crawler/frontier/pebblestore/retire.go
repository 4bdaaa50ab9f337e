package pebblestore

import (
	"context"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

// summon brings hosts into memory, those that nobody has heard of as new ones.
// It is called with the lock, which it gives back for a while when it has to
// read; on an error it is not held.
func (s *Store) summon(names []frontier.Host, now instant) (instant, error) {
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
		s.loading[name]++ // the others are not to be forgotten in the meantime
		if s.hosts[name] == nil {
			absent = append(absent, name)
		}
	}
	s.readers.Add(1)
	s.sched.Leave(now)
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
		case s.hosts[name] != nil: // somebody else was faster
		case f.record != nil:
			s.enlist(s.revive(f.id, f.record))
		default:
			s.lastID++
			s.enlist(s.newHost(name, s.lastID))
		}
	}
	return now, nil
}

// A storedHost is a host as it lies in the database.
type storedHost struct {
	id     hostID
	record *hostRecord // nil: it is not there
}

func (s *Store) readHost(name frontier.Host) (h storedHost, err error) {
	if h.id, err = s.db.idOf(name); err != nil || h.id == 0 {
		return h, err
	}
	h.record, err = s.db.host(h.id)
	return h, err
}

// An idleHost is a host that may be forgotten.
type idleHost struct {
	host *host
	at   instant // not before
}

// Before is for package heap.
func (i *idleHost) Before(j *idleHost) bool { return i.at < j.at }

// Placed is for package heap.
func (i *idleHost) Placed(int) {}

// idles is told that h may be forgotten as soon as its clock allows a request:
// then the record on disk says all that there is to say.
func (s *Store) idles(h *host) {
	if !h.retiring {
		h.retiring = true
		s.idle.Push(&idleHost{h, h.Due()})
	}
}

// retire forgets hosts, those that have changed when their record is written.
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
			s.idles(h)
		case h.changed:
			s.background(s.recordChange(h, now)) // and comes back here
		default:
			delete(s.hosts, h.name)
			delete(s.byID, h.id)
		}
	}
}

// A recordChange writes the record of a host.
type recordChange struct {
	host  *host
	name  bool // and its name
	value []byte
}

// recordChange returns the change that writes what is known of h now.
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

// outlives reports whether a delay that a request has asked for would be
// forgotten in a restart were the clock not written: from the start on hosts
// wait for their own delay anyway.
func (s *Store) outlives(h *host, delay time.Duration) bool {
	return delay > h.Delay && delay >= time.Millisecond
}
