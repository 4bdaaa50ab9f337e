package logstore

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

// TestCompaction opens a store, which had open leases, a hold and all kinds of URLs when its process ended,
// with and without a compaction.
func TestCompaction(t *testing.T) {
	seeds := uint64(10)
	if testing.Short() {
		seeds = 3
	}
	for seed := range seeds {
		synctest.Test(t, func(t *testing.T) {
			dir := t.TempDir()
			s := open(t, dir, nil)
			defer s.Close()
			w := newWorker(t, s, seed)
			w.unit = time.Second
			for range 300 {
				w.step()
				time.Sleep(time.Duration(w.rng.IntN(1000)) * time.Millisecond)
			}
			_, err := s.Finish(t.Context(), nil, []byte("note"))
			must(t, err)
			_, err = s.Hold(t.Context(), "h8.test")
			must(t, err)
			plain, compacted := copyOf(t, dir, lockName), copyOf(t, dir, lockName)
			must(t, compactNow(open(t, compacted, nil)))
			before, after := size(t, plain), size(t, compacted)
			if after >= before {
				t.Errorf("compacted from %d to %d bytes", before, after)
			}
			check(t, compacted)
			want, got := open(t, plain, nil), open(t, compacted, nil)
			defer want.Close()
			defer got.Close()
			compareStores(t, want, got)
		})
	}
}

func size(t testing.TB, dir string) int64 {
	t.Helper()
	info, err := os.Stat(filepath.Join(dir, logName))
	must(t, err)
	return info.Size()
}

// TestCompactsMostlyDeadLog opens logs: those of which more than half is dead get smaller.
func TestCompactsMostlyDeadLog(t *testing.T) {
	for name, c := range map[string]struct {
		from    int64
		rounds  int
		compact bool
	}{"mostly dead": {1, 20, true}, "small": {0, 20, false}, "live": {1, 0, false}} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s := open(t, dir, nil)
			addURLs(t, s, "http://a.test/1", "http://a.test/2")
			for range c.rounds {
				finish(t, s, leaseURL(t, s, "http://a.test/1"), frontier.Outcome{Result: frontier.Retry})
			}
			closeStore(t, s)
			before := size(t, dir)
			s = open(t, dir, &Options{compactFrom: c.from})
			if after := size(t, dir); (after < before) != c.compact {
				t.Errorf("%d bytes, and %d before", after, before)
			}
			if l := leaseURL(t, s, "http://a.test/1"); l.Attempt != c.rounds+1 {
				t.Errorf("attempt %d, want %d", l.Attempt, c.rounds+1)
			}
			closeStore(t, s)
			check(t, dir)
		})
	}
}

// Records of hosts and robots.txt are not dead.
func TestRobotsAreLive(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, nil)
	for n := range 20 {
		update(t, s, frontier.Host(fmt.Sprintf("h%d.test", n)), frontier.HostUpdate{Robots: map[string]frontier.Robots{"": {Data: make([]byte, 3000)}}})
	}
	closeStore(t, s)
	id := s.file.id
	s = open(t, dir, &Options{compactFrom: 1})
	if closeStore(t, s); s.file.id != id {
		t.Error("the log was compacted")
	}
}

// deadStore returns a directory whose log is worth a compaction, and its states.
func deadStore(t *testing.T) (dir string, states map[string]State) {
	t.Helper()
	dir = t.TempDir()
	s := open(t, dir, nil)
	w := newWorker(t, s, 11)
	for range 100 {
		w.step()
	}
	for range 500 {
		must(t, s.UpdateHost(t.Context(), "h0.test", frontier.HostUpdate{MaxInFlight: 3}))
	}
	closeStore(t, s)
	return dir, w.states
}

// A log or index that was being written when a process was killed is in nobody's way.
func TestLeftOverFiles(t *testing.T) {
	dir, states := deadStore(t)
	for _, name := range []string{logName + newSuffix, indexName + newSuffix} {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(strings.Repeat("left over", 10_000)), 0o600))
	}
	if got := statesOf(check(t, dir)); !maps.Equal(got, states) {
		t.Errorf("read only: %s", cmp.Diff(states, got))
	}
	closeStore(t, open(t, dir, &Options{compactFrom: 1}))
	if got := statesOf(check(t, dir)); !maps.Equal(got, states) {
		t.Error(cmp.Diff(states, got))
	}
}

// A compaction finds damage that the index hides.
func TestDamagedCompaction(t *testing.T) {
	dir, _ := deadStore(t)
	name := filepath.Join(dir, logName)
	log, err := os.ReadFile(name)
	must(t, err)
	log[len(log)/2] ^= 1
	must(t, os.WriteFile(name, log, 0o600))
	if _, err := Open(dir, &Options{compactFrom: 1}); !errors.Is(err, ErrDamaged) {
		t.Errorf("Open = %v, want %v", err, ErrDamaged)
	}
	if left, err := os.ReadFile(name); err != nil || !bytes.Equal(left, log) {
		t.Errorf("the log has changed: %v", err)
	}
}
