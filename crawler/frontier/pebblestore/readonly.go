package pebblestore

import (
	"errors"
	"iter"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

// A ReadOnlyStore reads a store that no process has open. It is safe for concurrent use.
type ReadOnlyStore struct {
	dir *directory
	db  database
}

// OpenReadOnly opens the store in the directory dir for reading, and locks it until Close. Its
// errors are those of Open; it also returns ErrNotFrontier for a directory without a store.
//
// If this process cannot write to the directory, OpenReadOnly takes a shared lock: other readers
// can open it too, writers cannot. Without a lock file, and where shared locks are not
// supported, it takes no lock. In that case the caller must make sure that no process has the
// store open for writing.
func OpenReadOnly(dir string) (*ReadOnlyStore, error) {
	if err := checkExists(dir); err != nil {
		return nil, err
	}
	d, err := lockDirectory(dir, true)
	if err != nil {
		return nil, err
	}
	v := &ReadOnlyStore{dir: d}
	if err := v.open(); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	_ = d.writeOwner() // a full disk can still be read
	return v, nil
}

func (v *ReadOnlyStore) open() error {
	opts := (*Options)(nil).withDefaults()
	db, err := v.dir.database(&opts, true, func(error) {})
	if err != nil {
		return err
	}
	v.db = database{Reader: db, path: v.dir.path}
	version, err := v.db.meta(metaFormat)
	if err == nil && version == nil {
		var empty bool
		if empty, err = v.db.empty(); empty { // its log is lost
			err = v.db.damaged(errors.New("its records are lost"))
		}
	}
	if err == nil {
		err = checkFormat(version, v.dir.path)
	}
	if err != nil {
		return errors.Join(err, db.Close())
	}
	return nil
}

// Close closes the store and unlocks the directory.
func (v *ReadOnlyStore) Close() error { return errors.Join(v.db.Close(), v.dir.Close()) }

// A URL is the stored record of a URL.
type URL struct {
	// Item is the item that was added. NotBefore is replaced with the time at which the URL
	// (scheduled) or its host (pending) is due. Zero means now, or the URL is done or dropped.
	frontier.Item
	State State
	// Attempts is the number of leases, counted like frontier.Lease.Attempt. It is 0 if the
	// URL is done or dropped.
	Attempts int
	// Validators are those of the last successful fetch. Nil means none.
	Validators *frontier.Validators
}

// URLs returns all URLs: first the pending ones by host in the order of fetching, then the
// scheduled ones by time, then those that are done or dropped by host. The
// sequence ends after an error.
func (v *ReadOnlyStore) URLs() iter.Seq2[URL, error] {
	return func(yield func(URL, error) bool) {
		if err := v.urls(func(u URL) bool { return yield(u, nil) }); err != nil {
			yield(URL{}, err)
		}
	}
}

func (v *ReadOnlyStore) urls(yield func(URL) bool) error {
	attempts, err := v.openLeases()
	if err != nil {
		return err
	}
	w := &walk{db: &v.db, yield: yield}
	err = w.each(kindQueue, func(key []byte, r *reader) {
		e := r.queued(key)
		if n, ok := attempts[e.seq]; ok {
			e.attempts = n
		}
		w.emit(e, Pending, time.Time{})
	})
	if err != nil || w.stopped {
		return err
	}
	err = w.each(kindTime, func(key []byte, r *reader) {
		w.emit(r.timed(key), Scheduled, time.UnixMilli(millisOf(key)))
	})
	if err != nil || w.stopped {
		return err
	}
	return w.each(kindSeen, func(key []byte, r *reader) {
		e := &entry{id: idOf(key), hash: hashOf(key)}
		if state := State(r.Byte()); state != waiting {
			r.finished(e)
			w.emit(e, state, time.Time{})
		}
	})
}

// openLeases returns the attempts of the URLs that were leased when the process ended, by
// number.
func (v *ReadOnlyStore) openLeases() (map[uint64]int, error) {
	attempts := make(map[uint64]int)
	err := v.db.scanAll(kindAttempt, func(key []byte, r *reader) bool {
		attempts[seqOf(key)] = r.mark(key).attempts
		return true
	})
	return attempts, err
}

// A walk iterates over the URLs, state by state.
type walk struct {
	db      *database
	yield   func(URL) bool
	id      hostID // the host read last
	host    *hostRecord
	err     error
	stopped bool
}

// each calls read for the records of a kind until the walk is stopped.
func (w *walk) each(kind byte, read func(key []byte, r *reader)) error {
	err := w.db.scanAll(kind, func(key []byte, r *reader) bool {
		read(key, r)
		return w.err == nil && !w.stopped
	})
	return errors.Join(err, w.err)
}

func (w *walk) emit(e *entry, state State, at time.Time) {
	if e.id != w.id {
		if w.host, w.err = w.db.host(e.id); w.err != nil {
			return
		}
		w.id = e.id
	}
	if w.err = w.db.validators(e); w.err != nil {
		return
	}
	if state == Pending {
		for _, t := range []time.Time{w.host.blocked, w.host.clock} {
			if t.After(at) && t.After(time.Now()) {
				at = t
			}
		}
	}
	it := e.item(w.host.name)
	it.NotBefore = at
	w.stopped = !w.yield(URL{Item: it, State: state, Attempts: e.attempts, Validators: e.validators})
}

// Hosts returns the record of each host in the order of discovery. Due and BlockedUntil may have
// passed. The
// sequence ends after an error.
func (v *ReadOnlyStore) Hosts() iter.Seq2[frontier.HostRecord, error] {
	return func(yield func(frontier.HostRecord, error) bool) {
		if err := v.hosts(func(r frontier.HostRecord) bool { return yield(r, nil) }); err != nil {
			yield(frontier.HostRecord{}, err)
		}
	}
}

func (v *ReadOnlyStore) hosts(yield func(frontier.HostRecord) bool) error {
	counts := make(map[hostID]frontier.Counts)
	err := v.db.countURLs(nil, func(id hostID, c frontier.Counts) error {
		counts[id] = c
		return nil
	})
	if err != nil {
		return err
	}
	var failed error
	err = v.db.scanAll(kindHost, func(key []byte, r *reader) bool {
		id, h := idOf(key), r.host()
		var robots map[string]frontier.Robots
		if robots, failed = v.db.robots(id); failed != nil {
			return false
		}
		return yield(frontier.HostRecord{
			Host: h.name, Delay: h.delay, MaxInFlight: h.limit,
			BlockedUntil: h.blocked, Due: latest(h.blocked, h.clock),
			Robots: robots, Counts: counts[id],
		})
	})
	return errors.Join(err, failed)
}

func latest(t, u time.Time) time.Time {
	if u.After(t) {
		return u
	}
	return t
}
