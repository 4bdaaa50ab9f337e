package pebblestore

import (
	"encoding/binary"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/internal/fields"
	"github.com/politecrawl/politecrawl/crawler/frontier/internal/schedule"
)

// Shorthands for the schedule's parts.
type (
	instant = schedule.Instant
	slot    = schedule.Slot[*host, *entry]
)

// A host is a host in memory: one that has URLs pending, or is asked, waited
// for or written at the moment, or was asked so lately that it may not be asked
// again. All others are a record on disk.
type host struct {
	schedule.Host[*host, *entry]

	id      hostID
	name    frontier.Host
	counts  frontier.Counts
	named   bool // its name is in the store, or in the queue of the committer
	changed bool // since its record was written
	pins    int  // changes on the way that will be applied to it

	window    window // of those pending
	refilling bool   // the committer was told to read on
	dry       bool   // there are URLs pending, and all are still to be read
	retiring  bool   // in Store.idle
}

// A hostRecord is what the store keeps of a host.
type hostRecord struct {
	name    frontier.Host
	run     uint64 // of the store, when it was written
	delay   time.Duration
	limit   int
	blocked time.Time
	clock   time.Time
	counts  frontier.Counts // right only for hosts that are not in memory
}

func appendHost(buf []byte, r *hostRecord) []byte {
	buf = fields.AppendString(buf, string(r.name))
	buf = binary.AppendUvarint(buf, r.run)
	buf = binary.AppendUvarint(buf, uint64(r.delay))
	buf = binary.AppendUvarint(buf, uint64(r.limit))
	buf = appendMillis(buf, r.blocked)
	buf = appendMillis(buf, r.clock)
	for _, n := range []int{r.counts.Pending, r.counts.Scheduled, r.counts.Done, r.counts.Dropped} {
		buf = binary.AppendUvarint(buf, uint64(n))
	}
	return buf
}

func (r *reader) host() *hostRecord {
	h := &hostRecord{
		name:    frontier.Host(r.String()),
		run:     r.Uvarint(),
		delay:   time.Duration(r.Int()),
		limit:   r.Int(),
		blocked: r.millis(),
		clock:   r.millis(),
	}
	c := &h.counts
	for _, n := range []*int{&c.Pending, &c.Scheduled, &c.Done, &c.Dropped} {
		*n = r.Int()
	}
	c.Added = c.Pending + c.Scheduled + c.Done + c.Dropped
	return h
}

// record returns what is to be written of h now. Those leased are pending on
// disk.
func (s *Store) record(h *host, now instant) *hostRecord {
	r := &hostRecord{
		name: h.name, run: s.run, delay: h.Delay, limit: h.Limit,
		blocked: s.sched.Ahead(h.Blocked, now), clock: s.sched.Ahead(h.Clock, now), counts: h.counts,
	}
	r.counts.Pending += r.counts.Leased
	r.counts.Leased = 0
	return r
}

// newHost returns a host that nothing is known of.
func (s *Store) newHost(name frontier.Host, id hostID) *host {
	h := &host{id: id, name: name}
	h.Owner, h.Delay, h.Limit = h, s.opts.Delay, s.opts.MaxInFlight
	return h
}

// revive returns the host of a record. One that is older than the opening of the
// store is not due earlier than its delay after that: a lease or a hold may have
// been open, and nobody knows when its request ended.
func (s *Store) revive(id hostID, r *hostRecord) *host {
	h := s.newHost(r.name, id)
	h.Delay, h.Limit, h.counts = r.delay, max(r.limit, 1), r.counts
	h.named = true
	h.Blocked = s.sched.Instant(r.blocked)
	h.Clock = s.sched.Instant(r.clock)
	if r.run != s.run {
		h.Clock = max(h.Clock, schedule.Later(0, r.delay))
	}
	return h
}

// enlist makes h known in memory.
func (s *Store) enlist(h *host) {
	s.hosts[h.name] = h
	s.byID[h.id] = h
}

// count changes the numbers of URLs of h, and of all.
func (s *Store) count(h *host, by frontier.Counts) {
	h.counts, s.counts = h.counts.Plus(by), s.counts.Plus(by)
	h.changed = true
}

// leases returns the numbers of the entries of h that are in somebody's hands,
// or whose end is still to be written. H may be nil.
func (h *host) leases() (numbers []uint64) {
	if h == nil {
		return nil
	}
	for _, slot := range h.Slots() {
		if slot.Entry != nil {
			numbers = append(numbers, slot.Entry.seq)
		}
	}
	return numbers
}
