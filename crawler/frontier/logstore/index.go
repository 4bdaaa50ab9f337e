package logstore

import (
	"errors"
	"io"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/internal/heap"
	"github.com/politecrawl/politecrawl/crawler/frontier/internal/schedule"
	"github.com/politecrawl/politecrawl/crawler/frontier/internal/seen"
	"github.com/politecrawl/politecrawl/crawler/frontier/internal/siphash"
	"github.com/politecrawl/politecrawl/crawler/internal/fields"
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

// A timed URL is scheduled.
type timed struct {
	Ready int64 // in Unix milliseconds
	At    int64 // offset of its record
}

// Before is for package heap.
func (t timed) Before(u timed) bool { return t.Ready < u.Ready }

// Placed is for package heap.
func (timed) Placed(int) {}

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

// A stored record is a record of a log with its place.
type stored struct {
	at   int64
	kind byte
	body []byte // with the kind; valid until the next record
	file *file
}

// fields returns a reader of the fields.
func (s *stored) fields() *fields.Reader { return &fields.Reader{Rest: s.body[1:]} }

// hash returns the hash of the key. It is false for a record without one.
func (s *stored) hash() (hash uint64, ok bool) {
	r, seed := s.fields(), &s.file.seed
	switch s.kind {
	case kindURL:
		r.Rest = r.Rest[min(2, len(r.Rest)):]
		hash = urlHash(seed, r.String())
	case kindHost:
		hash = hostHash(seed, frontier.Host(r.String()))
	case kindRobots:
		h := frontier.Host(r.String())
		hash = robotsHash(seed, h, r.String())
	default:
		return 0, false
	}
	return hash, !r.Bad
}

// each calls do for each record of the commits of a log up to an offset. It returns the end of the
// last whole frame, and errTorn or ErrDamaged if more follows.
func (f *file) each(to int64, do func(s *stored) error) (end int64, err error) {
	scan := f.scan(f.start, to)
	for {
		frame, err := scan.next(typeCommit)
		if errors.Is(err, io.EOF) {
			return scan.at, nil
		}
		if err != nil {
			return scan.at, err
		}
		for at, body := range f.records(scan.at-int64(len(frame)), frame) {
			err := do(&stored{at, body[0], body, f})
			if errors.Is(err, fields.ErrCut) { // its checksum is right
				err = damaged(f.path, at, "the fields of a record are not valid")
			}
			if err != nil {
				return scan.at, err
			}
		}
	}
}

// A replaying reads a log into an index.
type replaying struct {
	*index
	open    map[int64]attempt         // of leases that did not end, by the offset of the URL
	written map[*host]frontier.Counts // in the records of hosts
}

// replay reads the whole log into an empty index: first where the records are, then, of each
// key, the last one. It returns the end of the last whole frame, and errTorn or ErrDamaged if the
// log has more. A host is changed if its record has other counts.
func (x *index) replay() (end int64, broken error) {
	r := &replaying{x, make(map[int64]attempt), make(map[*host]frontier.Counts)}
	end, broken = x.file.each(x.file.size, r.locate)
	if _, err := x.file.each(end, r.place); err != nil {
		return end, err
	}
	r.compareCounts()
	return end, broken
}

// compareCounts marks the hosts whose records have other counts as changed.
func (r *replaying) compareCounts() {
	for _, h := range r.hosts {
		h.changed = h.counts != r.written[h]
	}
}

// locate notes where a record is.
func (r *replaying) locate(s *stored) error {
	if s.kind == kindAttempt {
		f := s.fields()
		a := readAttempt(f)
		r.open[a.of] = a
		return f.Err()
	}
	if hash, ok := s.hash(); ok {
		delete(r.open, r.records.Set(hash, s.at))
	} else if s.kind != kindNote {
		return fields.ErrCut
	}
	return nil
}

// place puts what a record says into the index, if it is the last one of its key.
func (r *replaying) place(s *stored) error {
	f := s.fields()
	hash, keyed := s.hash()
	if keyed && r.records.Get(hash) == s.at {
		r.live += int64(len(s.body))
	}
	switch {
	case s.kind == kindNote:
		r.note = append([]byte{}, f.Rest...)
	case !keyed || r.records.Get(hash) != s.at:
		return nil // another one follows
	case s.kind == kindHost:
		rec := readHost(f)
		h := r.host(rec.name)
		r.written[h] = rec.counts
		r.restore(h, rec)
	case s.kind == kindURL:
		u := readURL(f)
		h := r.host(u.host)
		if a, ok := r.open[s.at]; ok {
			u.state, u.attempts, u.seq = Pending, a.attempts, a.seq
		}
		r.seq = max(r.seq, u.seq)
		r.add(h, &u, s.at)
	}
	return f.Err()
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

// readURL reads the record of a URL. size is that of its body.
func (f *file) readURL(at int64) (u urlRecord, size int, err error) {
	body, err := f.record(at)
	if err != nil {
		return u, 0, err
	}
	r := &fields.Reader{Rest: body[1:]}
	u = readURL(r)
	if body[0] != kindURL || r.Bad {
		return u, 0, damaged(f.path, at, "it is not the record of a URL")
	}
	return u, len(body), nil
}

// readHost reads the record of a host.
func (f *file) readHost(at int64) (*hostRecord, error) {
	body, err := f.record(at)
	if err != nil {
		return nil, err
	}
	r := &fields.Reader{Rest: body[1:]}
	h := readHost(r)
	if body[0] != kindHost || r.Bad {
		return nil, damaged(f.path, at, "it is not the record of a host")
	}
	return h, nil
}

// readRobots reads robots.txt records of a host.
func (f *file) readRobots(places map[string]int64) (map[string]frontier.Robots, error) {
	if len(places) == 0 {
		return nil, nil
	}
	all := make(map[string]frontier.Robots, len(places))
	for origin, at := range places {
		body, err := f.record(at)
		if err != nil {
			return nil, err
		}
		r := &fields.Reader{Rest: body[1:]}
		_, found, robots := readRobots(r)
		if body[0] != kindRobots || r.Bad || found != origin {
			return nil, damaged(f.path, at, "it is not the record of a robots.txt")
		}
		all[origin] = robots
	}
	return all, nil
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
