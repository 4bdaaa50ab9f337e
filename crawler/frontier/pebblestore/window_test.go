package pebblestore

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

// TestOrder compares the leases of one host, with few URLs in memory, with a plain list of all
// URLs.
func TestOrder(t *testing.T) {
	for seed := range uint64(8) {
		synctest.Test(t, func(t *testing.T) {
			o := &ordered{
				s:       open(t, t.TempDir(), &Options{readAhead: 1, MaxInFlight: 6, LeaseTime: time.Second}),
				rng:     rand.New(rand.NewPCG(seed, 1)),
				pending: make(map[string]place), open: make(map[frontier.LeaseID]frontier.Lease),
				places: make(map[string]place),
			}
			defer o.s.Close()
			for range 1500 {
				if o.step(t); t.Failed() {
					t.Fatalf("with seed %d", seed)
				}
			}
			o.drain(t)
		})
	}
}

// ordered is a store with its expected state.
type ordered struct {
	s       *Store
	rng     *rand.Rand
	n       uint64
	places  map[string]place // of all URLs
	over    []string
	pending map[string]place
	open    map[frontier.LeaseID]frontier.Lease
}

func (o *ordered) step(t *testing.T) {
	switch n := o.rng.IntN(100); {
	case n < 3:
		if len(o.over) > 0 {
			o.revisit(t, o.rng.IntN(len(o.over)))
		}
	case n < 30:
		var items []frontier.Item
		for range 1 + o.rng.IntN(12) {
			o.n++
			it := frontier.Item{URL: fmt.Sprintf("http://a.test/%d", o.n), Priority: uint8(o.rng.IntN(4))}
			o.places[it.URL] = place{it.Priority, o.n}
			o.pending[it.URL] = o.places[it.URL]
			items = append(items, it)
		}
		addItems(t, o.s, items...)
	case n < 75:
		o.lease(t)
	case n < 98:
		for id, l := range o.open {
			r := frontier.Result(1 + o.rng.IntN(4))
			finish(t, o.s, l, frontier.Outcome{Result: r})
			delete(o.open, id)
			if r == frontier.Retry || r == frontier.Defer {
				o.pending[l.URL] = o.places[l.URL]
			} else {
				o.over = append(o.over, l.URL)
			}
			break
		}
	default:
		time.Sleep(2 * time.Second) // all open leases expire
		for id, l := range o.open {
			o.pending[l.URL] = o.places[l.URL]
			delete(o.open, id)
		}
	}
}

// revisit revisits a finished URL, which comes after the others.
func (o *ordered) revisit(t *testing.T, i int) {
	t.Helper()
	url := o.over[i]
	o.over = append(o.over[:i], o.over[i+1:]...)
	o.n++
	o.places[url] = place{uint8(o.rng.IntN(4)), o.n}
	o.pending[url] = o.places[url]
	again, err := o.s.Revisit(t.Context(), []frontier.Item{{URL: url, Priority: o.places[url].priority}})
	if err != nil || !again[0] {
		t.Fatalf("Revisit = %v, %v", again, err)
	}
}

func (o *ordered) lease(t *testing.T) bool {
	t.Helper()
	got, err := o.s.Lease(context.Background(), frontier.LeaseRequest{})
	if err != nil {
		t.Fatal(err)
	}
	want, first := "", back
	for url, p := range o.pending {
		if p.before(first) {
			want, first = url, p
		}
	}
	switch {
	case len(o.open) == 6 || want == "":
		if len(got) > 0 {
			t.Errorf("leased %s, want nothing", got[0].URL)
		}
		return false
	case len(got) != 1 || got[0].URL != want:
		t.Errorf("leased %v, want %s", got, want)
		return false
	}
	delete(o.pending, want)
	o.open[got[0].ID] = got[0]
	return true
}

func (o *ordered) drain(t *testing.T) {
	t.Helper()
	for {
		for id, l := range o.open {
			finish(t, o.s, l, frontier.Outcome{Result: frontier.Done})
			delete(o.open, id)
		}
		if !o.lease(t) {
			break
		}
	}
	if st, err := o.s.Stats(t.Context()); err != nil || !st.Finished() || len(o.pending) > 0 || t.Failed() {
		t.Errorf("Stats = %+v, %v with %d URLs left", st, err, len(o.pending))
	}
}

func TestWindow(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		room := 1 + rng.IntN(5)
		var w window
		all := make(map[place]bool)
		for seq := range uint64(60) {
			e := &entry{priority: uint8(rng.IntN(3)), seq: seq + 1}
			unread := len(all) - len(w.entries)
			all[e.place()] = true
			if w.insert(e, unread, room, rng.IntN(10) == 0) != w.has(e.place()) {
				t.Fatal("insert does not say whether it has taken an entry up")
			}
			if rng.IntN(3) == 0 && len(w.entries) > 0 {
				delete(all, w.pop().place())
			}
			for i := range w.entries {
				if i > 0 && !w.entries[i-1].place().before(w.entries[i].place()) {
					t.Fatal("out of order")
				}
			}
			if len(w.entries) > 2*room+10 {
				t.Fatalf("%d entries in memory, with room for %d", len(w.entries), room)
			}
			if len(all) == len(w.entries) {
				continue
			}
			for p := range all {
				if !w.bound.before(p) && !w.has(p) {
					t.Fatalf("%v is not in memory, but the bound is %v", p, w.bound)
				}
			}
		}
	}
}

// TestWindowInOrder adds URLs in order: the window keeps the first ones, and leaves the rest to the
// store.
func TestWindowInOrder(t *testing.T) {
	const room = 5
	var w window
	for seq := range uint64(3 * room) {
		taken := w.insert(&entry{seq: seq}, int(seq)-len(w.entries), room, false)
		if want := seq < room; taken != want || len(w.entries) > room {
			t.Errorf("%d: taken up %t, want %t; %d in memory", seq, taken, want, len(w.entries))
		}
	}
}
