package pebblestore

import (
	"encoding/binary"
	"errors"
	"math"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

// A State is what has become of a URL.
type State uint8

// The states of a URL. As the store lies on disk those that are leased are
// pending: nobody has them any more.
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

// waiting is the state in the seen record of a URL that is in a queue or
// scheduled; which of them it is says the place of its entry.
const waiting = Pending

// An entry is a URL that waits, or is leased.
type entry struct {
	id         hostID
	seq        uint64 // order of discovery
	priority   uint8
	again      bool // its queue key was written more than once, or will be
	known      bool // there are validators of it
	attempts   int  // leases counted
	path       string
	meta       []byte
	validators *frontier.Validators // read for those that are known

	hash   uint64    // of the URL, once it was leased
	marked markState // guarded by queue.mu
}

func (e *entry) place() place { return place{e.priority, e.seq} }

const (
	flagAgain = 1 << iota
	flagKnown
)

// appendEntry appends what a queue record says of e beyond its key.
func appendEntry(buf []byte, e *entry) []byte {
	buf = append(buf, e.flags())
	if e.known {
		buf = binary.BigEndian.AppendUint64(buf, e.hash)
	}
	buf = binary.AppendUvarint(buf, uint64(e.attempts))
	return appendText(buf, e)
}

func (e *entry) flags() (flags byte) {
	if e.again {
		flags |= flagAgain
	}
	if e.known {
		flags |= flagKnown
	}
	return flags
}

// appendText appends what a caller has given of e.
func appendText(buf []byte, e *entry) []byte {
	buf = appendString(buf, e.path)
	return append(buf, e.meta...)
}

// appendTimed appends what a time record says of e beyond its key.
func appendTimed(buf []byte, e *entry) []byte {
	buf = binary.BigEndian.AppendUint32(buf, uint32(e.id))
	return appendEntry(append(buf, e.priority), e)
}

// appendOver appends the seen record of an entry that is done or dropped.
func appendOver(buf []byte, s State, e *entry) []byte {
	return appendText(append(buf, byte(s), e.flags(), e.priority), e)
}

// appendMark appends the attempt record of e.
func appendMark(buf []byte, e *entry) []byte {
	return binary.AppendUvarint(append(buf, e.priority), uint64(e.attempts))
}

// A reader reads a record from the front. After the first field that is not
// there all are zero, and bad is set.
type reader struct {
	rest []byte
	bad  bool
}

var errRecord = errors.New("a record is cut off")

func (r *reader) err() error {
	if r.bad {
		return errRecord
	}
	return nil
}

func (r *reader) bytes(n int) []byte {
	if r.bad || n < 0 || n > len(r.rest) {
		r.bad = true
		return nil
	}
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b
}

func (r *reader) byte() byte {
	if b := r.bytes(1); b != nil {
		return b[0]
	}
	return 0
}

func (r *reader) uint32() uint32 {
	if b := r.bytes(4); b != nil {
		return binary.BigEndian.Uint32(b)
	}
	return 0
}

func (r *reader) uint64() uint64 {
	if b := r.bytes(8); b != nil {
		return binary.BigEndian.Uint64(b)
	}
	return 0
}

func (r *reader) uvarint() uint64 {
	v, n := binary.Uvarint(r.rest)
	if r.bytes(n); n <= 0 || r.bad {
		r.bad = true
		return 0
	}
	return v
}

func (r *reader) int() int { return int(min(r.uvarint(), math.MaxInt)) }

func (r *reader) varint() int64 {
	v, n := binary.Varint(r.rest)
	if r.bytes(n); n <= 0 || r.bad {
		r.bad = true
		return 0
	}
	return v
}

func (r *reader) string() string { return string(r.bytes(r.int())) }

func appendString(buf []byte, s string) []byte {
	return append(binary.AppendUvarint(buf, uint64(len(s))), s...)
}

// queued reads the entry of a queue record.
func (r *reader) queued(key []byte) *entry {
	p := placeOf(key)
	e := &entry{id: idOf(key), seq: p.seq, priority: p.priority}
	r.entry(e)
	return e
}

// timed reads the entry of a time record, which appendTimed has written.
func (r *reader) timed(key []byte) *entry {
	e := &entry{seq: seqOf(key), id: hostID(r.uint32()), priority: r.byte()}
	r.entry(e)
	return e
}

// entry reads what appendEntry has written.
func (r *reader) entry(e *entry) {
	flags := r.byte()
	e.again, e.known = flags&flagAgain != 0, flags&flagKnown != 0
	if e.known {
		e.hash = r.uint64()
	}
	e.attempts = r.int()
	r.text(e)
}

func (r *reader) text(e *entry) {
	e.path = r.string()
	if len(r.rest) > 0 {
		e.meta = append(e.meta, r.rest...)
	}
}

// over reads what appendOver has written behind the state.
func (r *reader) over(e *entry) {
	e.known = r.byte()&flagKnown != 0
	e.priority = r.byte()
	r.text(e)
}

// mark reads an attempt record, which appendMark has written.
func (r *reader) mark(key []byte) *entry {
	return &entry{id: idOf(key), seq: seqOf(key), priority: r.byte(), attempts: r.int()}
}

func appendValidators(buf []byte, v *frontier.Validators) []byte {
	buf = appendString(buf, v.ETag)
	buf = appendString(buf, v.LastModified)
	return append(buf, v.BodyHash...)
}

func (r *reader) validators() *frontier.Validators {
	v := &frontier.Validators{ETag: r.string(), LastModified: r.string()}
	if len(r.rest) > 0 {
		v.BodyHash = append(v.BodyHash, r.rest...)
	}
	return v
}

func appendRobots(buf []byte, robots frontier.Robots) []byte {
	return append(appendMillis(buf, robots.FailingSince), robots.Data...)
}

func (r *reader) robots() frontier.Robots {
	robots := frontier.Robots{FailingSince: r.millis()}
	if len(r.rest) > 0 {
		robots.Data = append(robots.Data, r.rest...)
	}
	return robots
}

// appendMillis appends a time rounded up to the millisecond: what waits for it
// does not wait less.
func appendMillis(buf []byte, t time.Time) []byte {
	if t.IsZero() {
		return append(buf, 0)
	}
	return binary.AppendVarint(append(buf, 1), ceilMillis(t))
}

func ceilMillis(t time.Time) int64 { return t.Add(time.Millisecond - 1).UnixMilli() }

func (r *reader) millis() time.Time {
	if r.byte() == 0 {
		return time.Time{}
	}
	return time.UnixMilli(r.varint())
}
