package pebblestore

import (
	"log/slog"
	"time"
)

// Options configure a Store.
type Options struct {
	// Delay and MaxInFlight are the values of a new host, until UpdateHost changes them.
	// 0 means no delay, and 1 request in flight.
	Delay       time.Duration
	MaxInFlight int
	// LeaseTime is the duration of holds, and of leases if LeaseRequest.Duration is 0.
	// 0 means 10 minutes.
	LeaseTime time.Duration
	// Durability is the kind of crash that acknowledged writes survive. 0 means Process.
	Durability Durability
	// SeenBytes is the maximum memory for the hashes of known URLs, 9 to 14 bytes each. If
	// they need more, the store keeps the most recently used, and looks other URLs up in the
	// database. 0 means 1 GiB, enough for about 100 million URLs.
	SeenBytes int64
	// Logger logs messages of the database. Nil means no logging.
	Logger *slog.Logger

	readAhead int    // URLs in memory for all hosts; each host may have minWindow
	memTable  uint64 // size of the database's memtable, in bytes
}

// A Durability is the kind of crash that acknowledged writes survive.
type Durability uint8

const (
	// Process: acknowledged writes survive the end of the process, even by SIGKILL. They have
	// been passed to the operating system.
	Process Durability = iota
	// Power: acknowledged writes also survive a crash of the operating system and a power
	// failure. Each commit is flushed to the disk (fsync), so a call takes milliseconds.
	// Concurrent callers share a flush.
	Power
)

const (
	defaultLeaseTime = 10 * time.Minute
	defaultSeenBytes = 1 << 30
	cacheBytes       = 32 << 20 // block cache of the database
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
