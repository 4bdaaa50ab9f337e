package quota

import (
	"context"
	"maps"
)

// Counters count what all processes of a crawl have taken of its limits.
type Counters interface {
	// Take adds to a counter as much of n as keeps it at most at a limit, and returns
	// how much. Less than zero gives back.
	Take(ctx context.Context, counter string, n, most int64) (got int64, err error)
	// Set sets what this process has taken of each counter.
	Set(ctx context.Context, taken map[string]int64) error
	// BytesElsewhere returns how many bytes other processes have fetched, as far as is
	// known.
	BytesElsewhere() int64
}

// LocalCounters are the counters of a crawl of one process.
type LocalCounters map[string]int64

// Take implements Counters.
func (c LocalCounters) Take(_ context.Context, counter string, n, most int64) (int64, error) {
	n = min(n, max(most-c[counter], 0))
	c[counter] += n
	return n, nil
}

// Set implements Counters.
func (c LocalCounters) Set(_ context.Context, taken map[string]int64) error {
	maps.Copy(c, taken)
	return nil
}

// BytesElsewhere implements Counters.
func (LocalCounters) BytesElsewhere() int64 { return 0 }

// The names of counters. HostCounter is followed by the host.
const (
	PageCounter = "pages"
	HostCounter = "pages of "
)
