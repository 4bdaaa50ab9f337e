package logstore

import (
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/internal/durable"
	"github.com/politecrawl/politecrawl/crawler/internal/durable/powercut"
)

// TestPowerCut cuts the power at random moments of random calls, which include the creation of the
// store, compactions, and closings. With Power, all calls that returned are stored, and the one that was
// running is stored as a whole or not at all.
func TestPowerCut(t *testing.T) {
	const cuts, calls = 50, 400
	type cut struct {
		root   string
		before map[string]State
		call   int
	}
	root := t.TempDir()
	dir := filepath.Join(root, "new", "store")
	disk := powercut.Watch(t, root)
	w := newWorker(t, nil, 1)
	var left []cut
	var after []map[string]State // each call
	rng := rand.New(rand.NewPCG(2, 3))
	var mu sync.Mutex // guards what is kept of calls
	before := make(map[string]State)
	synced := durable.Synced
	cutNow := func() {
		mu.Lock()
		defer mu.Unlock()
		if len(left) < cuts && (len(after) < 2 || rng.IntN(10) == 0) {
			left = append(left, cut{disk.Cut(), before, len(after)})
		}
	}
	durable.Synced = func(name string) {
		cutNow()
		synced(name)
		cutNow()
	}
	for n := range calls {
		switch {
		case n == 0:
			w.s = open(t, dir, &Options{Durability: Power})
		case n%50 == 25:
			closeStore(t, w.s)
			w.s, w.leases = open(t, dir, &Options{Durability: Power, compactFrom: 1}), nil
		case n%50 == 49:
			must(t, compactNow(w.s))
			w.s, w.leases = open(t, dir, &Options{Durability: Power}), nil
		default:
			w.step()
		}
		mu.Lock()
		before = maps.Clone(w.states)
		after = append(after, before)
		mu.Unlock()
	}
	closeStore(t, w.s)
	durable.Synced = nil
	for _, c := range left {
		dir := filepath.Join(c.root, "new", "store")
		s, _ := openLogged(t, dir, nil)
		closeStore(t, s)
		got := statesOf(check(t, dir))
		if !maps.Equal(got, c.before) && !maps.Equal(got, after[c.call]) {
			t.Errorf("power cut during call %d (-before +got):\n%s", c.call, cmp.Diff(c.before, got))
		}
	}
	if len(left) != cuts {
		t.Errorf("%d power cuts, want %d", len(left), cuts)
	}
}

// Without Power, nothing waits for the disk.
func TestProcessDoesNotSync(t *testing.T) {
	root := t.TempDir()
	disk := powercut.Watch(t, root)
	s := open(t, root, nil)
	defer s.Close()
	w := newWorker(t, s, 4)
	for range 100 {
		w.step()
	}
	if n := disk.Syncs(); n > 0 {
		t.Errorf("%d syncs", n)
	}
}

// TestTornTail has the logs that a power cut may leave: the end is missing, or a sector has only zeros.
// Open cuts off what was not acknowledged, and says so.
func TestTornTail(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, nil)
	w := newWorker(t, s, 5)
	for range 60 {
		w.step()
	}
	acked := s.file.size
	states := maps.Clone(w.states)
	// The last frame is not acknowledged.
	items := itemsOf("http://torn.test/1", "http://torn.test/2", "http://torn.test/3")
	for i := range items {
		items[i].Meta = []byte(strings.Repeat("meta", 600))
	}
	addItems(t, s, items...)
	log, err := os.ReadFile(s.file.path)
	must(t, err)
	closeStore(t, s)
	must(t, os.Remove(filepath.Join(dir, indexName)))
	if int64(len(log)) < acked+10*sectorSize {
		t.Fatalf("the last frame has only %d bytes", int64(len(log))-acked)
	}
	inspect := func(what string, at int, torn []byte) {
		t.Helper()
		must(t, os.WriteFile(s.file.path, torn, 0o600))
		if urls, err := readOnly(t, dir); err != nil || !maps.Equal(statesOf(urls), states) {
			t.Fatalf("%s %d, read only: %v, %s", what, at, err, cmp.Diff(states, statesOf(urls)))
		}
		again, warnings := openLogged(t, dir, nil)
		if text := warnings.String(); !strings.Contains(text, "end of the frontier cut off") || !strings.Contains(text, s.file.path) {
			t.Errorf("%s %d: Open warns %q", what, at, text)
		}
		addURLs(t, again, "http://torn.test/1") // in the place of the old end
		closeStore(t, again)
		must(t, os.Remove(filepath.Join(dir, indexName)))
		want := maps.Clone(states)
		want["http://torn.test/1"] = Pending
		urls, err := readOnly(t, dir)
		if must(t, err); !maps.Equal(statesOf(urls), want) {
			t.Fatalf("%s %d: %s", what, at, cmp.Diff(want, statesOf(urls)))
		}
	}
	for end := int(acked) + 1; end < len(log); end += 1 + (end-int(acked))/8 {
		inspect("cut at", end, log[:end])
	}
	for at := int(acked) / sectorSize * sectorSize; at < len(log); at += sectorSize {
		torn := append([]byte{}, log...)
		clear(torn[max(at, int(acked)):min(at+sectorSize, len(log))])
		inspect("sector without content at", at, torn)
	}
	torn := append([]byte{}, log...)
	clear(torn[acked:])
	inspect("no content from", int(acked), torn)
}

// TestAttemptsAreSynced checks the disk after a lease. Else a power cut could leave its frame with sectors
// of zeros, and a whole frame behind it, like a damaged disk.
func TestAttemptsAreSynced(t *testing.T) {
	root := t.TempDir()
	disk := powercut.Watch(t, root)
	s := open(t, filepath.Join(root, "store"), &Options{Durability: Power})
	addURLs(t, s, "http://a.test/1")
	leaseURL(t, s, "http://a.test/1")
	block(t, s)() // waits for what writes
	left := filepath.Join(disk.Cut(), "store")
	closeStore(t, s)
	if got := check(t, left)["http://a.test/1"].Attempts; got != 1 {
		t.Errorf("%d attempts are on the disk, want 1", got)
	}
}

// TestTornFirstFrame cuts a log while it is created: the store begins anew.
func TestTornFirstFrame(t *testing.T) {
	dir := t.TempDir()
	closeStore(t, open(t, dir, nil))
	must(t, os.Remove(filepath.Join(dir, indexName)))
	log, err := os.ReadFile(filepath.Join(dir, logName))
	must(t, err)
	for end := range len(log) + 1 {
		torn := log[:end]
		if end%8 > 0 && end < len(log) {
			continue
		}
		if end == len(log) {
			torn = make([]byte, end)
		}
		must(t, os.WriteFile(filepath.Join(dir, logName), torn, 0o600))
		s := open(t, dir, nil)
		addURLs(t, s, "http://a.test/1")
		closeStore(t, s)
		check(t, dir)
		must(t, os.Remove(filepath.Join(dir, indexName)))
	}
}
