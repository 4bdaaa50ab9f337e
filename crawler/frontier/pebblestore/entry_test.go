package pebblestore

import (
	"bytes"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/fields"
)

func TestKeys(t *testing.T) {
	// In the order of their keys.
	keys := [][]byte{
		attemptKey(nil, 1, 2),
		queueKey(nil, 1, place{0, 5}), queueKey(nil, 1, place{0, 256}), queueKey(nil, 1, place{2, 1}), queueKey(nil, 2, place{0, 1}), queueKey(nil, 256, front),
		hashKey(nil, kindSeen, 1, 7), hashKey(nil, kindSeen, 1, 1<<63), hashKey(nil, kindSeen, 2, 0),
		timeKey(nil, -5, 1), timeKey(nil, 0, 1), timeKey(nil, 1000, 9), timeKey(nil, 1001, 2), timeKey(nil, 1<<40, 0),
	}
	for i := range keys[1:] {
		if bytes.Compare(keys[i], keys[i+1]) >= 0 {
			t.Errorf("key %x lies before %x", keys[i+1], keys[i])
		}
	}
	k := queueKey(nil, 7, place{3, 11})
	if idOf(k) != 7 || placeOf(k) != (place{3, 11}) {
		t.Errorf("queue key reads as %d, %v", idOf(k), placeOf(k))
	}
	k = timeKey(k, -12, 13)
	if millisOf(k) != -12 || seqOf(k) != 13 {
		t.Errorf("time key reads as %d, %d", millisOf(k), seqOf(k))
	}
	if k = hashKey(k, kindSeen, 9, 1<<60); idOf(k) != 9 || hashOf(k) != 1<<60 {
		t.Errorf("hash key reads as %d, %d", idOf(k), hashOf(k))
	}
}

func TestRecords(t *testing.T) {
	read := func(value []byte, get func(*reader)) {
		t.Helper()
		r := newReader(value)
		if get(r); r.Bad {
			t.Errorf("%x cannot be read", value)
		}
		for n := range value {
			r := newReader(value[:n]) // must not panic
			get(r)
		}
	}
	for _, want := range []*entry{
		{id: 1, seq: 2},
		{id: 1, seq: 2, priority: 255, again: true, known: true, hash: 1 << 63, attempts: 300, path: "/p", meta: []byte{0}},
	} {
		got := &entry{id: want.id, seq: want.seq, priority: want.priority}
		read(appendEntry(nil, want), func(r *reader) {
			e := *got
			if r.entry(&e); !r.Bad && len(e.path) == len(want.path) && len(e.meta) == len(want.meta) {
				*got = e
			}
		})
		if !cmp.Equal(got, want, cmp.AllowUnexported(entry{})) {
			t.Errorf("entry reads as %+v, want %+v", got, want)
		}
	}
	for _, want := range []*hostRecord{
		{name: "a.test", limit: 1},
		{
			name: "ip:1.2.3.4", run: 1 << 40, delay: time.Hour, limit: 300,
			blocked: time.UnixMilli(1 << 40), clock: time.UnixMilli(-5),
			counts: frontier.Counts{URLs: 10, Pending: 1, Scheduled: 2, Done: 3, Dropped: 4},
		},
	} {
		var got *hostRecord
		read(appendHost(nil, want), func(r *reader) {
			if h := r.host(); !r.Bad {
				got = h
			}
		})
		if *got != *want {
			t.Errorf("host reads as %+v, want %+v", got, want)
		}
	}
}

// FuzzRecords reads records of a damaged disk.
func FuzzRecords(f *testing.F) {
	f.Add(appendTimed(nil, &entry{id: 3, known: true, attempts: 1, path: "/x", meta: []byte("m")}))
	f.Add(appendHost(nil, &hostRecord{name: "a.test", clock: time.UnixMilli(5)}))
	f.Add(fields.AppendValidators(nil, &frontier.Validators{ETag: "e", LastModified: "l", BodyHash: []byte("h")}))
	f.Add(appendRobots(nil, frontier.Robots{FailingSince: time.UnixMilli(1), Data: []byte("d")}))
	f.Add(appendFinished(nil, Done, &entry{path: "/x"}))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01})
	f.Fuzz(func(t *testing.T, value []byte) {
		for _, read := range []func(*reader) []byte{
			func(r *reader) []byte { return appendTimed(nil, r.timed(timeKey(nil, 0, 0))) },
			func(r *reader) []byte { return appendHost(nil, r.host()) },
			func(r *reader) []byte { return fields.AppendValidators(nil, r.Validators()) },
			func(r *reader) []byte { return appendRobots(nil, r.robots()) },
			func(r *reader) []byte { return appendMark(nil, r.mark(attemptKey(nil, 0, 0))) },
			func(r *reader) []byte {
				e, s := new(entry), State(r.Byte())
				r.finished(e)
				return appendFinished(nil, s, e)
			},
		} {
			r := newReader(value)
			written := read(r)
			if r.Bad {
				continue
			}
			// A record that can be read is the same after it is written and read again.
			again := newReader(written)
			if second := read(again); again.Bad || !bytes.Equal(second, written) {
				t.Errorf("%x reads as %x, and that as %x", value, written, second)
			}
		}
	})
}
