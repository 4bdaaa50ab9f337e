package sqlite

import (
	"encoding/json"
	"fmt"
)

// The tables in the order of a checkpoint. Add new tables at the end.
const (
	pages = iota
	rejected
	urls
	link
	sitemaps
	entries
	robots
	checks
	resource
	permissions
	tables
)

var tableNames = [tables]string{"pages", "rejected", "urls", "link", "sitemaps", "entries", "robots", "checks", "resource", "permissions"}

// counts has the highest id of each table. A checkpoint is its JSON.
//
// The sink assigns the ids, so that the ids of lost rows are not used again.
type counts [tables]int64

// most is more than any table can have, without overflow.
const most = 1 << 53

func parseCheckpoint(checkpoint []byte) (counts, error) {
	var c counts
	if err := json.Unmarshal(checkpoint, &c); err != nil {
		return c, fmt.Errorf("%w: %q", ErrCheckpoint, checkpoint)
	}
	for _, n := range c {
		if n < 0 || n > most {
			return c, fmt.Errorf("%w: %q", ErrCheckpoint, checkpoint)
		}
	}
	return c, nil
}
