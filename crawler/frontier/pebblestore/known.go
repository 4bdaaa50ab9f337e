package pebblestore

import (
	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/internal/seen"
)

// known is the hashes of the URLs that are in the store. All of them are kept
// in memory as long as that is allowed; beyond it those asked for lately, and
// whether another is known only the database can tell.
type known struct {
	limit int64
	set   seen.Set
	cache *seen.Cache // nil: set has all
}

// has reports whether a URL is known to be in the store. When it is not, exact
// says whether that is the last word.
func (k *known) has(hash uint64) bool {
	if k.cache != nil {
		return k.cache.Has(hash)
	}
	return k.set.Has(hash)
}

func (k *known) exact() bool { return k.cache == nil }

// add notes a URL that is in the store.
func (k *known) add(hash uint64) {
	if k.cache != nil {
		k.cache.Add(hash)
		return
	}
	k.set.Add(hash)
	if int64(k.set.Bytes()) > k.limit {
		k.cache = k.set.Cut(int(k.limit))
	}
}

// look reads the seen records of those URLs that are wanted, and calls found for
// each that there is. It is called without the lock.
func (s *Store) look(hosts []frontier.Host, hashes []uint64, wanted []bool, found func(i int, id hostID, r *reader)) error {
	ids := make(map[frontier.Host]hostID)
	var key []byte
	for i, hash := range hashes {
		if !wanted[i] {
			continue
		}
		id, ok := ids[hosts[i]]
		if !ok {
			var err error
			if id, err = s.db.idOf(hosts[i]); err != nil {
				return err
			}
			ids[hosts[i]] = id
		}
		if id == 0 {
			continue
		}
		key = hashKey(key, kindSeen, id, hash)
		if _, err := s.db.read(key, func(r *reader) { found(i, id, r) }); err != nil {
			return err
		}
	}
	return nil
}
