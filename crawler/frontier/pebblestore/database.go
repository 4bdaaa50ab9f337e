package pebblestore

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

// A database reads records from the database of a store, or from a snapshot.
type database struct {
	pebble.Reader
	path   string
	broken func(error) // called with read errors; may be nil
}

// damaged returns ErrDamaged for a read error.
func (db *database) damaged(err error) error {
	err = damaged(db.path, err)
	if db.broken != nil {
		db.broken(err)
	}
	return err
}

// read calls get with the value of a key, and reports whether the key exists.
func (db *database) read(key []byte, get func(*reader)) (found bool, err error) {
	value, closer, err := db.Get(key)
	if errors.Is(err, pebble.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, db.damaged(err)
	}
	r := newReader(value)
	get(r)
	if err := errors.Join(r.Err(), closer.Close()); err != nil {
		return false, db.damaged(fmt.Errorf("key %q: %w", key, err))
	}
	return true, nil
}

// scan calls get with each record from one key up to another, exclusively, until it returns
// false. get must not keep the key.
func (db *database) scan(from, to []byte, get func(key []byte, r *reader) bool) error {
	it, err := db.NewIter(&pebble.IterOptions{LowerBound: from, UpperBound: to})
	if err != nil {
		return db.damaged(err)
	}
	for it.First(); it.Valid(); it.Next() {
		value, e := it.ValueAndErr()
		if e != nil {
			err = e
			break
		}
		r := newReader(value)
		more := get(it.Key(), r)
		if e := r.Err(); e != nil {
			err = fmt.Errorf("key %q: %w", it.Key(), e)
			break
		}
		if !more {
			break
		}
	}
	if err = cmp.Or(err, it.Error(), it.Close()); err != nil { // they may be the same error
		return db.damaged(err)
	}
	return nil
}

// scanAll scans all records of a kind.
func (db *database) scanAll(kind byte, get func(key []byte, r *reader) bool) error {
	return db.scan([]byte{kind}, []byte{kind + 1}, get)
}

// empty reports whether the database has no records.
func (db *database) empty() (empty bool, err error) {
	empty = true
	err = db.scan([]byte{0}, []byte{0xff}, func([]byte, *reader) bool {
		empty = false
		return false
	})
	return empty && err == nil, err
}

// countURLs calls host with the stored counts of each host, and seen, unless nil, with the hash
// of each URL.
func (db *database) countURLs(seen func(hash uint64), host func(hostID, frontier.Counts) error) error {
	scheduled := make(map[hostID]int)
	err := db.scanAll(kindTime, func(_ []byte, r *reader) bool {
		scheduled[hostID(r.Uint32())]++
		return true
	})
	if err != nil {
		return err
	}
	var id hostID
	var counts frontier.Counts // of the URLs of id
	counted := func() error {
		if id == 0 {
			return nil
		}
		counts.Scheduled = scheduled[id]
		counts.Pending = counts.URLs - counts.Scheduled - counts.Done - counts.Dropped
		return host(id, counts)
	}
	var failed error
	err = db.scanAll(kindSeen, func(key []byte, r *reader) bool {
		if i := idOf(key); i != id {
			if failed = counted(); failed != nil {
				return false
			}
			id, counts = i, frontier.Counts{}
		}
		if seen != nil {
			seen(hashOf(key))
		}
		counts.URLs++
		switch State(r.Byte()) {
		case Done:
			counts.Done++
		case Dropped:
			counts.Dropped++
		}
		return true
	})
	if err := errors.Join(err, failed); err != nil {
		return err
	}
	return counted()
}

// meta returns the value of a meta key, or nil.
func (db *database) meta(name string) (value []byte, err error) {
	_, err = db.read(metaKey(name), func(r *reader) { value = append([]byte{}, r.Rest...) })
	return value, err
}

// idOf returns the id of a host, or 0.
func (db *database) idOf(name frontier.Host) (id hostID, err error) {
	_, err = db.read(nameKey(nil, string(name)), func(r *reader) { id = hostID(r.Uint32()) })
	return id, err
}

// host returns the record of a host. A missing record is an error.
func (db *database) host(id hostID) (record *hostRecord, err error) {
	found, err := db.read(idKey(nil, kindHost, id), func(r *reader) { record = r.host() })
	if err == nil && !found {
		err = db.damaged(fmt.Errorf("no record of host %d", id))
	}
	return record, err
}

// robots returns the robots.txt records of a host by origin, or nil.
func (db *database) robots(id hostID) (robots map[string]frontier.Robots, err error) {
	err = db.scan(idKey(nil, kindRobots, id), idKey(nil, kindRobots, id+1), func(key []byte, r *reader) bool {
		if robots == nil {
			robots = make(map[string]frontier.Robots)
		}
		robots[originOf(key)] = r.robots()
		return true
	})
	return robots, err
}

// validators loads the validators of the entries that have some.
func (db *database) validators(entries ...*entry) error {
	for _, e := range entries {
		if !e.known {
			continue
		}
		_, err := db.read(hashKey(nil, kindValidators, e.id, e.hash), func(r *reader) { e.validators = r.Validators() })
		if err != nil {
			return err
		}
	}
	return nil
}
