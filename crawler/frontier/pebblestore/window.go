package pebblestore

import (
	"slices"
	"sort"
)

// A window is the part of a host's queue that is in memory: the first of those
// pending, in order. What is behind bound is in the store only, but for those
// that came back from a lease.
type window struct {
	entries []*entry
	bound   place // all pending up to here are among entries, when some are not
}

// insert takes e up when it belongs to the part in memory, of which there are
// to be about room. One that came back is taken up in any case: what the store
// says of it may not be what was counted since. Unread is how many others are
// in the store only. It reports whether e was taken up.
func (w *window) insert(e *entry, unread, room int, cameBack bool) bool {
	at := e.place()
	n := len(w.entries)
	if !cameBack {
		if unread > 0 && !at.before(w.bound) {
			return false
		}
		if n >= room && w.entries[n-1].place().before(at) {
			w.bound = w.entries[n-1].place() // unread is 0
			return false
		}
	}
	w.add(e)
	if !cameBack && n >= 2*room {
		if unread == 0 {
			w.bound = back
		}
		w.cut(room)
		return w.has(at)
	}
	return true
}

// dry reports whether the next in order is not in memory, when unread others
// are in the store only.
func (w *window) dry(unread int) bool {
	return unread > 0 && (len(w.entries) == 0 || w.bound.before(w.entries[0].place()))
}

// add puts e in its place.
func (w *window) add(e *entry) {
	i, at := len(w.entries), e.place()
	if i > 0 && at.before(w.entries[i-1].place()) {
		i = w.search(at)
	}
	w.entries = slices.Insert(w.entries, i, e)
}

// cut leaves the last of the entries to the store.
func (w *window) cut(room int) {
	first := w.entries[room].place()
	clear(w.entries[room:])
	w.entries = w.entries[:room]
	if !w.bound.before(first) {
		w.bound = w.entries[room-1].place()
	}
}

// search returns the index of the first entry that is not before at.
func (w *window) search(at place) int {
	return sort.Search(len(w.entries), func(i int) bool { return !w.entries[i].place().before(at) })
}

// has reports whether the entry of that place is in memory.
func (w *window) has(at place) bool {
	i := w.search(at)
	return i < len(w.entries) && w.entries[i].place() == at
}

// pop takes the first entry.
func (w *window) pop() *entry {
	e := w.entries[0]
	w.entries[0] = nil
	w.entries = w.entries[1:]
	if len(w.entries) == 0 {
		w.entries = nil
	}
	return e
}
