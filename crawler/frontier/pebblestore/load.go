package pebblestore

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

// format is the version of what this package writes. A later one is refused.
const format = 1

// runBits is what is left of a 64-bit number for what a run counts. Numbers of
// leases and entries begin with that of the run, so that none comes twice.
const runBits = 40

// load reads the store into memory.
func (s *Store) load() error {
	b := &batch{Batch: s.db.NewBatch()}
	if err := s.loadMeta(b); err != nil {
		return err
	}
	if err := s.settleAttempts(b); err != nil {
		return err
	}
	scheduled, err := s.loadTimes()
	if err != nil {
		return err
	}
	if err := s.loadHosts(b, scheduled); err != nil {
		return err
	}
	if err := b.Commit(pebble.Sync); err != nil {
		return fmt.Errorf("pebblestore: writing: %w", err)
	}
	return b.Close()
}

// loadMeta reads what holds for the whole store, and begins a new run of it.
func (s *Store) loadMeta(b *batch) error {
	version, err := s.readMeta(metaFormat)
	if err != nil {
		return err
	}
	if len(version) == 0 {
		if err := s.begin(b); err != nil {
			return err
		}
	} else if v, n := binary.Uvarint(version); n <= 0 || v > format {
		return fmt.Errorf("%w: %s: format %d", ErrFormat, s.dir.path, v)
	}
	if len(version) > 0 {
		seed, err := s.readMeta(metaSeed)
		if err != nil {
			return err
		}
		if copy(s.seed[:], seed) < len(s.seed) {
			return s.damaged(fmt.Errorf("no seed"))
		}
	}
	run, err := s.readMeta(metaRun)
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
	empty := true
	err := s.scan([]byte{0}, []byte{0xff}, func([]byte, *reader) bool {
		empty = false
		return false
	})
	if err != nil {
		return err
	}
	if !empty {
		return fmt.Errorf("%w: %s is a database of something else", ErrForeign, s.dir.path)
	}
	if _, err := rand.Read(s.seed[:]); err != nil {
		return fmt.Errorf("pebblestore: %w", err)
	}
	b.put(metaKey(metaFormat), binary.AppendUvarint(nil, format))
	b.put(metaKey(metaSeed), s.seed[:])
	return nil
}

func (s *Store) readMeta(name string) (value []byte, err error) {
	_, err = s.read(metaKey(name), func(r *reader) { value = append(value, r.rest...) })
	return value, err
}

// settleAttempts writes the attempts of the leases that were open when the
// store went down into the records of their entries.
func (s *Store) settleAttempts(b *batch) error {
	var open []*entry
	err := s.scan([]byte{kindAttempt}, []byte{kindAttempt + 1}, func(key []byte, r *reader) bool {
		e := &entry{id: idOf(key), seq: seqOf(key)}
		r.mark(e)
		open = append(open, e)
		return true
	})
	if err != nil {
		return err
	}
	for _, e := range open {
		attempts := e.attempts
		found, err := s.read(queueKey(nil, e.id, e.place()), func(r *reader) { r.entry(e) })
		if err != nil {
			return err
		}
		if !found {
			return s.damaged(fmt.Errorf("an open lease of nothing: %d, %d", e.id, e.seq))
		}
		e.attempts, e.again = attempts, true
		b.putEntry(e)
		b.removeMark(e)
	}
	return nil
}

// loadTimes finds out when the first is due of those scheduled, and how many
// each host has.
func (s *Store) loadTimes() (scheduled map[hostID]int, err error) {
	scheduled = make(map[hostID]int)
	err = s.scan([]byte{kindTime}, []byte{kindTime + 1}, func(key []byte, r *reader) bool {
		s.next = min(s.next, millisOf(key))
		scheduled[hostID(r.uint32())]++
		return true
	})
	return scheduled, err
}

// loadHosts reads which URLs are known, and makes hosts of those that have some
// pending. The counts of a host that was in memory when the store went down may
// be of an earlier time; they are put right.
func (s *Store) loadHosts(b *batch, scheduled map[hostID]int) error {
	var counts frontier.Counts // of the URLs of last
	var last hostID
	seen := func() error {
		if last == 0 {
			return nil
		}
		counts.Scheduled = scheduled[last]
		counts.Pending -= counts.Scheduled
		return s.loadHost(b, last, counts)
	}
	var failed error
	err := s.scan([]byte{kindSeen}, []byte{kindSeen + 1}, func(key []byte, r *reader) bool {
		if id := idOf(key); id != last {
			if failed = seen(); failed != nil {
				return false
			}
			last, counts = id, frontier.Counts{}
		}
		s.known.add(hashOf(key))
		counts.Added++
		switch State(r.byte()) {
		case Done:
			counts.Done++
		case Dropped:
			counts.Dropped++
		default: // or scheduled
			counts.Pending++
		}
		return true
	})
	if err == nil {
		err = failed
	}
	if err == nil {
		err = seen()
	}
	if err != nil {
		return err
	}
	host, err := s.last(kindHost)
	if host != nil {
		s.lastID = idOf(host)
	}
	return err
}

// loadHost takes up one host.
func (s *Store) loadHost(b *batch, id hostID, counts frontier.Counts) error {
	r, err := s.readRecord(id)
	if err != nil {
		return err
	}
	add(&s.counts, counts)
	s.crowd++
	stale := r.counts != counts
	r.counts = counts
	if counts.Pending > 0 {
		h := s.revive(id, r, 0)
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
