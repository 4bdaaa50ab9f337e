package redisstore

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/internal/urlpath"
)

var errDamaged = errors.New("a record is damaged")

// encodeURL returns the URL and Meta of an item as they wait in a queue: without
// the host, which the queue has in its name.
func encodeURL(url string, host frontier.Host, meta []byte) string {
	path := urlpath.Cut(url, string(host))
	b := make([]byte, 0, 3+len(path)+len(meta))
	b = binary.AppendUvarint(b, uint64(len(path)))
	b = append(b, path...)
	return string(append(b, meta...))
}

// decodeURL is the reverse of encodeURL. Meta is nil when there is none.
func decodeURL(text string, host frontier.Host) (url string, meta []byte, err error) {
	path, rest, err := cutString(text)
	if err != nil {
		return "", nil, err
	}
	if rest != "" {
		meta = []byte(rest)
	}
	return urlpath.Join(string(host), path), meta, nil
}

// cutString cuts a string with its length in front off text.
func cutString(text string) (s, rest string, err error) {
	n, size := binary.Uvarint([]byte(text[:min(len(text), binary.MaxVarintLen64)]))
	if size <= 0 || n > uint64(len(text)-size) {
		return "", "", errDamaged
	}
	end := size + int(n)
	return text[size:end], text[end:], nil
}

func appendString(b []byte, s string) []byte {
	b = binary.AppendUvarint(b, uint64(len(s)))
	return append(b, s...)
}

// encodeValidators returns v as it is kept, which is never empty.
func encodeValidators(v *frontier.Validators) string {
	b := appendString(nil, v.ETag)
	b = appendString(b, v.LastModified)
	return string(append(b, v.BodyHash...))
}

func decodeValidators(text string) (*frontier.Validators, error) {
	if text == "" {
		return nil, nil
	}
	var v frontier.Validators
	var err1, err2 error
	v.ETag, text, err1 = cutString(text)
	v.LastModified, text, err2 = cutString(text)
	if text != "" {
		v.BodyHash = []byte(text)
	}
	return &v, errors.Join(err1, err2)
}

// encodeRobots returns r as it is kept: the first failure in milliseconds, the
// least number there is for none, and the record.
func encodeRobots(r frontier.Robots) string {
	since := int64(math.MinInt64)
	if !r.FailingSince.IsZero() {
		since = r.FailingSince.UnixMilli()
	}
	b := binary.BigEndian.AppendUint64(nil, uint64(since))
	return string(append(b, r.Data...))
}

func decodeRobots(text string) (frontier.Robots, error) {
	if len(text) < 8 {
		return frontier.Robots{}, errDamaged
	}
	r := frontier.Robots{Data: bytes.Clone([]byte(text[8:]))}
	if since := int64(binary.BigEndian.Uint64([]byte(text[:8]))); since != math.MinInt64 {
		r.FailingSince = time.UnixMilli(since)
	}
	return r, nil
}

// A ticket is what a LeaseID says: which lease of which shard, and where it is
// kept that its URL was seen.
type ticket struct {
	shard  int
	token  string
	bucket int
	hash   string
}

func (t ticket) id() frontier.LeaseID {
	return frontier.LeaseID(strconv.Itoa(t.shard) + "/" + t.token + "/" + strconv.Itoa(t.bucket) + "/" + t.hash)
}

// readTicket reads an ID of this crawl. Any other is one of a lease that is lost.
func (l *layout) readTicket(id frontier.LeaseID) (t ticket, ok bool) {
	parts := strings.Split(string(id), "/")
	if len(parts) != 4 {
		return t, false
	}
	shard, err1 := strconv.Atoi(parts[0])
	bucket, err2 := strconv.Atoi(parts[2])
	_, err3 := strconv.ParseUint(parts[3], 10, 63)
	t = ticket{shard, parts[1], bucket, parts[3]}
	return t, err1 == nil && err2 == nil && err3 == nil && parts[1] != "" &&
		0 <= shard && shard < l.shards && 0 <= bucket && bucket < l.buckets && t.id() == id
}

// encodeCalls returns calls of a script as an intent keeps them.
func encodeCalls(calls []call) string {
	b := binary.AppendUvarint(nil, uint64(len(calls)))
	for _, c := range calls {
		b = appendString(b, c.key)
		b = binary.AppendUvarint(b, uint64(len(c.args)))
		for _, a := range c.args {
			b = appendString(b, a)
		}
	}
	return string(b)
}

func decodeCalls(text string) ([]call, error) {
	number := func() int {
		n, size := binary.Uvarint([]byte(text[:min(len(text), binary.MaxVarintLen64)]))
		if size <= 0 || n > uint64(len(text)) { // each takes a byte at least
			return -1
		}
		text = text[size:]
		return int(n)
	}
	n := number()
	if n < 0 {
		return nil, errDamaged
	}
	calls := make([]call, n)
	for i := range calls {
		var err error
		if calls[i].key, text, err = cutString(text); err != nil {
			return nil, err
		}
		args := number()
		if args < 0 {
			return nil, errDamaged
		}
		calls[i].args = make([]string, args)
		for j := range calls[i].args {
			if calls[i].args[j], text, err = cutString(text); err != nil {
				return nil, err
			}
		}
	}
	if text != "" {
		return nil, fmt.Errorf("%w: %d bytes too many", errDamaged, len(text))
	}
	return calls, nil
}

// micros returns d in microseconds, as scripts take it: rounded up.
func micros(d time.Duration) string {
	us := d.Microseconds()
	if d%time.Microsecond > 0 {
		us++
	}
	return strconv.FormatInt(us, 10)
}

// until is micros of the time from now to t; "0" when that has passed.
func until(t time.Time) string {
	if t.IsZero() {
		return "0"
	}
	return micros(max(time.Until(t), 0))
}
