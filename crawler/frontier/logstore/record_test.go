package logstore

import (
	"bytes"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/fields"
)

// rewrite reads the fields of a record, and returns them and the record that they give.
func rewrite(r *fields.Reader, kind byte) (record any, body []byte) {
	switch kind {
	case kindURL:
		u := readURL(r)
		return u, appendURL(nil, &u)
	case kindAttempt:
		a := readAttempt(r)
		return a, appendAttempt(nil, a)
	case kindHost:
		h := readHost(r)
		return h, encodeHost(h)
	case kindRobots:
		h, origin, robots := readRobots(r)
		return robots, appendRobots(nil, h, origin, robots)
	}
	r.Bad = true
	return nil, nil
}

var records = [][]byte{
	appendURL(nil, &urlRecord{host: "a.test", key: "http://a.test/"}),
	appendURL(nil, &urlRecord{state: Done, host: "a.test", key: "robots#http://a.test/", validators: &frontier.Validators{}}),
	appendURL(nil, &urlRecord{
		state: Scheduled, priority: 255, attempts: 300, seq: 1 << 40, ready: -5, host: "ip:1.2.3.4", key: "http://a.test/",
		meta: []byte{0}, validators: &frontier.Validators{ETag: "e", LastModified: "l", BodyHash: []byte("h")},
	}),
	appendAttempt(nil, attempt{of: 1 << 40, attempts: 3, seq: 1 << 50}),
	encodeHost(&hostRecord{name: "a.test"}),
	encodeHost(&hostRecord{
		name: "ip:1.2.3.4", delay: time.Hour, limit: 300, blocked: time.UnixMilli(1 << 40), clock: time.UnixMilli(-5),
		counts: frontier.Counts{URLs: 10, Pending: 1, Scheduled: 2, Done: 3, Dropped: 4}, origins: []string{"http://a.test", "https://a.test"},
	}),
	appendRobots(nil, "a.test", "http://a.test", frontier.Robots{}),
	appendRobots(nil, "a.test", "http://a.test", frontier.Robots{FailingSince: time.UnixMilli(1), Data: []byte("d")}),
}

// TestRecords reads records, and the beginnings of records.
func TestRecords(t *testing.T) {
	for _, body := range records {
		r := &fields.Reader{Rest: body[1:]}
		if record, again := rewrite(r, body[0]); r.Bad || !bytes.Equal(again, body) {
			t.Errorf("%q reads as %+v, which is %q", body, record, again)
		}
		for n := range len(body) - 1 {
			rewrite(&fields.Reader{Rest: body[1 : n+1]}, body[0]) // must not panic
		}
	}
}

// FuzzRecord reads any record: one that can be read is the same after it is written and read again.
func FuzzRecord(f *testing.F) {
	for _, body := range records {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		if len(body) == 0 {
			return
		}
		r := &fields.Reader{Rest: body[1:]}
		_, written := rewrite(r, body[0])
		if r.Bad {
			return
		}
		again := &fields.Reader{Rest: written[1:]}
		if _, second := rewrite(again, written[0]); again.Bad || !bytes.Equal(written, second) {
			t.Errorf("%q is written as %q and then %q", body, written, second)
		}
	})
}

// TestOffsets has queues of growing numbers.
func TestOffsets(t *testing.T) {
	var o offsets
	var want []int64
	next := int64(0)
	for n := range 10_000 {
		next += int64(n*n%5000) + 1
		o.push(next)
		want = append(want, next)
		for n%7 > 3 && len(want) > 0 {
			if got := o.pop(); got != want[0] {
				t.Fatalf("%d, want %d", got, want[0])
			}
			if want = want[1:]; n%100 > 0 {
				break
			}
		}
		if o.N != len(want) || len(o.Gaps) > 5*o.N+5+2*o.Read {
			t.Fatalf("%d numbers in %d bytes, want %d", o.N, len(o.Gaps), len(want))
		}
	}
}
