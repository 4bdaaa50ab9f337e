package frontier

import (
	"bytes"
	"maps"
	"time"
)

// A HostRecord is the state of a host.
type HostRecord struct {
	Host Host
	// Delay is the minimum time between two requests, and MaxInFlight the maximum number of
	// concurrent requests. If MaxInFlight is 1, Delay runs from the end of a request
	// (Finish) to the start of the next (Lease); else from start to start. Outcome.HostDelay
	// sets a longer delay after one request.
	Delay       time.Duration
	MaxInFlight int
	// BlockedUntil is the end of a block by HostUpdate.BlockUntil, or zero if the host is not blocked.
	BlockedUntil time.Time
	// Due is the earliest time of the next request, if a slot is free then. Zero means now.
	Due time.Time
	// Robots are the robots.txt records by origin, as passed to UpdateHost: http://h and
	// https://h are one host with a robots.txt each.
	Robots map[string]Robots
	// Counts are the numbers of the host's URLs by state.
	Counts
}

// A HostUpdate changes fields of a HostRecord.
type HostUpdate struct {
	// Delay, if not nil, is the new HostRecord.Delay. It applies from the next end of a
	// request and does not change the current due time. Negative values count as zero.
	Delay *time.Duration
	// MaxInFlight, if positive, is the new HostRecord.MaxInFlight. Open leases stay valid.
	MaxInFlight int
	// BlockUntil, if not zero, blocks the host until this time (Retry-After): it gets no
	// lease and no hold. An update never shortens an earlier block.
	BlockUntil time.Time
	// Robots are new robots.txt records by origin. Records of other origins do not change.
	Robots map[string]Robots
}

// Robots is the robots.txt record of an origin. The frontier stores it so that all workers
// share it and it survives a restart. A store does not interpret it.
type Robots struct {
	// FailingSince is the time of the first failure since the last successful fetch. The 30-day
	// rule of RFC 9309 section 2.3.1.4 counts from it. It is zero if the last fetch succeeded. Its
	// precision is a millisecond.
	FailingSince time.Time
	// Data is the record, encoded by its writer.
	Data []byte
}

// cloneRobots returns a deep copy of records.
func cloneRobots(records map[string]Robots) map[string]Robots {
	clone := maps.Clone(records)
	for origin, r := range clone {
		clone[origin] = Robots{FailingSince: r.FailingSince, Data: bytes.Clone(r.Data)}
	}
	return clone
}
