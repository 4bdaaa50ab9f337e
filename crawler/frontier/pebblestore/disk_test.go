//go:build unix

package pebblestore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/storetest"
)

// openOn opens a store whose database is on another file system.
func openOn(t *testing.T, dir string, fs vfs.FS, opts *Options) *Store {
	t.Helper()
	d, err := openDirectory(dir)
	if err != nil {
		t.Fatal(err)
	}
	d.fs = fs
	s := newStore(opts.withDefaults(), d)
	if err := s.open(); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestPowerFailure simulates a power failure: unflushed writes are lost.
func TestPowerFailure(t *testing.T) {
	for name, c := range map[string]struct {
		durability Durability
		kept       bool
	}{"power": {Power, true}, "process": {Process, false}} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			fs := vfs.NewCrashableMem()
			if err := makeDirectory(fs, dir); err != nil {
				t.Fatal(err)
			}
			s := openOn(t, dir, fs, &Options{Durability: c.durability})
			addURLs(t, s, "http://a.test/1", "http://a.test/2")
			finish(t, s, leaseURL(t, s, "http://a.test/1"), frontier.Outcome{Result: frontier.Done, Links: itemsOf("http://a.test/3")})
			after := fs.CrashClone(vfs.CrashCloneCfg{})
			closeStore(t, s)

			s = openOn(t, dir, after, nil)
			defer s.Close()
			st, err := s.Stats(t.Context())
			want := frontier.Counts{}
			if c.kept {
				want = frontier.Counts{URLs: 3, Pending: 2, Done: 1}
			}
			if err != nil || st.Counts != want {
				t.Errorf("Stats = %+v, %v; want %+v", st, err, want)
			}
		})
	}
}

// TestSmallStoreIsSmallOnDisk holds that the directory of a small crawl takes little space: no log
// reserves more than it needs.
func TestSmallStoreIsSmallOnDisk(t *testing.T) {
	for name, durability := range map[string]Durability{"process": Process, "power": Power} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s := open(t, dir, &Options{Durability: durability})
			defer s.Close()
			addURLs(t, s, "http://a.test/1")
			files, err := os.ReadDir(dir)
			if err != nil {
				t.Fatal(err)
			}
			var allocated int64
			for _, file := range files {
				var info syscall.Stat_t
				if err := syscall.Stat(filepath.Join(dir, file.Name()), &info); err != nil {
					t.Fatal(err)
				}
				allocated += info.Blocks * 512
			}
			if allocated > 1<<20 {
				t.Errorf("the directory takes %d bytes", allocated)
			}
		})
	}
}

// TestDirectorySurvivesPowerFailure simulates a power failure after the directory of a store was created.
func TestDirectorySurvivesPowerFailure(t *testing.T) {
	fs := vfs.NewCrashableMem()
	dir := filepath.Join(string(filepath.Separator), "not", "there", "yet")
	if err := makeDirectory(fs, dir); err != nil {
		t.Fatal(err)
	}
	if info, err := fs.CrashClone(vfs.CrashCloneCfg{}).Stat(dir); err != nil || !info.IsDir() {
		t.Errorf("Stat = %v, %v", info, err)
	}
	if err := makeDirectory(fs, dir); err != nil {
		t.Errorf("the second time: %v", err)
	}
}

const leakEnv = "PEBBLESTORE_TEST_LEAK" // set in test processes that may leave goroutines behind

// alone runs a test again in a process of its own, and reports whether it did.
func alone(t *testing.T) bool {
	t.Helper()
	if os.Getenv(leakEnv) != "" {
		return false
	}
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), leakEnv+"=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v:\n%s", err, out)
	}
	return true
}

// A fullDisk limits the size of the database's log.
type fullDisk struct {
	vfs.FS
	room atomic.Int64
	gate atomic.Pointer[gate] // if not nil, writes wait for it
}

// A gate is closed until it is opened.
type gate struct {
	once sync.Once
	way  chan struct{}
}

func (g *gate) open() { g.once.Do(func() { close(g.way) }) }

// shut makes writes wait until the gate is opened, at the latest at the end of the test.
func (d *fullDisk) shut(t *testing.T) (open func()) {
	g := &gate{way: make(chan struct{})}
	d.gate.Store(g)
	t.Cleanup(g.open)
	return g.open
}

func (d *fullDisk) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := d.FS.Create(name, c)
	return fullFile{f, d}, err
}

func (d *fullDisk) ReuseForWrite(from, to string, c vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := d.FS.ReuseForWrite(from, to, c)
	return fullFile{f, d}, err
}

type fullFile struct {
	vfs.File
	disk *fullDisk
}

func (f fullFile) Write(p []byte) (int, error) {
	if gate := f.disk.gate.Load(); gate != nil {
		<-gate.way
	}
	if f.disk.room.Add(-int64(len(p))) < 0 {
		return 0, syscall.ENOSPC
	}
	return f.File.Write(p)
}

// TestDiskFull fills the disk, by the log or by tables. Blocked goroutines stay behind, so it runs
// in a process of its own.
func TestDiskFull(t *testing.T) {
	if alone(t) {
		return
	}
	for _, memTable := range []uint64{defaultMemTable, 256 << 10} {
		t.Run(fmt.Sprint(memTable), func(t *testing.T) {
			dir := t.TempDir()
			disk := &fullDisk{FS: vfs.Default}
			disk.room.Store(1 << 20)
			s := openOn(t, dir, disk, &Options{memTable: memTable})
			var acked []string
			var err error
			for n := 0; err == nil; n++ {
				items := itemsOf(fmt.Sprintf("http://a.test/%d", n), fmt.Sprintf("http://b.test/%d", n))
				items[0].Meta = make([]byte, 1000)
				if _, err = s.Add(t.Context(), items); err == nil {
					acked = append(acked, items[0].URL, items[1].URL)
				}
			}
			if !errors.Is(err, syscall.ENOSPC) {
				t.Errorf("Add = %v, want %v", err, syscall.ENOSPC)
			}
			// All callers get the error, and nobody waits forever.
			for name, call := range storetest.Calls(s) {
				if err := call(t.Context()); !errors.Is(err, syscall.ENOSPC) {
					t.Errorf("%s = %v, want %v", name, err, syscall.ENOSPC)
				}
			}
			closeStore(t, s) // a call has returned the failure

			disk.room.Store(1 << 40)
			again := open(t, dir, nil)
			known, err := again.Known(t.Context(), keysOf(acked...))
			if err != nil {
				t.Fatal(err)
			}
			for i, ok := range known {
				if !ok {
					t.Errorf("%s was acknowledged and is lost", acked[i])
				}
			}
			t.Logf("%d URLs until the disk was full", len(acked))
			addURLs(t, again, "http://a.test/room again")
			closeStore(t, again)
			check(t, dir)
		})
	}
}

// TestAddWaitsForConcurrentAdd delays a write: a caller that gets added = false for its URL meanwhile must
// be able to rely on it.
func TestAddWaitsForConcurrentAdd(t *testing.T) {
	for name, opts := range map[string]*Options{"exact": nil, "bounded": {SeenBytes: 1}} {
		t.Run(name, func(t *testing.T) {
			disk := &fullDisk{FS: vfs.Default}
			disk.room.Store(1 << 40)
			s := openOn(t, t.TempDir(), disk, opts)
			t.Cleanup(func() { closeStore(t, s) }) // after the gate is open
			open := disk.shut(t)
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
			open()
			first, second := <-answers, <-answers
			if first.err != nil || second.err != nil || first.added[0] == second.added[0] {
				t.Errorf("Add = %v and %v", first, second)
			}
		})
	}
}

// TestDelayAfterKillWithRequestInFlight kills a process at the earliest moment at which a request may be in
// flight, before any later write.
func TestDelayAfterKillWithRequestInFlight(t *testing.T) {
	const host, url, delay = frontier.Host("a.test"), "http://a.test/1", time.Hour
	for name, ask := range map[string]func(*testing.T, *Store, *fullDisk){
		"lease": func(t *testing.T, s *Store, disk *fullDisk) {
			addURLs(t, s, url)
			disk.shut(t)
			leaseURL(t, s, url)
		},
		"hold": func(t *testing.T, s *Store, disk *fullDisk) {
			open := disk.shut(t)
			held := make(chan error)
			go func() {
				_, err := s.Hold(context.Background(), host)
				disk.shut(t)
				held <- err
			}()
			select {
			case err := <-held:
				t.Errorf("Hold = %v before the host was stored", err)
			case <-time.After(20 * time.Millisecond):
			}
			open()
			if err := <-held; err != nil {
				t.Error(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir, opts := t.TempDir(), &Options{Delay: delay}
			disk := &fullDisk{FS: vfs.Default}
			disk.room.Store(1 << 40)
			s := openOn(t, dir, disk, opts)
			t.Cleanup(func() { closeStore(t, s) }) // after the gate is open
			ask(t, s, disk)
			killed := filepath.Join(t.TempDir(), "killed")
			if err := os.CopyFS(killed, os.DirFS(dir)); err != nil {
				t.Fatal(err)
			}
			disk.gate.Load().open()

			opened := time.Now()
			again := open(t, killed, opts)
			defer again.Close()
			if _, err := again.Add(t.Context(), itemsOf(url, "http://new.test/1")); err != nil {
				t.Fatal(err)
			}
			leaseURL(t, again, "http://new.test/1")
			if r, err := again.Host(t.Context(), host); err != nil || r.Due.Before(opened.Add(delay)) {
				t.Errorf("Host = %+v, %v, want it due %v after %v", r, err, delay, opened)
			}
		})
	}
}
