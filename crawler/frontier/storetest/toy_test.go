//go:build unix

package storetest

import (
	"bytes"
	"context"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

// A toy is a simple and slow store for tests of this package. It iterates over all rows in each
// call, and writes changes to a journal. It can have one defect.
type toy struct {
	wrong defect
	now   func() time.Time
	disk  *os.File

	mu      sync.Mutex // guards the fields below
	closed  bool
	rows    map[frontier.Key]*row
	hosts   map[frontier.Host]*toyHost
	leases  map[frontier.LeaseID]*toyLease
	numbers int
	note    []byte
	dirty   []any         // changes, for the journal
	changed chan struct{} // closed at every change
	unsaved []byte
	ballast [][]byte
}

type state string

const (
	waiting state = "waiting"
	leased  state = "leased"
	done    state = "done"
	dropped state = "dropped"
)

// A row is a URL.
type row struct {
	frontier.Item
	State      state
	Seq        int
	Came       bool // returned after a lease
	Attempts   int
	Since      time.Time // start of waiting
	Validators *frontier.Validators
}

type toyHost struct {
	frontier.HostRecord // only URLs of its Counts is used
	Clock               time.Time
	Served              time.Time
	Turn                int
	rows                []*row
	holds               []int // numbers of waiting calls
}

type toyLease struct {
	id             frontier.LeaseID
	host           *toyHost
	row            *row // nil for a hold
	start, expires time.Time
}

func (t *toy) is(w defect) bool { return t.wrong == w }

func (t *toy) number() int {
	t.numbers++
	return t.numbers
}

// enter locks the toy and updates it to the current time.
func (t *toy) enter(ctx context.Context) (time.Time, error) {
	if ctx.Err() != nil && !t.is(ignoresContext) {
		return time.Time{}, ctx.Err()
	}
	t.mu.Lock()
	if t.closed {
		t.mu.Unlock()
		if t.is(closedIsAnyError) {
			return time.Time{}, os.ErrClosed
		}
		return time.Time{}, frontier.ErrClosed
	}
	now := t.now()
	for _, l := range t.leases {
		if t.over(l, now) {
			t.expire(l)
		}
	}
	return now, nil
}

func (t *toy) over(l *toyLease, now time.Time) bool {
	length := l.expires.Sub(l.start)
	if t.is(expiresEarly) {
		length /= 2
	}
	return !t.is(neverExpires) && !now.Before(l.start.Add(length))
}

func (t *toy) expire(l *toyLease) {
	t.end(l, l.expires, !t.is(expiryIsNoRequest), 0)
	if l.row != nil {
		if t.is(expiryIsNoAttempt) {
			l.row.Attempts--
		}
		t.back(l.row, time.Time{}, l.expires)
	}
}

// leave saves changes, wakes waiting calls, and unlocks the toy.
func (t *toy) leave() {
	t.save()
	close(t.changed)
	t.changed = make(chan struct{})
	t.mu.Unlock()
}

func (t *toy) host(name frontier.Host) *toyHost {
	h := t.hosts[name]
	if h == nil {
		h = &toyHost{HostRecord: frontier.HostRecord{Host: name, MaxInFlight: 1}}
		t.hosts[name] = h
	}
	t.dirty = append(t.dirty, h)
	return h
}

func (t *toy) Add(ctx context.Context, items []frontier.Item) ([]bool, error) {
	if err := t.valid(items); err != nil && !t.is(takesAnything) {
		return nil, err
	}
	now, err := t.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer t.leave()
	return t.add(items, now), nil
}

func (t *toy) Known(ctx context.Context, keys []frontier.Key) ([]bool, error) {
	if _, err := t.enter(ctx); err != nil {
		return nil, err
	}
	defer t.leave()
	if t.is(knowsTooFew) {
		return nil, nil
	}
	known := make([]bool, len(keys))
	for i, k := range keys {
		r := t.rows[t.key(k)]
		known[i] = r != nil && !(t.is(knowsOnlyQueues) && r.State == done)
	}
	return known, nil
}

func (t *toy) valid(items []frontier.Item) error {
	_, err := frontier.HostsOf(items)
	return err
}

// key returns the key by which the toy finds a row.
func (t *toy) key(k frontier.Key) frontier.Key {
	if t.is(urlIsKey) {
		return frontier.Key{URL: k.URL}
	}
	return k
}

// own returns the item as the toy stores it.
func (t *toy) own(it frontier.Item) frontier.Item {
	if it.Host == "" || t.is(hostFromURL) {
		it.Host, _ = frontier.HostOf(it.URL)
		switch {
		case t.is(clockPerOrigin):
			u, _ := url.Parse(it.URL)
			it.Host = frontier.Host(u.Scheme + "://" + u.Host)
		case t.is(portsAreOneHost):
			name, _, _ := strings.Cut(string(it.Host), ":")
			it.Host = frontier.Host(name)
		case t.is(respellsURLs):
			it.URL = strings.Replace(it.URL, "https:", "http:", 1)
		}
	}
	if !t.is(keepsCallersBytes) {
		it.Meta = bytes.Clone(it.Meta)
	}
	if t.is(forgetsKinds) {
		it.Kind, it.Owner = "", ""
	}
	return it
}

func (t *toy) add(items []frontier.Item, now time.Time) []bool {
	added := make([]bool, len(items))
	begin := t.numbers
	for i, it := range items {
		r := t.rows[t.key(it.Key())]
		if r != nil && r.Seq > begin && t.is(asksBeforeBatch) {
			r = nil
		}
		if r != nil && !(t.is(forgetsDone) && r.State == done) {
			if t.is(addOverwrites) {
				r.Priority, r.Meta = it.Priority, it.Meta
			}
			continue
		}
		if t.is(asksThenMarks) {
			t.mu.Unlock()
			time.Sleep(time.Nanosecond)
			t.mu.Lock()
		}
		added[i] = true
		key := t.key(it.Key())
		it = t.own(it)
		h := t.host(it.Host)
		h.URLs++
		r = &row{Item: it, State: waiting, Seq: t.number(), Since: now}
		if t.is(newestFirst) {
			r.Seq = -r.Seq
		}
		if t.is(wastesMemory) {
			t.ballast = append(t.ballast, make([]byte, 2000))
		}
		t.rows[key] = r
		h.rows = append(h.rows, r)
		t.dirty = append(t.dirty, r)
	}
	return added
}
