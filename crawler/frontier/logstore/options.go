package logstore

import (
	"cmp"
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
	// CheckLog reads and checks the whole log, even if an index saves that. A recrawl reads all of it anyway.
	CheckLog bool
	// Logger logs what Open cut from the end of the log, and why it did not compact it or Close wrote no
	// index. Nil means no logging.
	Logger *slog.Logger

	compactFrom int64 // size of the smallest log that is compacted
}

// A Durability is the kind of crash that acknowledged writes survive.
type Durability uint8

const (
	// Process: acknowledged writes survive the end of the process, even by SIGKILL. They have
	// been passed to the operating system. A power failure may damage the log.
	Process Durability = iota
	// Power: acknowledged writes also survive a crash of the operating system and a power
	// failure. Each commit is flushed to the disk (fsync), so a call takes milliseconds.
	// Concurrent callers share a flush.
	Power
)

func (o *Options) withDefaults() Options {
	var opts Options
	if o != nil {
		opts = *o
	}
	opts.Delay = max(opts.Delay, 0)
	opts.MaxInFlight = max(opts.MaxInFlight, 1)
	opts.LeaseTime = cmp.Or(max(opts.LeaseTime, 0), 10*time.Minute)
	opts.compactFrom = cmp.Or(opts.compactFrom, 1<<20)
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	return opts
}
