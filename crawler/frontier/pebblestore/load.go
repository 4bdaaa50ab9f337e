package pebblestore

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

// format is the version of what this package writes; any other is refused. In
// version 1 a host was an origin.
const format = 2

// runBits is what is left of a 64-bit number for what a run counts. Numbers of
// leases and entries begin with that of the run, so that none comes twice.
const runBits = 40

// load reads the store into memory.
func (s *Store) load() error {
	b := &batch{Batch: s.pebble.NewBatch()}
	if err := s.loadMeta(b); err != nil {
		return err
	}
	if err := s.settleAttempts(b); err != nil {
		return err
	}
	if err := s.loadHosts(b); err != nil {
		return err
	}
	if err := b.Commit(pebble.Sync); err != nil {
		return fmt.Errorf("writing: %w", err)
	}
	return b.Close()
}

// loadMeta reads what holds for the whole store, and begins a new run of it.
func (s *Store) loadMeta(b *batch) error {
	version, err := s.db.meta(metaFormat)
	if err != nil {
		return err
	}
	if version == nil {
		err = s.begin(b)
	} else {
		err = s.resume(version)
	}
	if err != nil {
		return err
	}
	if s.note, err = s.db.meta(metaNote); err != nil {
		return err
	}
	run, err := s.db.meta(metaRun)
	if err != nil {
		return err
	}
	s.run, _ = binary.Uvarint(run)
	s.run++
	s.seq = s.run << runBits
	s.sched.Token = s.run << runBits
	b.put(metaKey(metaRun), binary.AppendUvarint(nil, s.run))
	return nil
}

// begin makes a store of an empty database.
func (s *Store) begin(b *batch) error {
	empty, err := s.db.empty()
	if err != nil {
		return err
	}
	if !empty {
		return checkFormat(nil, s.dir.path)
	}
	if _, err := rand.Read(s.seed[:]); err != nil {
		return err
	}
	b.put(metaKey(metaFormat), binary.AppendUvarint(nil, format))
	b.put(metaKey(metaSeed), s.seed[:])
	return nil
}

// resume reads what begin has written.
func (s *Store) resume(version []byte) error {
	if err := checkFormat(version, s.dir.path); err != nil {
		return err
	}
	seed, err := s.db.meta(metaSeed)
	if err == nil && copy(s.seed[:], seed) < len(s.seed) {
		err = s.db.damaged(errors.New("its seed is lost"))
	}
	return err
}

// checkFormat returns an error when the database is of another version. It reads only,
// as a database that is opened for writing changes before anything can be read.
func (s *Store) checkFormat() error {
	if desc, err := pebble.Peek(s.dir.path, s.dir.fs); err != nil || !desc.Exists {
		return nil //nolint:nilerr // what is wrong with it is told when it is opened
	}
	read, err := s.dir.database(&s.opts, true, s.fail)
	if err != nil {
		return err
	}
	db := database{Reader: read, path: s.dir.path}
	version, err := db.meta(metaFormat)
	if err == nil && version != nil {
		err = checkFormat(version, db.path)
	}
	return errors.Join(err, db.Close())
}

// checkFormat looks at the version of a store.
func checkFormat(version []byte, path string) error {
	if version == nil {
		return fmt.Errorf("%w: %s is a database of something else", ErrForeign, path)
	}
	if v, n := binary.Uvarint(version); n <= 0 || v != format {
		return fmt.Errorf("%w: %s has format %d and this version needs %d; finish the crawl with the version of the program that began it, or begin anew in another directory",
			ErrFormat, path, v, format)
	}
	return nil
}

// settleAttempts writes the attempts of the leases that were open when the
// store went down into the records of their entries.
func (s *Store) settleAttempts(b *batch) error {
	var open []*entry
	err := s.db.scanAll(kindAttempt, func(key []byte, r *reader) bool {
		open = append(open, r.mark(key))
		return true
	})
	if err != nil {
		return err
	}
	for _, e := range open {
		attempts := e.attempts
		found, err := s.db.read(queueKey(nil, e.id, e.place()), func(r *reader) { r.entry(e) })
		if err != nil {
			return err
		}
		if !found {
			return s.db.damaged(fmt.Errorf("an open lease of nothing: %d, %d", e.id, e.seq))
		}
		e.attempts, e.again = attempts, true
		b.putEntry(e)
		b.removeMark(e)
	}
	return nil
}

// loadHosts reads which URLs are known, and makes hosts of those that have some
// pending. The counts of a host that was in memory when the store went down may
// be of an earlier time; they are put right.
func (s *Store) loadHosts(b *batch) error {
	err := s.db.scanAll(kindTime, func(key []byte, _ *reader) bool {
		s.next = millisOf(key)
		return false
	})
	if err != nil {
		return err
	}
	err = s.db.tally(s.known.add, func(id hostID, counts frontier.Counts) error {
		return s.loadHost(b, id, counts)
	})
	if err != nil {
		return err
	}
	return s.db.scanAll(kindHost, func(key []byte, _ *reader) bool {
		s.lastID = idOf(key)
		return true
	})
}

// loadHost takes up one host.
func (s *Store) loadHost(b *batch, id hostID, counts frontier.Counts) error {
	r, err := s.db.host(id)
	if err != nil {
		return err
	}
	s.counts = s.counts.Plus(counts)
	s.crowd++
	stale := r.counts != counts
	r.counts = counts
	if counts.Pending > 0 {
		h := s.revive(id, r)
		h.changed = stale
		s.enlist(h)
		s.readAhead(h)
	} else if stale {
		b.key = idKey(b.key, kindHost, id)
		b.val = appendHost(b.val[:0], r)
		b.put(b.key, b.val)
	}
	return nil
}
