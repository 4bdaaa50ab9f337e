package pebblestore

import (
	"errors"
	"log/slog"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

// open opens a store. The test fails if its database logs a warning, such as for a SingleDelete
// of a key that was set twice.
func open(t testing.TB, dir string, opts *Options) *Store {
	t.Helper()
	o := opts.withDefaults()
	o.Logger = slog.New(slog.NewTextHandler(failer{t}, &slog.HandlerOptions{Level: slog.LevelWarn}))
	s, err := openAt(dir, &o, time.Now)
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	return s
}

type failer struct{ testing.TB }

func (f failer) Write(p []byte) (int, error) {
	f.Errorf("the database says: %s", p)
	return len(p), nil
}

func closeStore(t testing.TB, s *Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatalf("Close: %v", err)
	}
}

// check fails if the records of a closed store are inconsistent, and returns the record of each
// URL.
func check(t testing.TB, dir string) map[string]URL {
	t.Helper()
	v, err := OpenReadOnly(dir)
	if err != nil {
		t.Fatalf("OpenReadOnly: %v", err)
	}
	defer v.Close()
	urls := make(map[string]URL)
	counts := make(map[frontier.Host]frontier.Counts)
	for u, err := range v.URLs() {
		if err != nil {
			t.Fatalf("URLs: %v", err)
		}
		if other, ok := urls[u.URL]; ok {
			t.Errorf("%s is %v and %v", u.URL, other.State, u.State)
		}
		urls[u.URL] = u
		c := counts[u.Host]
		c.URLs++
		*map[State]*int{Pending: &c.Pending, Scheduled: &c.Scheduled, Done: &c.Done, Dropped: &c.Dropped}[u.State]++
		counts[u.Host] = c
	}
	checkRecords(t, v, urls)
	hosts := make(map[frontier.Host]bool)
	for h, err := range v.Hosts() {
		if err != nil {
			t.Fatalf("Hosts: %v", err)
		}
		if hosts[h.Host] {
			t.Errorf("%s is there twice", h.Host)
		}
		hosts[h.Host] = true
		if h.Counts != counts[h.Host] {
			t.Errorf("%s has %+v, and its URLs are %+v", h.Host, h.Counts, counts[h.Host])
		}
	}
	for h := range counts {
		if !hosts[h] {
			t.Errorf("%s has URLs and no record", h)
		}
	}
	return urls
}

// checkRecords checks records that the methods of a ReadOnlyStore do not return.
func checkRecords(t testing.TB, v *ReadOnlyStore, urls map[string]URL) {
	t.Helper()
	seed, err := v.db.meta(metaSeed)
	hosts, names := make(map[hostID]frontier.Host), make(map[hostID]frontier.Host)
	states := make(map[hostID]map[uint64]State) // by hash
	queued := make(map[uint64]bool)             // by seq
	err = errors.Join(err,
		v.db.scanAll(kindHost, func(key []byte, r *reader) bool {
			hosts[idOf(key)] = r.host().name
			return true
		}),
		v.db.scanAll(kindName, func(key []byte, r *reader) bool {
			names[hostID(r.Uint32())] = frontier.Host(key[1:])
			return true
		}),
		v.db.scanAll(kindSeen, func(key []byte, r *reader) bool {
			m := states[idOf(key)]
			if m == nil {
				m = make(map[uint64]State)
				states[idOf(key)] = m
			}
			m[hashOf(key)] = State(r.Byte())
			return true
		}),
		v.db.scanAll(kindQueue, func(key []byte, _ *reader) bool {
			queued[seqOf(key)] = true
			return true
		}),
		v.db.scanAll(kindAttempt, func(key []byte, _ *reader) bool {
			if !queued[seqOf(key)] {
				t.Errorf("an attempt of nothing: %x", key)
			}
			return true
		}))
	if err != nil {
		t.Fatal(err)
	}
	if !maps.Equal(hosts, names) {
		t.Errorf("hosts are %v, and names %v", hosts, names)
	}
	var s Store
	copy(s.seed[:], seed)
	ids := make(map[frontier.Host]hostID)
	for id, name := range hosts {
		ids[name] = id
	}
	n := 0
	for url, u := range urls {
		state, ok := states[ids[u.Host]][s.seed.Sum(url)]
		if !ok || state != u.State && (state != waiting || u.State != Scheduled) {
			t.Errorf("%s is %v, but as seen %v, %v", url, u.State, state, ok)
		}
		n++
	}
	for _, m := range states {
		n -= len(m)
	}
	if n != 0 {
		t.Errorf("%d more URLs than were seen", n)
	}
}

func itemsOf(urls ...string) []frontier.Item {
	items := make([]frontier.Item, len(urls))
	for i, u := range urls {
		items[i].URL = u
	}
	return items
}

func addURLs(t testing.TB, s *Store, urls ...string) {
	t.Helper()
	addItems(t, s, itemsOf(urls...)...)
}

func addItems(t testing.TB, s *Store, items ...frontier.Item) {
	t.Helper()
	added, err := s.Add(t.Context(), items)
	if err != nil || slices.Contains(added, false) {
		t.Fatalf("Add = %v, %v", added, err)
	}
}

func leaseURL(t testing.TB, s *Store, url string) frontier.Lease {
	t.Helper()
	got, err := s.Lease(t.Context(), frontier.LeaseRequest{})
	if err != nil || len(got) != 1 || got[0].URL != url {
		t.Fatalf("Lease = %+v, %v, want %s", got, err, url)
	}
	return got[0]
}

func finish(t testing.TB, s *Store, l frontier.Lease, o frontier.Outcome) {
	t.Helper()
	o.Lease = l.ID
	errs, err := s.Finish(t.Context(), []frontier.Outcome{o}, nil)
	if err != nil || errs[0] != nil {
		t.Fatalf("Finish = %v, %v", errs, err)
	}
}
