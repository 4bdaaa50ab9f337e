package pebblestore

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// unread returns the number of pending URLs of h that are not in its window.
func (h *host) unread() int { return h.counts.Pending - len(h.window.entries) }

// insert inserts a pending URL of h, which has been counted.
func (s *Store) insert(h *host, e *entry, returned bool) {
	if h.window.insert(e, h.unread()-1, s.windowSize(), returned) && !returned {
		e.path, e.meta = strings.Clone(e.path), bytes.Clone(e.meta) // the caller may reuse them
	}
	s.readAhead(h)
}

// readAhead queues a refill of the window of h if few URLs are left in it. It is called after each
// change of the window.
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
	room, n := s.windowSize(), len(h.window.entries)
	if unread > 0 && !h.refilling && (h.dry || n <= room/2) {
		h.refilling = true
		s.queue.refill(h, max(room-n, minWindow))
	}
}

// fill adds the entries that were read to the window of a host.
func (s *Store) fill(f refill, entries []*entry, now instant) error {
	h, w := f.host, &f.host.window
	h.refilling = false
	s.reads++
	leased := h.leasedSeqs()
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

// windowSize returns the number of URLs kept in memory per host. It gets smaller with more hosts.
func (s *Store) windowSize() int {
	return min(max(s.opts.readAhead/max(len(s.hosts), 1), minWindow), maxWindow)
}

const (
	minWindow = 4
	maxWindow = 64
)

// readQueue reads up to n entries of the queue of h after the bound of its window. Only the
// committer moves the bound.
func (s *Store) readQueue(h *host, n int) ([]*entry, error) {
	from := append(queueKey(nil, h.id, h.window.bound), 0) // after the bound
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
