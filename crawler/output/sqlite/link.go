package sqlite

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/politecrawl/politecrawl/crawler/output"
)

const (
	// knownURLs is the minimum number of URLs in the cache of ids. Most links of a page are
	// also in the previous page. URLs longer than knownLength are not cached.
	knownURLs   = 1 << 15
	knownLength = 512

	// batchLinks and batchBytes limit the links of one statement, and so its memory.
	batchLinks = 2048
	batchBytes = 1 << 20
)

// A pair is a link, or a page and what it uses.
type pair struct{ from, to string }

// links writes links and resources.
func (s *sink) links(all []*output.Links) error {
	err := s.batches(link, all, func(l *output.Links) []output.Link { return l.To })
	if err == nil {
		err = s.batches(resource, all, func(l *output.Links) []output.Link { return l.Resources })
	}
	return err
}

// batches writes rows of link or resource in batches, since the driver prepares each statement.
func (s *sink) batches(table int, all []*output.Links, targets func(*output.Links) []output.Link) error {
	var batch []pair
	size := 0
	for _, l := range all {
		from := clean(l.URL)
		for _, to := range targets(l) {
			batch = append(batch, pair{from, clean(to.URL)})
			size += len(to.URL)
			if len(batch) < batchLinks && size < batchBytes {
				continue
			}
			if err := s.pairs(table, batch); err != nil {
				return err
			}
			batch, size = batch[:0], 0
		}
	}
	return s.pairs(table, batch)
}

// pairs writes rows of link or resource. It encodes a pair as one number: SQLite reads a list of numbers three
// times as fast as a list of pairs.
func (s *sink) pairs(table int, batch []pair) error {
	if len(batch) == 0 {
		return nil
	}
	ids, err := s.identify(batch)
	if err != nil {
		return err
	}
	list := []byte{'['}
	for i, p := range batch {
		if i > 0 {
			list = append(list, ',')
		}
		list = strconv.AppendInt(list, ids[p.from]<<32|ids[p.to], 10)
	}
	first := s.counts[table] + 1
	s.counts[table] += int64(len(batch))
	return s.exec("INSERT OR FAIL INTO "+tableNames[table]+" SELECT ? + key, value >> 32, value & 0xffffffff FROM json_each(?)", first, string(append(list, ']')))
}

// identify returns the ids of the URLs of links. New URLs get one.
func (s *sink) identify(batch []pair) (map[string]int64, error) {
	ids := make(map[string]int64, 2*len(batch))
	var unsure []string // not in the cache
	for _, p := range batch {
		for _, u := range [...]string{p.from, p.to} {
			if _, ok := ids[u]; ok {
				continue
			}
			id, ok := s.known.Get(u)
			if ids[u] = id; !ok {
				unsure = append(unsure, u)
			}
		}
	}
	if err := s.lookUp(unsure, ids); err != nil {
		return nil, err
	}
	var unknown []string
	first := s.counts[urls] + 1
	for _, u := range unsure {
		if ids[u] == 0 {
			unknown = append(unknown, u)
			s.counts[urls]++
			ids[u] = s.counts[urls]
		}
		if len(u) <= knownLength {
			s.known.Put(strings.Clone(u), ids[u]) // it may share memory with a page
		}
	}
	if s.counts[urls] > math.MaxInt32 {
		return nil, errors.New("too many URLs for the link encoding")
	}
	if len(unknown) == 0 {
		return ids, nil
	}
	list, err := json.Marshal(unknown)
	if err != nil {
		return nil, err
	}
	return ids, s.exec("INSERT OR FAIL INTO urls SELECT ? + key, value FROM json_each(?)", first, string(list))
}

// lookUp finds the ids of the URLs that the database has.
func (s *sink) lookUp(unsure []string, ids map[string]int64) error {
	if len(unsure) == 0 {
		return nil
	}
	list, err := json.Marshal(unsure)
	if err != nil {
		return err
	}
	rows, err := s.conn.QueryContext(context.Background(),
		"SELECT json_each.key, urls.id FROM json_each(?) JOIN urls ON urls.url = json_each.value", string(list))
	if err != nil {
		return explain(s.name, err)
	}
	for rows.Next() {
		var key int
		var id int64
		if err := rows.Scan(&key, &id); err != nil {
			return errors.Join(explain(s.name, err), rows.Close())
		}
		ids[unsure[key]] = id
	}
	return explain(s.name, errors.Join(rows.Err(), rows.Close()))
}
