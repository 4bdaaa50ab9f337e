package pebblestore

import (
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"
)

// scan has each record from one key up to another, which is not included, read
// by get, until it returns false. The key is not to be kept.
func (s *Store) scan(from, to []byte, get func(key []byte, r *reader) bool) error {
	if err := scan(s.db, from, to, get); err != nil {
		return s.damaged(err)
	}
	return nil
}

func scan(db pebble.Reader, from, to []byte, get func(key []byte, r *reader) bool) (err error) {
	it, err := db.NewIter(&pebble.IterOptions{LowerBound: from, UpperBound: to})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	for it.First(); it.Valid(); it.Next() {
		value, err := it.ValueAndErr()
		if err != nil {
			return err
		}
		r := reader{rest: value}
		more := get(it.Key(), &r)
		if r.bad {
			return fmt.Errorf("key %q: %w", it.Key(), errRecord)
		}
		if !more {
			break
		}
	}
	return it.Error()
}

// last returns the last key of a kind, nil when there is none.
func (s *Store) last(kind byte) (key []byte, err error) {
	it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: []byte{kind}, UpperBound: []byte{kind + 1}})
	if err != nil {
		return nil, s.damaged(err)
	}
	if it.Last() {
		key = append(key, it.Key()...)
	}
	if err := errors.Join(it.Error(), it.Close()); err != nil {
		return nil, s.damaged(err)
	}
	return key, nil
}

// readQueue reads up to n entries of the queue of h, behind the bound of its
// window. Only the committer moves that.
func (s *Store) readQueue(h *host, n int) ([]*entry, error) {
	from := append(queueKey(nil, h.id, h.window.bound), 0) // bound itself is not wanted
	entries := make([]*entry, 0, n)
	err := s.scan(from, idKey(nil, kindQueue, h.id+1), func(key []byte, r *reader) bool {
		p := placeOf(key)
		e := &entry{id: h.id, seq: p.seq, priority: p.priority}
		r.entry(e)
		entries = append(entries, e)
		return len(entries) < n
	})
	if err == nil {
		err = s.readKnown(entries)
	}
	return entries, err
}

// readKnown reads the validators of those entries that have some.
func (s *Store) readKnown(entries []*entry) error {
	for _, e := range entries {
		if !e.known {
			continue
		}
		_, err := s.read(hashKey(nil, kindValidators, e.id, e.hash), func(r *reader) { e.validators = r.validators() })
		if err != nil {
			return err
		}
	}
	return nil
}
