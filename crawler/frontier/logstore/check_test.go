package logstore

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

// open opens a store. The test fails if it logs a warning.
func open(t testing.TB, dir string, opts *Options) *Store {
	t.Helper()
	s, warnings := openLogged(t, dir, opts)
	if text := warnings.String(); text != "" {
		t.Errorf("Open warns: %s", text)
	}
	return s
}

// openLogged opens a store, and returns what it warns of.
func openLogged(t testing.TB, dir string, opts *Options) (*Store, *bytes.Buffer) {
	t.Helper()
	o := opts.withDefaults()
	var text bytes.Buffer
	o.Logger = slog.New(slog.NewTextHandler(&text, &slog.HandlerOptions{Level: slog.LevelWarn}))
	s, err := Open(dir, &o)
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	return s, &text
}

func closeStore(t testing.TB, s *Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatalf("Close: %v", err)
	}
}

// readOnly returns the URLs of a closed store, and the error that ended the list.
func readOnly(t testing.TB, dir string) (urls map[string]URL, broken error) {
	t.Helper()
	v, err := OpenReadOnly(dir)
	if err != nil {
		t.Fatalf("OpenReadOnly: %v", err)
	}
	defer func() { must(t, v.Close()) }()
	urls = make(map[string]URL)
	for u, err := range v.URLs() {
		if err != nil {
			return urls, err
		}
		if other, ok := urls[u.URL]; ok {
			t.Errorf("%s is %v and %v", u.URL, other.State, u.State)
		}
		urls[u.URL] = u
	}
	counts := make(map[frontier.Host]frontier.Counts)
	for _, u := range urls {
		c := counts[u.Host]
		c.URLs++
		*map[State]*int{Pending: &c.Pending, Scheduled: &c.Scheduled, Done: &c.Done, Dropped: &c.Dropped}[u.State]++
		counts[u.Host] = c
	}
	for h, err := range v.Hosts() {
		if err != nil {
			return urls, err
		}
		if h.Counts != counts[h.Host] {
			t.Errorf("%s has %+v, and its URLs are %+v", h.Host, h.Counts, counts[h.Host])
		}
		delete(counts, h.Host)
	}
	if len(counts) > 0 {
		t.Errorf("hosts without a record, or with two: %v", counts)
	}
	return urls, nil
}

// check fails if the records of a closed store are inconsistent, with or without its index. It
// returns the record of each URL.
func check(t testing.TB, dir string) map[string]URL {
	t.Helper()
	urls, err := readOnly(t, dir)
	must(t, err)
	bare := copyOf(t, dir, indexName, lockName)
	again, err := readOnly(t, bare)
	must(t, err)
	if diff := cmp.Diff(statesOf(again), statesOf(urls)); diff != "" {
		t.Errorf("URLs with the index (-without +with):\n%s", diff)
	}
	return urls
}

// copyOf copies a directory without some files.
func copyOf(t testing.TB, dir string, without ...string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "copy")
	must(t, os.CopyFS(to, os.DirFS(dir)))
	for _, name := range without {
		must(t, os.RemoveAll(filepath.Join(to, name)))
	}
	return to
}

var outcomeDone = frontier.Outcome{Result: frontier.Done}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func itemsOf(urls ...string) []frontier.Item {
	items := make([]frontier.Item, len(urls))
	for i, u := range urls {
		items[i].URL = u
	}
	return items
}

// keysOf returns the keys of pages.
func keysOf(urls ...string) []frontier.Key {
	keys := make([]frontier.Key, len(urls))
	for i, url := range urls {
		keys[i].URL = url
	}
	return keys
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

func update(t testing.TB, s *Store, h frontier.Host, u frontier.HostUpdate) {
	t.Helper()
	must(t, s.UpdateHost(t.Context(), h, u))
}

// compactNow closes a store and compacts its log, even if it is not worth it.
func compactNow(s *Store) error {
	if err := s.Close(); err != nil {
		return err
	}
	s, err := Open(s.dir.path, &s.opts)
	if err != nil {
		return err
	}
	return errors.Join(s.replace(), s.Close())
}

// block makes all writes wait until the returned function is called, at the latest at the end of
// the test.
func block(t testing.TB, s *Store) (unblock func()) {
	s.queue.mu.Lock()
	defer s.queue.mu.Unlock()
	for s.queue.busy {
		s.queue.idle.Wait()
	}
	s.queue.busy = true
	var once sync.Once
	unblock = func() { once.Do(func() { s.commitAll() }) }
	t.Cleanup(unblock)
	return unblock
}

// A worker makes random calls of a store, one at a time. It knows the state of each URL.
type worker struct {
	t      testing.TB
	s      *Store
	unit   time.Duration // of delays
	name   string        // of its URLs
	rng    *rand.Rand
	n      int
	states map[string]State // Scheduled is Pending
	leases []frontier.Lease

	calling func(change map[string]State) // called before each call; may be nil
}

func newWorker(t testing.TB, s *Store, seed uint64) *worker {
	return &worker{t: t, s: s, unit: time.Microsecond, rng: rand.New(rand.NewPCG(seed, 1)), states: make(map[string]State)}
}

// fresh returns new items, some of which are scheduled.
func (w *worker) fresh() []frontier.Item {
	items := make([]frontier.Item, 1+w.rng.IntN(3))
	for i := range items {
		w.n++
		items[i] = frontier.Item{
			URL: fmt.Sprintf("http://h%d.test/%s%d", w.rng.IntN(8), w.name, w.n), Priority: uint8(w.rng.IntN(3)),
			Meta: bytes.Repeat([]byte{'m'}, w.rng.IntN(100)),
		}
		if w.rng.IntN(4) == 0 {
			items[i].NotBefore = time.Now().Add(time.Duration(w.rng.IntN(40)) * w.unit)
		}
		if w.rng.IntN(8) == 0 {
			items[i].Host = "other.test"
		}
	}
	return items
}

// step makes a call.
func (w *worker) step() {
	w.t.Helper()
	ctx, h := w.t.Context(), frontier.Host(fmt.Sprintf("h%d.test", w.rng.IntN(8)))
	var call func()
	change := make(map[string]State)
	waits := func(items []frontier.Item) []frontier.Item {
		for _, it := range items {
			change[it.URL] = Pending
		}
		return items
	}
	switch w.rng.IntN(8) {
	case 0, 1:
		items := waits(w.fresh())
		call = func() { addItems(w.t, w.s, items...) }
	case 2, 3:
		call = func() {
			got, err := w.s.Lease(ctx, frontier.LeaseRequest{Max: 3, Duration: time.Hour})
			must(w.t, err)
			w.leases = append(w.leases, got...)
			for _, l := range got {
				if w.states[l.URL] != Pending {
					w.t.Errorf("%s is leased, and was %v", l.URL, w.states[l.URL])
				}
			}
		}
	case 4, 5, 6:
		if len(w.leases) == 0 {
			return
		}
		l := w.leases[0]
		w.leases = w.leases[1:]
		o := frontier.Outcome{Lease: l.ID, Result: frontier.Result(1 + w.rng.IntN(4)), HostDelay: time.Duration(w.rng.IntN(3)) * w.unit}
		if o.Links = waits(w.fresh()); w.rng.IntN(3) == 0 {
			o.Validators = &frontier.Validators{ETag: "e", BodyHash: []byte(l.URL)}
		}
		switch {
		case o.Result == frontier.Drop:
			change[l.URL] = Dropped
		case w.rng.IntN(3) == 0:
			o.NotBefore = time.Now().Add(time.Duration(w.rng.IntN(30)) * w.unit)
		case o.Result == frontier.Done:
			change[l.URL] = Done
		}
		call = func() { finish(w.t, w.s, l, o) }
	case 7:
		over := slices.Sorted(maps.Keys(w.states))
		over = slices.DeleteFunc(over, func(u string) bool { return w.states[u] == Pending })
		if len(over) == 0 || w.rng.IntN(2) == 0 {
			u := frontier.HostUpdate{
				Delay: new(time.Duration(w.rng.IntN(3)) * w.unit), MaxInFlight: 1 + w.rng.IntN(2),
				Robots: map[string]frontier.Robots{"http://" + string(h): {Data: fmt.Append(nil, w.n)}},
			}
			call = func() { must(w.t, w.s.UpdateHost(ctx, h, u)) }
			break
		}
		items := waits(itemsOf(over[w.rng.IntN(len(over))]))
		if w.rng.IntN(3) == 0 {
			items[0].NotBefore = time.Now().Add(60 * w.unit)
		}
		call = func() {
			_, err := w.s.Revisit(ctx, items)
			must(w.t, err)
		}
	}
	if w.calling != nil {
		w.calling(change)
	}
	call()
	maps.Copy(w.states, change)
}

// statesOf returns the states of URLs; scheduled ones are pending.
func statesOf(urls map[string]URL) map[string]State {
	states := make(map[string]State)
	for u, r := range urls {
		if states[u] = r.State; r.State == Scheduled {
			states[u] = Pending
		}
	}
	return states
}

// dump returns what the methods of a store say.
func dump(t testing.TB, s *Store) map[string]any {
	t.Helper()
	all := make(map[string]any)
	st, err := s.Stats(t.Context())
	must(t, err)
	note, err := s.Note(t.Context())
	must(t, err)
	all["stats"], all["note"] = st, string(note)
	for i := range 10 {
		h := frontier.Host(fmt.Sprintf("h%d.test", i))
		if i == 9 {
			h = "other.test"
		}
		if all[string(h)], err = s.Host(t.Context(), h); err != nil {
			t.Fatal(err)
		}
		var waiting []frontier.Item
		for it, err := range s.Waiting(t.Context(), h) {
			must(t, err)
			waiting = append(waiting, it)
		}
		slices.SortStableFunc(waiting, func(a, b frontier.Item) int { return a.NotBefore.Compare(b.NotBefore) })
		all["waiting "+string(h)] = waiting
	}
	return all
}
