package pebblestore

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

// format is the version of the stored data. Other versions are rejected. In version 1 a host was
// an origin.
const format = 2

// runBits is the number of low bits of lease and entry numbers that a run counts. The high bits
// are the number of the run, so that numbers are unique.
const runBits = 40

// load reads the store into memory.
func (s *Store) load() error {
	b := &batch{Batch: s.pebble.NewBatch()}
	if err := s.loadMeta(b); err != nil {
		return err
	}
	if err := s.recoverAttempts(b); err != nil {
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

// loadMeta reads the meta records, or creates them, and starts a new run.
func (s *Store) loadMeta(b *batch) error {
	version, err := s.db.meta(metaFormat)
	if err != nil {
		return err
	}
	if version == nil {
		err = s.create(b)
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

// create creates a store in an empty database.
func (s *Store) create(b *batch) error {
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

// resume reads the records that create wrote.
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

// checkFormat returns an error if the database has another version. It opens the database for
// reading, since opening it for writing would change it.
func (s *Store) checkFormat() error {
	if desc, err := pebble.Peek(s.dir.path, s.dir.fs); err != nil || !desc.Exists {
		return nil //nolint:nilerr // opening it returns the error
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

// checkFormat checks the version of a store.
func checkFormat(version []byte, path string) error {
	if version == nil {
		return fmt.Errorf("%w: %s is a database of something else", ErrNotFrontier, path)
	}
	if v, n := binary.Uvarint(version); n <= 0 || v != format {
		return fmt.Errorf("%w: %s has format %d and this version needs %d; finish the crawl with the version of the program that began it, or begin anew in another directory",
			ErrFormat, path, v, format)
	}
	return nil
}

// recoverAttempts moves the attempts of leases that were open when the process ended into their
// queue records.
func (s *Store) recoverAttempts(b *batch) error {
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

// loadHosts reads the hashes of known URLs, and loads the hosts with pending URLs. The stored
// counts of a host that was in memory when the process ended may be outdated; it corrects them.
func (s *Store) loadHosts(b *batch) error {
	err := s.db.scanAll(kindTime, func(key []byte, _ *reader) bool {
		s.next = millisOf(key)
		return false
	})
	if err != nil {
		return err
	}
	err = s.db.countURLs(s.known.add, func(id hostID, counts frontier.Counts) error {
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

// loadHost loads one host.
func (s *Store) loadHost(b *batch, id hostID, counts frontier.Counts) error {
	r, err := s.db.host(id)
	if err != nil {
		return err
	}
	s.counts = s.counts.Plus(counts)
	s.hostCount++
	stale := r.counts != counts
	r.counts = counts
	if counts.Pending > 0 {
		h := s.restoreHost(id, r)
		h.changed = stale
		s.register(h)
		s.readAhead(h)
	} else if stale {
		b.key = idKey(b.key, kindHost, id)
		b.val = appendHost(b.val[:0], r)
		b.put(b.key, b.val)
	}
	return nil
}
