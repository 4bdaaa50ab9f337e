package sqlite

import (
	"encoding/json"
	"fmt"
)

// The tables that grow, as they stand in a mark. One that comes later goes to the end.
const (
	pages = iota
	rejected
	urls
	link
	sitemaps
	entries
	robots
	tables
)

var tableNames = [tables]string{"pages", "rejected", "urls", "link", "sitemaps", "entries", "robots"}

// counts is the highest id in each table. A mark is that as JSON.
//
// The sink gives the ids itself, so that no row has one that a mark counted before,
// even where rows were lost.
type counts [tables]int64

// most is more than any table can have, and leaves room to count on.
const most = 1 << 53

func (c *counts) mark() ([]byte, error) { return json.Marshal(c) }

func parseMark(mark []byte) (counts, error) {
	var c counts
	if err := json.Unmarshal(mark, &c); err != nil {
		return c, fmt.Errorf("%w: %q", ErrMark, mark)
	}
	for _, n := range c {
		if n < 0 || n > most {
			return c, fmt.Errorf("%w: %q", ErrMark, mark)
		}
	}
	return c, nil
}
