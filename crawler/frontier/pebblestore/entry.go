package pebblestore

import (
	"encoding/binary"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/internal/urlpath"
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

// waiting is the state in the seen record of a pending or scheduled URL. The kind of its entry
// says which of them it is.
const waiting = Pending

// An entry is a URL that is pending, scheduled or leased.
type entry struct {
	id         hostID
	seq        uint64 // order of discovery
	priority   uint8
	again      bool   // its queue key was written more than once, or will be
	known      bool   // it has validators
	attempts   int    // counted leases
	path       string // of the text of its key, see urlpath.Cut
	meta       []byte
	validators *frontier.Validators // loaded if known

	hash   uint64    // of the text of its key, set by the first lease
	marked markState // guarded by queue.mu
}

// item returns the item of e, whose host is h. It shares Meta.
func (e *entry) item(h frontier.Host) frontier.Item {
	key := frontier.ParseKey(urlpath.Join(string(h), e.path))
	return frontier.Item{Kind: key.Kind, URL: key.URL, Owner: key.Owner, Host: h, Priority: e.priority, Meta: e.meta}
}

func (e *entry) place() place { return place{e.priority, e.seq} }

const (
	flagAgain = 1 << iota
	flagKnown
)

// appendEntry appends the value of the queue record of e.
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

// appendText appends the path and Meta of e.
func appendText(buf []byte, e *entry) []byte {
	buf = fields.AppendString(buf, e.path)
	return append(buf, e.meta...)
}

// appendTimed appends the value of the time record of e.
func appendTimed(buf []byte, e *entry) []byte {
	buf = binary.BigEndian.AppendUint32(buf, uint32(e.id))
	return appendEntry(append(buf, e.priority), e)
}

// appendFinished appends the seen record of an entry that is done or dropped.
func appendFinished(buf []byte, s State, e *entry) []byte {
	return appendText(append(buf, byte(s), e.flags(), e.priority), e)
}

// appendMark appends the attempt record of e.
func appendMark(buf []byte, e *entry) []byte {
	return binary.AppendUvarint(append(buf, e.priority), uint64(e.attempts))
}

// A reader reads records.
type reader struct{ fields.Reader }

func newReader(value []byte) *reader { return &reader{fields.Reader{Rest: value}} }

// queued reads the entry of a queue record.
func (r *reader) queued(key []byte) *entry {
	p := placeOf(key)
	e := &entry{id: idOf(key), seq: p.seq, priority: p.priority}
	r.entry(e)
	return e
}

// timed reads the entry of a time record, as written by appendTimed.
func (r *reader) timed(key []byte) *entry {
	e := &entry{seq: seqOf(key), id: hostID(r.Uint32()), priority: r.Byte()}
	r.entry(e)
	return e
}

// entry reads the value that appendEntry wrote.
func (r *reader) entry(e *entry) {
	flags := r.Byte()
	e.again, e.known = flags&flagAgain != 0, flags&flagKnown != 0
	if e.known {
		e.hash = r.Uint64()
	}
	e.attempts = r.Int()
	r.text(e)
}

func (r *reader) text(e *entry) {
	e.path, e.meta = r.String(), r.Tail()
}

// finished reads the value that appendFinished wrote, after the state.
func (r *reader) finished(e *entry) {
	e.known = r.Byte()&flagKnown != 0
	e.priority = r.Byte()
	r.text(e)
}

// mark reads an attempt record, as written by appendMark.
func (r *reader) mark(key []byte) *entry {
	return &entry{id: idOf(key), seq: seqOf(key), priority: r.Byte(), attempts: r.Int()}
}

func appendRobots(buf []byte, robots frontier.Robots) []byte {
	return append(appendMillis(buf, robots.FailingSince), robots.Data...)
}

func (r *reader) robots() frontier.Robots {
	return frontier.Robots{FailingSince: r.millis(), Data: r.Tail()}
}

// appendMillis appends a time in milliseconds, rounded up so that no wait gets shorter.
func appendMillis(buf []byte, t time.Time) []byte {
	if t.IsZero() {
		return append(buf, 0)
	}
	return binary.AppendVarint(append(buf, 1), ceilMillis(t))
}

func ceilMillis(t time.Time) int64 { return t.Add(time.Millisecond - 1).UnixMilli() }

func (r *reader) millis() time.Time {
	if r.Byte() == 0 {
		return time.Time{}
	}
	return time.UnixMilli(r.Varint())
}
