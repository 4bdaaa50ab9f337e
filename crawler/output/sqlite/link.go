package sqlite

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/politecrawl/politecrawl/crawler/internal/jsonlines"
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
type pair struct {
	from, to string
	details  *output.Link // with the text, rel and kind of a link listed in full; nil if none
}

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
		list := targets(l)
		for i := range list {
			to := &list[i]
			p := pair{from: from, to: clean(to.URL)}
			if table == link && to.Kind != "" {
				p.details = to
			}
			batch = append(batch, p)
			size += len(to.URL) + len(to.Text) + len(to.Rel)
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
// times as fast as a list of lists, which only links in full need.
func (s *sink) pairs(table int, batch []pair) error {
	if len(batch) == 0 {
		return nil
	}
	ids, err := s.identify(batch)
	if err != nil {
		return err
	}
	full := slices.ContainsFunc(batch, func(p pair) bool { return p.details != nil })
	list := []byte{'['}
	for i, p := range batch {
		if i > 0 {
			list = append(list, ',')
		}
		number := ids[p.from]<<32 | ids[p.to]
		if full {
			list = appendFull(list, number, p.details)
		} else {
			list = strconv.AppendInt(list, number, 10)
		}
	}
	first := s.counts[table] + 1
	s.counts[table] += int64(len(batch))
	query := " (id, from_id, to_id) SELECT ? + key, value >> 32, value & 0xffffffff FROM json_each(?)"
	if full {
		query = ` (id, from_id, to_id, text, rel, kind) SELECT ? + key, (value ->> 0) >> 32, (value ->> 0) & 0xffffffff,
			nullif(value ->> 1, ''), nullif(value ->> 2, ''), nullif(value ->> 3, '') FROM json_each(?)`
	}
	return s.exec("INSERT OR FAIL INTO "+tableNames[table]+query, first, string(append(list, ']')))
}

// appendFull appends the number of a pair and the details of its link as a JSON array.
func appendFull(dst []byte, number int64, details *output.Link) []byte {
	dst = strconv.AppendInt(append(dst, '['), number, 10)
	if details != nil {
		for _, t := range [...]string{details.Text, details.Rel, details.Kind} {
			dst = jsonlines.AppendString(append(dst, ','), clean(t))
		}
	}
	return append(dst, ']')
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
