package logstore

import (
	"encoding/binary"
	"fmt"
	"math"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/fields"
)

// A State is the state of a URL.
type State uint8

// The states of a URL. A URL that was leased when the process ended is pending.
const (
	Pending State = iota
	Scheduled
	Done
	Dropped
)

var stateNames = [...]string{Pending: "pending", Scheduled: "scheduled", Done: "done", Dropped: "dropped"}

// String returns the state in lower case.
func (s State) String() string {
	if int(s) < len(stateNames) {
		return stateNames[s]
	}
	return "unknown"
}

// The kinds of records. The package comment has their fields.
const (
	kindURL     = 'u'
	kindAttempt = 'a'
	kindHost    = 'h'
	kindRobots  = 'r'
	kindNote    = 'n'
)

// Flags of the record of a URL; the bits below are its State.
const (
	flagHost = 1 << (iota + 2)
	flagSeq
	flagValidators
	stateBits = 3
)

// A urlRecord is the record of a URL.
type urlRecord struct {
	state      State
	priority   uint8
	attempts   int
	seq        uint64 // its place among the URLs that were leased or scheduled before; 0 if it was not
	ready      int64  // if scheduled: when, in Unix milliseconds
	host       frontier.Host
	key        string // text of its key
	meta       []byte
	validators *frontier.Validators
}

// item returns the item of u, which has its Meta.
func (u *urlRecord) item() frontier.Item {
	key := frontier.ParseKey(u.key)
	return frontier.Item{Kind: key.Kind, URL: key.URL, Owner: key.Owner, Host: u.host, Priority: u.priority, Meta: u.meta}
}

func appendURL(buf []byte, u *urlRecord) []byte {
	flags := byte(u.state)
	own, err := frontier.HostOf(u.key)
	if err != nil || own != u.host {
		flags |= flagHost
	}
	if u.seq != 0 {
		flags |= flagSeq
	}
	if u.validators != nil {
		flags |= flagValidators
	}
	buf = append(buf, kindURL, flags, u.priority)
	buf = fields.AppendString(buf, u.key)
	if flags&flagHost != 0 {
		buf = fields.AppendString(buf, string(u.host))
	}
	if flags&flagSeq != 0 {
		buf = binary.AppendUvarint(buf, uint64(u.attempts))
		buf = binary.AppendUvarint(buf, u.seq)
	}
	if u.state == Scheduled {
		buf = binary.AppendVarint(buf, u.ready)
	}
	if v := u.validators; v != nil {
		buf = fields.AppendString(buf, v.ETag)
		buf = fields.AppendString(buf, v.LastModified)
		buf = fields.AppendString(buf, string(v.BodyHash))
	}
	return append(buf, u.meta...)
}

// readURL reads what appendURL wrote after the kind.
func readURL(r *fields.Reader) (u urlRecord) {
	flags := r.Byte()
	u.state, u.priority = State(flags&stateBits), r.Byte()
	u.key = r.String()
	if flags&flagHost != 0 {
		u.host = frontier.Host(r.String())
	} else {
		var err error
		u.host, err = frontier.HostOf(u.key)
		r.Bad = r.Bad || err != nil
	}
	if flags&flagSeq != 0 {
		u.attempts, u.seq = r.Int(), r.Uvarint()
	}
	if u.state == Scheduled {
		u.ready = r.Varint()
	}
	if flags&flagValidators != 0 {
		u.validators = &frontier.Validators{ETag: r.String(), LastModified: r.String()}
		if hash := r.String(); hash != "" {
			u.validators.BodyHash = []byte(hash)
		}
	}
	u.meta = r.Tail()
	return u
}

// An attempt is the record of a lease: the offset of the record of its URL, and what changes in it.
type attempt struct {
	of       int64
	attempts int
	seq      uint64
}

func appendAttempt(buf []byte, a attempt) []byte {
	buf = binary.AppendUvarint(append(buf, kindAttempt), uint64(a.of))
	buf = binary.AppendUvarint(buf, uint64(a.attempts))
	return binary.AppendUvarint(buf, a.seq)
}

func readAttempt(r *fields.Reader) attempt {
	return attempt{of: int64(min(r.Uvarint(), math.MaxInt64)), attempts: r.Int(), seq: r.Uvarint()}
}

// A hostRecord is the record of a host.
type hostRecord struct {
	name    frontier.Host
	delay   time.Duration
	limit   int
	blocked time.Time
	clock   time.Time
	counts  frontier.Counts // outdated while the host is in memory
	origins []string        // those with a robots.txt record
}

func encodeHost(h *hostRecord) []byte {
	buf := fields.AppendString([]byte{kindHost}, string(h.name))
	buf = binary.AppendUvarint(buf, uint64(h.delay))
	buf = binary.AppendUvarint(buf, uint64(h.limit))
	buf = appendMillis(buf, h.blocked)
	buf = appendMillis(buf, h.clock)
	for _, n := range []int{h.counts.Pending, h.counts.Scheduled, h.counts.Done, h.counts.Dropped} {
		buf = binary.AppendUvarint(buf, uint64(n))
	}
	buf = binary.AppendUvarint(buf, uint64(len(h.origins)))
	for _, origin := range h.origins {
		buf = fields.AppendString(buf, origin)
	}
	return buf
}

func readHost(r *fields.Reader) *hostRecord {
	h := &hostRecord{
		name: frontier.Host(r.String()), delay: time.Duration(min(r.Uvarint(), math.MaxInt64)), limit: r.Int(),
		blocked: readMillis(r), clock: readMillis(r),
	}
	c := &h.counts
	for _, n := range []*int{&c.Pending, &c.Scheduled, &c.Done, &c.Dropped} {
		*n = r.Int()
	}
	c.URLs = c.Pending + c.Scheduled + c.Done + c.Dropped
	for range r.Count() {
		h.origins = append(h.origins, r.String())
	}
	return h
}

func appendRobots(buf []byte, h frontier.Host, origin string, robots frontier.Robots) []byte {
	buf = fields.AppendString(append(buf, kindRobots), string(h))
	buf = fields.AppendString(buf, origin)
	buf = appendMillis(buf, robots.FailingSince)
	return append(buf, robots.Data...)
}

func readRobots(r *fields.Reader) (h frontier.Host, origin string, robots frontier.Robots) {
	h, origin = frontier.Host(r.String()), r.String()
	return h, origin, frontier.Robots{FailingSince: readMillis(r), Data: r.Tail()}
}

// appendMillis appends a time in milliseconds, rounded up so that no wait gets shorter; 0 for none.
func appendMillis(buf []byte, t time.Time) []byte {
	if t.IsZero() {
		return binary.AppendVarint(buf, 0)
	}
	return binary.AppendVarint(buf, ceilMillis(t))
}

func ceilMillis(t time.Time) int64 { return t.Add(time.Millisecond - 1).UnixMilli() }

func readMillis(r *fields.Reader) time.Time {
	if ms := r.Varint(); ms != 0 {
		return time.UnixMilli(ms)
	}
	return time.Time{}
}

// read decodes the fields of the record at an offset, which has a kind, and returns the size of its body.
func (f *file) read(at int64, kind byte, decode func(*fields.Reader)) (size int, err error) {
	body, err := f.record(at)
	if err != nil {
		return 0, err
	}
	r := &fields.Reader{Rest: body[1:]}
	if decode(r); body[0] != kind || r.Bad {
		return 0, damaged(f.path, at, fmt.Sprintf("it is not a record of kind %q", kind))
	}
	return len(body), nil
}

// readURL reads the record of a URL.
func (f *file) readURL(at int64) (u urlRecord, size int, err error) {
	size, err = f.read(at, kindURL, func(r *fields.Reader) { u = readURL(r) })
	return u, size, err
}

// readHost reads the record of a host.
func (f *file) readHost(at int64) (h *hostRecord, err error) {
	_, err = f.read(at, kindHost, func(r *fields.Reader) { h = readHost(r) })
	return h, err
}

// readRobots reads robots.txt records of a host.
func (f *file) readRobots(offsets map[string]int64) (map[string]frontier.Robots, error) {
	if len(offsets) == 0 {
		return nil, nil
	}
	all := make(map[string]frontier.Robots, len(offsets))
	for origin, at := range offsets {
		_, err := f.read(at, kindRobots, func(r *fields.Reader) { _, _, all[origin] = readRobots(r) })
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}
