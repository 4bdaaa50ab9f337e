package pebblestore

import (
	"encoding/binary"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/internal/schedule"
	"github.com/politecrawl/politecrawl/crawler/internal/fields"
)

// Short names for types of package schedule.
type (
	instant = schedule.Instant
	slot    = schedule.Slot[*host, *entry]
)

// A host is a host in memory: it has pending URLs, open leases or holds, waiting callers or
// unwritten changes, or its delay has not passed. Other hosts are only on disk.
type host struct {
	schedule.Host[*host, *entry]

	id       hostID
	name     frontier.Host
	counts   frontier.Counts
	named    bool // its name is stored or queued
	changed  bool // since its record was written
	noRobots bool // no robots.txt record is stored or queued; false: unknown
	pins     int  // queued changes of it

	window    window // of pending URLs
	refilling bool   // a refill is queued
	dry       bool   // its next pending URL is still to be read
	retiring  bool   // in Store.idle
}

// A hostRecord is the stored record of a host.
type hostRecord struct {
	name    frontier.Host
	run     uint64 // Store.run when it was written
	delay   time.Duration
	limit   int
	blocked time.Time
	clock   time.Time
	counts  frontier.Counts // outdated while the host is in memory
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
	c.URLs = c.Pending + c.Scheduled + c.Done + c.Dropped
	return h
}

// record returns the record of h to be written. On disk, leased URLs are pending.
func (s *Store) record(h *host, now instant) *hostRecord {
	r := &hostRecord{
		name: h.name, run: s.run, delay: h.Delay, limit: h.Limit,
		blocked: s.sched.Ahead(h.Blocked, now), clock: s.sched.Ahead(h.Clock, now), counts: h.counts,
	}
	r.counts.Pending += r.counts.InFlight
	r.counts.InFlight = 0
	return r
}

// newHost returns a host with default settings.
func (s *Store) newHost(name frontier.Host, id hostID) *host {
	h := &host{id: id, name: name}
	h.Owner, h.Delay, h.Limit = h, s.opts.Delay, s.opts.MaxInFlight
	return h
}

// restoreHost returns the host of a record. If the record is older than the opening of the store,
// a request may have been in flight, so the host waits at least its delay from then.
func (s *Store) restoreHost(id hostID, r *hostRecord) *host {
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

// register adds h to the hosts in memory.
func (s *Store) register(h *host) {
	s.hosts[h.name] = h
	s.byID[h.id] = h
}

// count changes the counts of h and of the store.
func (s *Store) count(h *host, by frontier.Counts) {
	h.counts, s.counts = h.counts.Plus(by), s.counts.Plus(by)
	h.changed = true
}

// leasedSeqs returns the numbers of the entries of h that are leased, or whose end is not written
// yet. h may be nil.
func (h *host) leasedSeqs() (numbers []uint64) {
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
