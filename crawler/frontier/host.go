package frontier

import (
	"bytes"
	"maps"
	"time"
)

// A HostRecord is what a frontier knows of one host.
type HostRecord struct {
	Host Host
	// Delay is the least time between two requests, and MaxInFlight the most
	// at once. Where MaxInFlight is 1, Delay is kept from the end of a
	// request (Finish) to the start of the next (Lease); where it is more,
	// from start to start (ROB-POL-02). See Outcome.HostDelay for a delay
	// that one request asks for.
	Delay       time.Duration
	MaxInFlight int
	// BlockedUntil is the latest time that BlockUntil was ever set to. Zero:
	// that has passed.
	BlockedUntil time.Time
	// Due is when the host's clock allows the next request, if a slot is
	// free, whether or not it has a URL that waits. Zero: now.
	Due time.Time
	// Robots are the records of robots.txt by origin, as they were given to
	// UpdateHost: http://h and https://h are one host and have a file each.
	Robots map[string]Robots
	// Counts are the host's URLs by state.
	Counts
}

// A HostUpdate changes what its fields say and leaves the rest of a
// HostRecord as it is.
type HostUpdate struct {
	// Delay, when not nil, is the new HostRecord.Delay. It holds from the
	// next end of a request on, and does not change what the host's clock
	// says already. Less than zero: zero.
	Delay *time.Duration
	// MaxInFlight, when above zero, is the new HostRecord.MaxInFlight. Leases
	// already open stay.
	MaxInFlight int
	// BlockUntil, when not zero, is a time before which the host gets no
	// lease and no hold (Retry-After, ROB-POL-04). The latest one counts, so
	// that of several answers that come at once none lifts the block of
	// another.
	BlockUntil time.Time
	// Robots replaces the records of its origins in HostRecord.Robots, and
	// leaves those of others.
	Robots map[string]Robots
}

// Robots is what is known of an origin's robots.txt, kept beside the host's clock
// for whoever judges by it, so that all workers on a store share it and a
// restart does not lose it. A store does not look at it.
type Robots struct {
	// FailingSince is when the present unbroken run of failures to fetch it
	// began (the 30-day rule of RFC 9309 section 2.3.1.4 counts from there).
	// Zero: it is not failing. Kept to the millisecond.
	FailingSince time.Time
	// Data is the record in the encoding of its writer.
	Data []byte
}

// cloneRobots returns a copy of records that shares no memory with them.
func cloneRobots(records map[string]Robots) map[string]Robots {
	clone := maps.Clone(records)
	for origin, r := range clone {
		clone[origin] = Robots{FailingSince: r.FailingSince, Data: bytes.Clone(r.Data)}
	}
	return clone
}
