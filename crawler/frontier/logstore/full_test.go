//go:build unix

package logstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/frontier/storetest"
	"github.com/politecrawl/politecrawl/crawler/internal/durable/disktest"
)

const aloneEnv = "LOGSTORE_TEST_ALONE" // set in processes of one test

// alone runs a test again in a process of its own, and reports whether it did. The process that go test
// starts cannot limit the size of files, since it writes one.
func alone(t *testing.T) bool {
	t.Helper()
	if os.Getenv(aloneEnv) != "" {
		return false
	}
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), aloneEnv+"=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v:\n%s", err, out)
	}
	return true
}

// soon returns the result of call, which must return quickly.
func soon(t *testing.T, call func() error) error {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- call() }()
	select {
	case err := <-done:
		return err
	case <-time.After(time.Minute):
		t.Fatal("it does not return")
		return nil
	}
}

// TestDiskFull fills the disk. All callers get the error; with room again, the store has all that was
// acknowledged.
func TestDiskFull(t *testing.T) {
	if alone(t) {
		return
	}
	dir := t.TempDir()
	s := open(t, dir, nil)
	var acked []string
	disktest.Full(t, 100_000, func() {
		var err error
		for n := 0; err == nil; n++ {
			items := itemsOf(fmt.Sprintf("http://a.test/%d", n), fmt.Sprintf("http://b.test/%d", n))
			items[0].Meta = make([]byte, 1000)
			if _, err = s.Add(t.Context(), items); err == nil {
				acked = append(acked, items[0].URL, items[1].URL)
			}
		}
		if !errors.Is(err, syscall.EFBIG) {
			t.Errorf("Add = %v, want %v", err, syscall.EFBIG)
		}
		for name, call := range storetest.Calls(s) {
			if err := soon(t, func() error { return call(t.Context()) }); !errors.Is(err, syscall.EFBIG) {
				t.Errorf("%s = %v, want %v", name, err, syscall.EFBIG)
			}
		}
		closeStore(t, s) // a call has returned the failure
	})
	again := open(t, dir, nil)
	known, err := again.Known(t.Context(), keysOf(acked...))
	if err != nil || slices.Contains(known, false) || len(acked) < 100 {
		t.Errorf("Known of %d URLs = %v, %v, want all", len(acked), known, err)
	}
	addURLs(t, again, "http://a.test/room again")
	closeStore(t, again)
	check(t, dir)
}

// TestOpenOnFullDisk opens a store without room for its files.
func TestOpenOnFullDisk(t *testing.T) {
	if alone(t) {
		return
	}
	for _, isNew := range []bool{true, false} {
		for _, room := range []uint64{0, 20, 50, uint64(firstSize)} {
			dir := t.TempDir()
			if !isNew {
				s := open(t, dir, nil)
				addURLs(t, s, "http://a.test/1")
				dir = copyOf(t, dir, lockName)
				closeStore(t, s)
			}
			disktest.Full(t, room, func() {
				s, err := Open(dir, nil)
				if err == nil {
					err = s.Close()
				}
				if fails := room == 0 || isNew && room < uint64(firstSize); errors.Is(err, syscall.EFBIG) != fails {
					t.Errorf("new: %t, room for %d bytes: Open = %v", isNew, room, err)
				}
			})
			s := open(t, dir, nil)
			addURLs(t, s, "http://a.test/2")
			closeStore(t, s)
			if got, want := len(check(t, dir)), map[bool]int{true: 1, false: 2}[isNew]; got != want {
				t.Errorf("%d URLs, want %d", got, want)
			}
		}
	}
}

// fullDisk calls do with a store that has a pending URL, and has no room for more. If fail, it has failed,
// and no call has returned that.
func fullDisk(t *testing.T, s *Store, fail bool, do func()) {
	t.Helper()
	addURLs(t, s, "http://a.test/1")
	block(t, s)()
	disktest.Full(t, uint64(s.file.size), func() {
		if fail {
			leaseURL(t, s, "http://a.test/1") // its attempt cannot be written
			for end := time.Now().Add(time.Minute); s.failure() == nil && time.Now().Before(end); {
				time.Sleep(time.Millisecond)
			}
		}
		do()
	})
}

// TestCloseOnFullDisk checks that Close returns the failure if no other call did. Without room for the
// index, it succeeds.
func TestCloseOnFullDisk(t *testing.T) {
	if alone(t) {
		return
	}
	names := slices.Collect(maps.Keys(storetest.Calls((*Store)(nil))))
	for _, name := range append(names, "no call", "no room for the index") {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s, warnings := openLogged(t, dir, nil)
			fullDisk(t, s, name != "no room for the index", func() {
				if call := storetest.Calls(s)[name]; call != nil {
					if err := soon(t, func() error { return call(t.Context()) }); !errors.Is(err, syscall.EFBIG) {
						t.Errorf("%s = %v, want %v", name, err, syscall.EFBIG)
					}
				}
				if err := soon(t, s.Close); errors.Is(err, syscall.EFBIG) != (name == "no call") {
					t.Errorf("Close = %v", err)
				}
				must(t, s.Close())
			})
			if text := warnings.String(); (text != "") != (name == "no room for the index") {
				t.Errorf("the store warns: %q", text)
			}
			again := open(t, dir, nil)
			leaseURL(t, again, "http://a.test/1")
			closeStore(t, again)
			check(t, dir)
		})
	}
}

// TestAddWaitsForConcurrentAdd delays a write: a caller that gets added = false for its URL meanwhile must
// be able to rely on it.
func TestAddWaitsForConcurrentAdd(t *testing.T) {
	s := open(t, t.TempDir(), nil)
	unblock := block(t, s)
	type answer struct {
		added []bool
		err   error
	}
	answers := make(chan answer, 2)
	for range 2 {
		go func() {
			added, err := s.Add(context.Background(), itemsOf("http://a.test/1"))
			answers <- answer{added, err}
		}()
	}
	select {
	case a := <-answers:
		t.Errorf("Add = %v, %v before the URL was stored", a.added, a.err)
	case <-time.After(50 * time.Millisecond):
	}
	unblock()
	first, second := <-answers, <-answers
	if first.err != nil || second.err != nil || first.added[0] == second.added[0] {
		t.Errorf("Add = %v and %v", first, second)
	}
	closeStore(t, s)
}

// If the compacted log cannot be written, the old one stays in use.
func TestCompactionOnFullDisk(t *testing.T) {
	if alone(t) {
		return
	}
	dir, states := deadStore(t)
	before := size(t, dir)
	for room := range uint64(5) {
		disktest.Full(t, 40+room*200, func() {
			s, warnings := openLogged(t, dir, &Options{compactFrom: 1})
			if text := warnings.String(); !strings.Contains(text, "frontier not compacted") || !strings.Contains(text, syscall.EFBIG.Error()) {
				t.Errorf("Open warns %q", text)
			}
			_ = s.Close() // without an index
		})
		if size(t, dir) != before {
			t.Errorf("the log has %d bytes, and had %d", size(t, dir), before)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, "*"+newSuffix)); len(left) > 0 {
			t.Errorf("left over: %q", left)
		}
	}
	s := open(t, dir, &Options{compactFrom: 1})
	if size(t, dir) >= before {
		t.Errorf("not compacted with room again")
	}
	closeStore(t, s)
	if got := statesOf(check(t, dir)); !maps.Equal(got, states) {
		t.Error(cmp.Diff(states, got))
	}
}

// TestOpenReadOnlyWithoutPermission reads a store that this process may not write.
func TestOpenReadOnlyWithoutPermission(t *testing.T) {
	if alone(t) { // since it changes the user
		return
	}
	top := filepath.Dir(t.TempDir()) // only its owner may enter it
	dir := filepath.Join(top, "store")
	s := open(t, dir, nil)
	addURLs(t, s, "http://a.test/1", "http://a.test/2")
	closeStore(t, s)
	must(t, errors.Join(os.Chmod(top, 0o755), os.Chmod(dir, 0o555)))
	defer func() { must(t, os.Chmod(dir, 0o755)) }()
	if os.Getuid() == 0 { // root may write everywhere
		must(t, syscall.Seteuid(65534))
		defer func() { must(t, syscall.Seteuid(0)) }()
	}
	if _, err := Open(dir, nil); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("Open = %v, want %v", err, fs.ErrPermission)
	}
	if urls, err := readOnly(t, dir); err != nil || len(urls) != 2 {
		t.Errorf("%v, %v", urls, err)
	}
}
