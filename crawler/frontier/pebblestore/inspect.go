package pebblestore

import (
	"errors"
	"iter"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/internal/urlpath"
)

// A View is a store that nobody has open, to be looked at. It changes nothing.
// Its methods may be called from several goroutines.
type View struct {
	dir *directory
	db  database
}

// Inspect opens the store in the directory dir for reading. The directory is
// locked until Close: the errors are those of Open, and ErrForeign also when
// there is no store.
//
// A directory that this process may not write, such as that of another user or on
// a read-only file system, is locked against those who may, while others can look
// into it too. It is not locked where that is impossible: when it has no lock
// file, as a copy may not, or the file system or the operating system has no lock
// for readers. Nobody should have the store open then.
func Inspect(dir string) (*View, error) {
	if err := exists(dir); err != nil {
		return nil, err
	}
	d, err := lockDirectory(dir, true)
	if err != nil {
		return nil, err
	}
	v := &View{dir: d}
	if err := v.open(); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	_ = d.sign() // who reads can do so on a full disk
	return v, nil
}

func (v *View) open() error {
	opts := (*Options)(nil).withDefaults()
	db, err := v.dir.database(&opts, true, func(error) {})
	if err != nil {
		return err
	}
	v.db = database{Reader: db, path: v.dir.path}
	version, err := v.db.meta(metaFormat)
	if err == nil && version == nil {
		var empty bool
		if empty, err = v.db.empty(); empty { // the log is lost that had them all
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

// Close ends the use of the view.
func (v *View) Close() error { return errors.Join(v.db.Close(), v.dir.Close()) }

// A URL is what a store knows of a URL.
type URL struct {
	// Item is as it was added, but for NotBefore, which is when the URL may
	// be leased as far as that is known: for its own time or that of its
	// host. Zero: at once, or never again.
	frontier.Item
	State State
	// Attempts counts leases as frontier.Lease.Attempt does. It is 0 for
	// what is over.
	Attempts int
	// Validators are those of the last good fetch. Nil: there was none.
	Validators *frontier.Validators
}

// URLs returns all URLs: those pending by host and in the order in which they
// are to be fetched, then those scheduled by time, then those that are over by
// host. An error ends it.
func (v *View) URLs() iter.Seq2[URL, error] {
	return func(yield func(URL, error) bool) {
		if err := v.urls(func(u URL) bool { return yield(u, nil) }); err != nil {
			yield(URL{}, err)
		}
	}
}

func (v *View) urls(yield func(URL) bool) error {
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
		w.give(e, Pending, time.Time{})
	})
	if err != nil || w.stopped {
		return err
	}
	err = w.each(kindTime, func(key []byte, r *reader) {
		w.give(r.timed(key), Scheduled, time.UnixMilli(millisOf(key)))
	})
	if err != nil || w.stopped {
		return err
	}
	return w.each(kindSeen, func(key []byte, r *reader) {
		e := &entry{id: idOf(key), hash: hashOf(key)}
		if state := State(r.Byte()); state != waiting {
			r.over(e)
			w.give(e, state, time.Time{})
		}
	})
}

// openLeases returns the attempts of those that were leased when the store went
// down, by number.
func (v *View) openLeases() (map[uint64]int, error) {
	attempts := make(map[uint64]int)
	err := v.db.scanAll(kindAttempt, func(key []byte, r *reader) bool {
		attempts[seqOf(key)] = r.mark(key).attempts
		return true
	})
	return attempts, err
}

// A walk goes through the URLs of one state after the other.
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

func (w *walk) give(e *entry, state State, at time.Time) {
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
	w.stopped = !w.yield(URL{
		Item: frontier.Item{
			URL:  urlpath.Join(string(w.host.name), e.path),
			Host: w.host.name, Priority: e.priority, NotBefore: at, Meta: e.meta,
		},
		State: state, Attempts: e.attempts, Validators: e.validators,
	})
}

// Hosts returns what is known of each host, in the order in which they were
// found. Due and BlockedUntil may have passed. An error ends it.
func (v *View) Hosts() iter.Seq2[frontier.HostRecord, error] {
	return func(yield func(frontier.HostRecord, error) bool) {
		if err := v.hosts(func(r frontier.HostRecord) bool { return yield(r, nil) }); err != nil {
			yield(frontier.HostRecord{}, err)
		}
	}
}

func (v *View) hosts(yield func(frontier.HostRecord) bool) error {
	counts := make(map[hostID]frontier.Counts)
	err := v.db.tally(nil, func(id hostID, c frontier.Counts) error {
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
