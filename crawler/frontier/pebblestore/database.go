package pebblestore

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

// A database is where records are read from: that of a store, or a snapshot of it.
type database struct {
	pebble.Reader
	path   string
	broken func(error) // is told when something cannot be read; nil: nobody is
}

// damaged says that something cannot be read.
func (db *database) damaged(err error) error {
	err = damaged(db.path, err)
	if db.broken != nil {
		db.broken(err)
	}
	return err
}

// read has the value of a key read by get and reports whether there is one.
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

// scan has each record from one key up to another, which is not included, read
// by get, until it returns false. The key is not to be kept.
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
	if err = cmp.Or(err, it.Error(), it.Close()); err != nil { // which may be the same one
		return db.damaged(err)
	}
	return nil
}

// scanAll is scan of all records of a kind.
func (db *database) scanAll(kind byte, get func(key []byte, r *reader) bool) error {
	return db.scan([]byte{kind}, []byte{kind + 1}, get)
}

// empty reports whether there is no record at all.
func (db *database) empty() (empty bool, err error) {
	empty = true
	err = db.scan([]byte{0}, []byte{0xff}, func([]byte, *reader) bool {
		empty = false
		return false
	})
	return empty && err == nil, err
}

// tally counts the URLs of each host by state, as they lie on disk. Seen, when
// it is not nil, is called for the hash of each URL.
func (db *database) tally(seen func(hash uint64), host func(hostID, frontier.Counts) error) error {
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
		counts.Pending = counts.Added - counts.Scheduled - counts.Done - counts.Dropped
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
		counts.Added++
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

// meta returns the value of a key that holds for the whole store, nil when
// there is none.
func (db *database) meta(name string) (value []byte, err error) {
	_, err = db.read(metaKey(name), func(r *reader) { value = append([]byte{}, r.Rest...) })
	return value, err
}

// idOf returns the id of a host, 0 when there is none.
func (db *database) idOf(name frontier.Host) (id hostID, err error) {
	_, err = db.read(nameKey(nil, string(name)), func(r *reader) { id = hostID(r.Uint32()) })
	return id, err
}

// host returns the record of a host that has one.
func (db *database) host(id hostID) (record *hostRecord, err error) {
	found, err := db.read(idKey(nil, kindHost, id), func(r *reader) { record = r.host() })
	if err == nil && !found {
		err = db.damaged(fmt.Errorf("no record of host %d", id))
	}
	return record, err
}

// robots returns the robots records of a host by origin, nil when there are none.
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

// validators reads the validators of those entries that have some.
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
