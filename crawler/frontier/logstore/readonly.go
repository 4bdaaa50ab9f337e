package logstore

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/internal/schedule"
)

// A ReadOnlyStore reads a store as it is when it is opened. It is safe for concurrent use.
type ReadOnlyStore struct {
	index
	end    int64 // of the log
	broken error // ErrDamaged if the log is corrupt there
}

// OpenReadOnly opens the store in the directory dir for reading. It writes nothing and locks nothing,
// and returns an *InUseError if a process has the store open. Other errors are those of Open; it also
// returns ErrNotFrontier for a directory without a store.
//
// If a log is corrupt, what is before that place can be read. Then URLs and Hosts end with
// ErrDamaged.
func OpenReadOnly(dir string) (*ReadOnlyStore, error) {
	f, err := openUnlocked(dir)
	if err != nil {
		return nil, err
	}
	v := &ReadOnlyStore{end: f.size}
	v.opts, v.sched = (*Options)(nil).withDefaults(), schedule.New(schedule.Store[*host, *entry]{}, 0)
	v.setLog(f)
	if v.load(filepath.Join(dir, indexName)) == nil {
		return v, nil
	}
	v.end, err = v.replay()
	switch {
	case errors.Is(err, errTorn):
	case errors.Is(err, ErrDamaged):
		v.broken = err
	case err != nil:
		return nil, errors.Join(err, v.Close())
	}
	return v, nil
}

// Check returns the error of OpenReadOnly, without reading the records of the store.
func Check(dir string) error {
	f, err := openUnlocked(dir)
	if err != nil {
		return err
	}
	return f.Close()
}

// openUnlocked opens the log of a store that no process has open.
func openUnlocked(dir string) (*file, error) {
	if err := checkFiles(dir); err != nil {
		return nil, err
	}
	if err := checkUnlocked(dir); err != nil {
		return nil, err
	}
	f, err := openLog(dir, os.O_RDONLY)
	if f == nil && err == nil {
		err = fmt.Errorf("%w: nothing in %s", ErrNotFrontier, dir)
	}
	return f, err
}

// Close closes the store. It must not be called during a loop over URLs or Hosts.
func (v *ReadOnlyStore) Close() error {
	v.records.Clear()
	return v.file.Close()
}

// Counts returns the numbers of URLs. They are those before the damage, with ErrDamaged, if the
// log was found to be corrupt when it was opened.
func (v *ReadOnlyStore) Counts() (frontier.Counts, error) { return v.counts, v.broken }

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
// scheduled ones by time, then those that are done or dropped, in the order in which they ended. The
// sequence ends after an error.
func (v *ReadOnlyStore) URLs() iter.Seq2[URL, error] {
	return func(yield func(URL, error) bool) {
		err := v.urls(func(u URL) bool { return yield(u, nil) })
		if err != nil && !errors.Is(err, errStopped) {
			yield(URL{}, err)
		}
	}
}

// errStopped means that a loop ended early.
var errStopped = errors.New("stopped")

func (v *ReadOnlyStore) urls(yield func(URL) bool) error {
	emit := func(u *urlRecord, state State, at time.Time) error {
		it := u.item()
		it.NotBefore = at
		if !yield(URL{Item: it, State: state, Attempts: u.attempts, Validators: u.validators}) {
			return errStopped
		}
		return nil
	}
	var lost error // ErrDamaged if a record that an index names cannot be read
	emitAt := func(place int64, state State, attempts int32, at time.Time) error {
		u, _, err := v.file.readURL(place)
		if errors.Is(err, ErrDamaged) {
			lost = cmp.Or(lost, err)
			return nil
		}
		if err != nil {
			return err
		}
		u.attempts = max(u.attempts, int(attempts)) // the record may be older
		return emit(&u, state, at)
	}
	for _, h := range v.byFirstURL() {
		due := v.sched.Ahead(h.Due(), 0)
		for r := range h.queue.all() {
			if err := emitAt(r.At, Pending, r.Attempts, due); err != nil {
				return err
			}
		}
	}
	for _, t := range slices.SortedFunc(slices.Values(v.timed), func(a, b timed) int { return cmp.Compare(a.Ready, b.Ready) }) {
		if err := emitAt(t.At, Scheduled, 0, time.UnixMilli(t.Ready)); err != nil {
			return err
		}
	}
	err := v.last(kindURL, func(s *stored) error {
		r := s.fields()
		if u := readURL(r); !r.Bad && (u.state == Done || u.state == Dropped) {
			return emit(&u, u.state, time.Time{})
		}
		return r.Err()
	})
	return cmp.Or(err, lost)
}

// last calls do for each record of a kind that is the last one of its key.
func (v *ReadOnlyStore) last(kind byte, do func(*stored) error) error {
	_, err := v.file.each(v.end, func(s *stored) error {
		if s.body[0] != kind {
			return nil
		}
		if hash, ok := s.hash(); !ok || v.records.Get(hash) != s.at {
			return nil
		}
		return do(s)
	})
	return cmp.Or(err, v.broken)
}

// Hosts returns the record of each host, in the order in which they were last written. Due and
// BlockedUntil may have passed. The
// sequence ends after an error.
func (v *ReadOnlyStore) Hosts() iter.Seq2[frontier.HostRecord, error] {
	return func(yield func(frontier.HostRecord, error) bool) {
		err := v.last(kindHost, func(s *stored) error {
			f := s.fields()
			r := readHost(f)
			if f.Bad {
				return f.Err()
			}
			robots, err := v.file.readRobots(v.robotsOf(r.name, r.origins))
			if err != nil {
				return err
			}
			host := frontier.HostRecord{
				Host: r.name, Delay: r.delay, MaxInFlight: r.limit, BlockedUntil: r.blocked, Due: r.blocked,
				Robots: robots, Counts: r.counts,
			}
			if r.clock.After(host.Due) {
				host.Due = r.clock
			}
			if h := v.hosts[r.name]; h != nil {
				host.Counts = h.counts
			}
			if !yield(host, nil) {
				return errStopped
			}
			return nil
		})
		if err != nil && !errors.Is(err, errStopped) {
			yield(frontier.HostRecord{}, err)
		}
	}
}
