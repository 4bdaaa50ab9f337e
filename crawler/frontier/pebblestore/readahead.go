package pebblestore

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// unread is how many pending URLs of h are in the store and not in its window.
func (h *host) unread() int { return h.counts.Pending - len(h.window.entries) }

// insert takes up a pending URL of h, which has been counted.
func (s *Store) insert(h *host, e *entry, cameBack bool) {
	if h.window.insert(e, h.unread()-1, s.room(), cameBack) && !cameBack {
		e.path, e.meta = strings.Clone(e.path), bytes.Clone(e.meta) // they were the caller's
	}
	s.readAhead(h)
}

// readAhead has the window of h filled from the store when there is little left
// in it. It is called after each change of what is in it.
func (s *Store) readAhead(h *host) {
	unread := h.unread()
	if dry := h.window.dry(unread); dry != h.dry {
		h.dry = dry
		if dry {
			s.dry++
		} else {
			s.dry--
		}
	}
	room, n := s.room(), len(h.window.entries)
	if unread > 0 && !h.refilling && (h.dry || n <= room/2) {
		h.refilling = true
		s.queue.refill(h, max(room-n, minRoom))
	}
}

// fill takes up what was read for the window of a host.
func (s *Store) fill(f refill, entries []*entry, now instant) error {
	h, w := f.host, &f.host.window
	h.refilling = false
	s.reads++
	leased := h.leases()
	for _, e := range entries {
		w.bound = e.place()
		if !w.has(w.bound) && !slices.Contains(leased, e.seq) {
			w.add(e)
		}
	}
	if len(entries) < f.n && h.unread() != 0 {
		return fmt.Errorf("%w: %s: %s has %d URLs pending that are not there", ErrDamaged, s.dir.path, h.name, h.unread())
	}
	s.readAhead(h)
	s.sched.Place(&h.Host, now)
	return nil
}

// room is how many URLs of a host are kept in memory: few, when there are many
// hosts.
func (s *Store) room() int {
	return min(max(s.opts.readAhead/max(len(s.hosts), 1), minRoom), maxRoom)
}

const (
	minRoom = 4
	maxRoom = 64
)

// readQueue reads up to n entries of the queue of h, behind the bound of its
// window. Only the committer moves that.
func (s *Store) readQueue(h *host, n int) ([]*entry, error) {
	from := append(queueKey(nil, h.id, h.window.bound), 0) // bound itself is not wanted
	entries := make([]*entry, 0, n)
	err := s.db.scan(from, idKey(nil, kindQueue, h.id+1), func(key []byte, r *reader) bool {
		entries = append(entries, r.queued(key))
		return len(entries) < n
	})
	if err == nil {
		err = s.db.validators(entries...)
	}
	return entries, err
}
