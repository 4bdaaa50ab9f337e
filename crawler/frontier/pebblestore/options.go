package pebblestore

import (
	"log/slog"
	"time"
)

// Options are the settings of a Store.
type Options struct {
	// Delay and MaxInFlight are those of a host that is new, until UpdateHost
	// changes them. 0: no delay, and 1 in flight.
	Delay       time.Duration
	MaxInFlight int
	// LeaseTime is the length of a lease whose request leaves it open, and of
	// a hold. 0: 10 minutes.
	LeaseTime time.Duration
	// Durability says what the store is safe against. 0: Process.
	Durability Durability
	// SeenBytes is the most memory that the URLs ever seen may take, at 9 to
	// 14 bytes each, before those asked for less lately are looked up in the
	// database. 0: 1 GiB, which is some 100 million URLs.
	SeenBytes int64
	// Logger is told of what goes on inside the database. Nil: nobody is.
	Logger *slog.Logger

	readAhead int    // URLs in memory for all hosts together, but for the least of each
	memTable  uint64 // bytes that the database collects before it writes a table
}

// A Durability says which accidents what the store has acknowledged outlives.
type Durability uint8

const (
	// Process: the end of the process at any moment, also by SIGKILL. What
	// is acknowledged is in the hands of the operating system.
	Process Durability = iota
	// Power: also the end of the operating system, by a crash or a power
	// cut. What is acknowledged was flushed to the disk, which takes a disk
	// its time: a call takes milliseconds, and the more callers share a
	// flush the more goes through.
	Power
)

const (
	defaultLeaseTime = 10 * time.Minute
	defaultSeenBytes = 1 << 30
	cacheBytes       = 32 << 20 // of the database's cache of blocks
	defaultReadAhead = 200_000
	defaultMemTable  = 32 << 20
)

func (o *Options) withDefaults() Options {
	var opts Options
	if o != nil {
		opts = *o
	}
	opts.Delay = max(opts.Delay, 0)
	opts.MaxInFlight = max(opts.MaxInFlight, 1)
	if opts.LeaseTime <= 0 {
		opts.LeaseTime = defaultLeaseTime
	}
	if opts.SeenBytes <= 0 {
		opts.SeenBytes = defaultSeenBytes
	}
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	if opts.readAhead == 0 {
		opts.readAhead = defaultReadAhead
	}
	if opts.memTable == 0 {
		opts.memTable = defaultMemTable
	}
	return opts
}
