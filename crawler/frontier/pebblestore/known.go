package pebblestore

import (
	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/internal/seen"
)

// known has the hashes of stored URLs. Above its limit it keeps only the most recently used, and
// other URLs must be looked up in the database.
type known struct {
	limit int64
	set   seen.Set
	cache *seen.Cache // nil if set has all hashes
}

// has reports whether a URL is stored. If exact is false, so may be other URLs.
func (k *known) has(hash uint64) bool {
	if k.cache != nil {
		return k.cache.Has(hash)
	}
	return k.set.Has(hash)
}

func (k *known) exact() bool { return k.cache == nil }

// add adds the hash of a stored URL.
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

// readSeen reads the seen records of the wanted URLs, and calls found for each that exists. It is
// called without the lock.
func (s *Store) readSeen(hosts []frontier.Host, hashes []uint64, wanted []bool, found func(i int, id hostID, r *reader)) error {
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
