package logstore

import (
	"cmp"
	"maps"
	"slices"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/internal/heap"
	"github.com/politecrawl/politecrawl/crawler/frontier/internal/schedule"
	"github.com/politecrawl/politecrawl/crawler/frontier/internal/seen"
	"github.com/politecrawl/politecrawl/crawler/frontier/internal/siphash"
)

// An index is what is in memory of a log: where the record of each key is, and which URLs wait.
type index struct {
	file    *file
	seed    siphash.Key  // of the file
	records seen.Offsets // by the hash of the key; claimed while the first record is being written
	hosts   map[frontier.Host]*host
	timed   heap.Heap[timed]
	note    []byte
	counts  frontier.Counts
	sites   int    // number of hosts with URLs
	seq     uint64 // the largest urlRecord.seq
	live    int64  // size of the records that are the last of their key

	opts  Options
	sched *schedule.Schedule[*host, *entry] // its lock guards the other fields and the hosts
}

// setLog empties the index for a log.
func (x *index) setLog(f *file) {
	x.records.Clear()
	*x = index{file: f, seed: f.seed, hosts: make(map[frontier.Host]*host), opts: x.opts, sched: x.sched}
}

// claimed is the offset of a key whose record is being written. It is that of no record.
const claimed = 1

// Short names for types of package schedule.
type (
	instant = schedule.Instant
	slot    = schedule.Slot[*host, *entry]
)

// A host is a host in memory: it has pending URLs, open leases or holds, waiting callers or
// unwritten changes, or its delay has not passed. Other hosts are only in the log.
type host struct {
	schedule.Host[*host, *entry]

	name    frontier.Host
	counts  frontier.Counts
	origins []string // that have a robots.txt record
	queue   queue

	stored   bool // its record is written or queued
	changed  bool // since its record was written
	pins     int  // queued changes of it
	retiring bool // in Store.idle
}

// An entry is a leased URL.
type entry struct {
	returned
	url   urlRecord // read after the lease
	size  int       // of its record
	ended bool      // its attempt need not be written
}

// urlHash returns the hash of a URL, whose text begins with a letter.
func urlHash(seed *siphash.Key, text string) uint64 { return seed.Sum(text) }

// hostHash returns the hash of a host.
func hostHash(seed *siphash.Key, h frontier.Host) uint64 { return seed.Sum("\x00h" + string(h)) }

// robotsHash returns the hash of a robots.txt record.
func robotsHash(seed *siphash.Key, h frontier.Host, origin string) uint64 {
	return seed.Sum("\x00r" + string(h) + "\x00" + origin)
}

// add adds a URL whose record is at an offset, in any state.
func (x *index) add(h *host, u *urlRecord, at int64) {
	by := frontier.Counts{URLs: 1}
	switch u.state {
	case Done:
		by.Done = 1
	case Dropped:
		by.Dropped = 1
	case Scheduled:
		by.Scheduled = 1
		x.timed.Push(timed{u.ready, at})
	default:
		by.Pending = 1
		h.push(u, at)
	}
	x.count(h, by)
}

// push queues a pending URL.
func (h *host) push(u *urlRecord, at int64) {
	if u.seq == 0 {
		h.queue.push(u.priority, at)
	} else {
		h.queue.Again.Push(returned{u.seq, at, int32(u.attempts), u.priority})
	}
}

// host returns the host in memory, and creates an unknown one.
func (x *index) host(name frontier.Host) *host {
	h := x.hosts[name]
	if h == nil {
		h = x.newHost(name)
		x.hosts[name] = h
	}
	return h
}

// newHost returns a host with default settings.
func (x *index) newHost(name frontier.Host) *host {
	h := &host{name: name}
	h.Owner, h.Delay, h.Limit = h, x.opts.Delay, x.opts.MaxInFlight
	return h
}

// restore gives a host the settings of its record.
func (x *index) restore(h *host, r *hostRecord) {
	h.Delay, h.Limit, h.origins, h.stored = r.delay, max(r.limit, 1), r.origins, true
	h.Blocked = x.sched.Instant(r.blocked)
	h.Clock = x.sched.Instant(r.clock)
}

// record returns the record of h. In the log, leased URLs are pending.
func (x *index) record(h *host, now instant) *hostRecord {
	r := &hostRecord{
		name: h.name, delay: h.Delay, limit: h.Limit, origins: h.origins,
		blocked: x.sched.Ahead(h.Blocked, now), clock: x.sched.Ahead(h.Clock, now), counts: h.counts,
	}
	r.counts.Pending += r.counts.InFlight
	r.counts.InFlight = 0
	return r
}

// count changes the counts of h and of the index.
func (x *index) count(h *host, by frontier.Counts) {
	if h.counts.URLs == 0 && by.URLs > 0 {
		x.sites++
	}
	h.counts, x.counts = h.counts.Plus(by), x.counts.Plus(by)
	h.changed = true
}

// robotsOf returns where the robots.txt records of a host are.
func (x *index) robotsOf(h frontier.Host, origins []string) map[string]int64 {
	places := make(map[string]int64, len(origins))
	for _, origin := range origins {
		if at := x.records.Get(robotsHash(&x.seed, h, origin)); at > claimed {
			places[origin] = at
		}
	}
	return places
}

// byFirstURL returns the hosts with pending URLs in the order of their first one.
func (x *index) byFirstURL() []*host {
	first := make(map[*host]int64)
	for _, h := range x.hosts {
		if h.counts.Pending > 0 {
			first[h] = h.queue.first()
		}
	}
	return slices.SortedFunc(maps.Keys(first), func(a, b *host) int { return cmp.Compare(first[a], first[b]) })
}
