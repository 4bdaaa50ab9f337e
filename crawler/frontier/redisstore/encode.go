package redisstore

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/internal/urlpath"
	"github.com/politecrawl/politecrawl/crawler/internal/fields"
)

var errDamaged = errors.New("a record is damaged")

// encodeKey encodes the key and Meta of an item for a queue. The host is part of the queue's name,
// so it is omitted.
func encodeKey(key string, host frontier.Host, meta []byte) string {
	path := urlpath.Cut(key, string(host))
	b := make([]byte, 0, 3+len(path)+len(meta))
	return string(append(fields.AppendString(b, path), meta...))
}

// decodeItem decodes an item with a key from encodeKey. An empty Meta is nil.
func decodeItem(text string, host frontier.Host) (frontier.Item, error) {
	r := fields.Reader{Rest: []byte(text)}
	path := r.String()
	key := frontier.ParseKey(urlpath.Join(string(host), path))
	return frontier.Item{Kind: key.Kind, URL: key.URL, Owner: key.Owner, Host: host, Meta: r.Tail()}, r.Err()
}

// encodeValidators encodes v. The result is never empty.
func encodeValidators(v *frontier.Validators) string { return string(fields.AppendValidators(nil, v)) }

func decodeValidators(text string) (*frontier.Validators, error) {
	if text == "" {
		return nil, nil
	}
	r := fields.Reader{Rest: []byte(text)}
	return r.Validators(), r.Err()
}

// encodeRobots encodes r: the first failure in Unix milliseconds, or math.MinInt64, and the data.
func encodeRobots(r frontier.Robots) string {
	since := int64(math.MinInt64)
	if !r.FailingSince.IsZero() {
		since = r.FailingSince.UnixMilli()
	}
	b := binary.BigEndian.AppendUint64(nil, uint64(since))
	return string(append(b, r.Data...))
}

func decodeRobots(text string) (frontier.Robots, error) {
	r := fields.Reader{Rest: []byte(text)}
	since := int64(r.Uint64())
	robots := frontier.Robots{Data: r.Tail()}
	if since != math.MinInt64 {
		robots.FailingSince = time.UnixMilli(since)
	}
	return robots, r.Err()
}

// A ticket is the content of a LeaseID: the shard, the token of the lease, and the bucket and hash
// of its URL.
type ticket struct {
	shard  int
	token  string
	bucket int
	hash   string
}

func (t ticket) id() frontier.LeaseID {
	return frontier.LeaseID(strconv.Itoa(t.shard) + "/" + t.token + "/" + strconv.Itoa(t.bucket) + "/" + t.hash)
}

// readTicket parses a LeaseID. ok is false for IDs of other crawls.
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

// encodeCalls encodes calls of a script for an intent.
func encodeCalls(calls []call) string {
	b := binary.AppendUvarint(nil, uint64(len(calls)))
	for _, c := range calls {
		b = fields.AppendString(b, c.key)
		b = binary.AppendUvarint(b, uint64(len(c.args)))
		for _, a := range c.args {
			b = fields.AppendString(b, a)
		}
	}
	return string(b)
}

func decodeCalls(text string) ([]call, error) {
	r := fields.Reader{Rest: []byte(text)}
	calls := make([]call, r.Count())
	for i := range calls {
		calls[i].key, calls[i].args = r.String(), make([]string, r.Count())
		for j := range calls[i].args {
			calls[i].args[j] = r.String()
		}
	}
	if r.Err() == nil && len(r.Rest) > 0 {
		return nil, fmt.Errorf("%w: %d bytes too many", errDamaged, len(r.Rest))
	}
	return calls, r.Err()
}

// micros returns d in microseconds for a script, rounded up.
func micros(d time.Duration) string {
	us := d.Microseconds()
	if d%time.Microsecond > 0 {
		us++
	}
	return strconv.FormatInt(us, 10)
}

// until returns the time from now until t in microseconds, or "0" if t has passed.
func until(t time.Time) string {
	if t.IsZero() {
		return "0"
	}
	return micros(max(time.Until(t), 0))
}
