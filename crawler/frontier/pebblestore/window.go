package pebblestore

import (
	"slices"
	"sort"
)

// A window is the part of a host's queue that is in memory: the first pending URLs, in order.
// Entries after bound are only in the database, except those that returned from a lease.
type window struct {
	entries []*entry
	bound   place // if some entries are unread, all entries up to here are in the window
}

// insert inserts e if it belongs into the window, which has about room entries, and reports
// whether it did. It always inserts an entry that returned from a lease, since its stored
// attempts may be outdated. unread is the number of other entries outside the window.
func (w *window) insert(e *entry, unread, room int, returned bool) bool {
	at := e.place()
	n := len(w.entries)
	if !returned {
		if unread > 0 && !at.before(w.bound) {
			return false
		}
		if n >= room && w.entries[n-1].place().before(at) {
			w.bound = w.entries[n-1].place() // unread is 0
			return false
		}
	}
	w.add(e)
	if !returned && n >= 2*room {
		if unread == 0 {
			w.bound = back
		}
		w.cut(room)
		return w.has(at)
	}
	return true
}

// dry reports whether the next entry is still to be read, with unread entries outside the window.
func (w *window) dry(unread int) bool {
	return unread > 0 && (len(w.entries) == 0 || w.bound.before(w.entries[0].place()))
}

// add inserts e at its place.
func (w *window) add(e *entry) {
	i, at := len(w.entries), e.place()
	if i > 0 && at.before(w.entries[i-1].place()) {
		i = w.search(at)
	}
	w.entries = slices.Insert(w.entries, i, e)
}

// cut removes the entries after the first room ones.
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

// has reports whether the window has the entry of that place.
func (w *window) has(at place) bool {
	i := w.search(at)
	return i < len(w.entries) && w.entries[i].place() == at
}

// pop removes and returns the first entry.
func (w *window) pop() *entry {
	e := w.entries[0]
	w.entries[0] = nil
	w.entries = w.entries[1:]
	if len(w.entries) == 0 {
		w.entries = nil
	}
	return e
}
