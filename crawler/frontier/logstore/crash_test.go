//go:build unix

package logstore

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

// TestKill kills processes at random moments while they use all methods of a store. Then it
// compares the calls that returned with the stored data.
func TestKill(t *testing.T) {
	if testing.Short() {
		t.Skip("it kills 20 processes, as TestStore kills some")
	}
	dir := t.TempDir()
	o := newOracle()
	for range kills() {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), childEnv+"="+dir, loadEnv+"=1")
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		lines.Scan() // the load has started
		var killing sync.WaitGroup
		killing.Go(func() {
			time.Sleep(time.Duration(rand.IntN(100)) * time.Millisecond)
			_ = cmd.Process.Kill()
		})
		for more := true; more; more = lines.Scan() {
			o.note(t, lines.Text())
		}
		killing.Wait()
		_ = cmd.Wait() // returns that it was killed
		o.compare(t, check(t, dir))
		if t.Failed() {
			return
		}
	}
	t.Logf("%d kills, %d URLs, %d ends", kills(), len(o.added), len(o.ended))
}

// TestKillCreating kills processes while they create a store.
func TestKillCreating(t *testing.T) {
	for range kills() {
		dir := filepath.Join(t.TempDir(), "new")
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), childEnv+"="+dir, loadEnv+"=1")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for _, err := os.Stat(dir); err != nil; _, err = os.Stat(dir) {
			time.Sleep(100 * time.Microsecond)
		}
		time.Sleep(time.Duration(rand.IntN(5000)) * time.Microsecond)
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // returns that it was killed
		s := open(t, dir, nil)
		addURLs(t, s, "http://a.test/1")
		closeStore(t, s)
		check(t, dir)
	}
}

// An oracle knows which calls of a store returned.
type oracle struct {
	added  map[string]bool
	ended  map[string]ending // the last acknowledged end of each URL
	tried  map[string]uint64 // 1 + the last lease that may have ended, or 1 + one after which the URL may be leased again
	again  map[string]uint64 // 1 + the last lease after which the URL is fetched again
	opened int               // how often the store was opened
	token  uint64            // before the first lease of this opening
}

type ending struct {
	lease   uint64 // number of the lease; later leases have higher numbers
	result  frontier.Result
	attempt int
	at      time.Time
	again   bool // at is not zero
	opened  int
}

func newOracle() *oracle {
	return &oracle{added: make(map[string]bool), ended: make(map[string]ending), tried: make(map[string]uint64), again: make(map[string]uint64)}
}

// note records a line of a child. The last line of a killed child may be incomplete.
func (o *oracle) note(t *testing.T, line string) {
	t.Helper()
	f := strings.Fields(line)
	number := func(lease string) uint64 { // later leases, and those of later processes, have higher ones
		n, err := strconv.ParseUint(lease, 36, 64)
		if err != nil {
			t.Fatal(err)
		}
		return uint64(o.opened)<<32 + n - o.token
	}
	switch {
	case len(f) == 3 && f[0] == "opened" && f[2] == ".":
		o.opened++
		var err error
		if o.token, err = strconv.ParseUint(f[1], 36, 64); err != nil {
			t.Fatal(err)
		}
	case len(f) > 1 && f[0] == "added" && f[len(f)-1] == ".":
		for _, u := range f[1 : len(f)-1] {
			o.added[u] = true
		}
	case len(f) == 4 && (f[0] == "try" || f[0] == "again") && f[3] == ".":
		n := number(f[2])
		if f[0] == "again" {
			o.again[f[1]] = n
		}
		o.tried[f[1]] = max(o.tried[f[1]], n)
	case len(f) == 7 && f[0] == "ended" && f[6] == ".":
		var e ending
		var ms int64
		if _, err := fmt.Sscan(strings.Join(f[3:6], " "), &e.result, &e.attempt, &ms); err != nil {
			t.Fatal(err)
		}
		e.lease = number(f[2])
		if ms > 0 {
			e.at, e.again = time.UnixMilli(ms), true
		}
		e.opened = o.opened
		if e.lease > o.ended[f[1]].lease {
			o.ended[f[1]] = e
		}
	}
}

// compare fails for each acknowledged call whose result is missing.
func (o *oracle) compare(t *testing.T, urls map[string]URL) {
	t.Helper()
	for u := range o.added {
		if _, ok := urls[u]; !ok {
			t.Errorf("%s was added and is lost", u)
		}
	}
	for u, n := range o.again {
		if got := urls[u].State; o.tried[u] == n && got != Pending && got != Scheduled {
			t.Errorf("%s is to come again, and is %v", u, got)
		}
	}
	for u, e := range o.ended {
		if o.tried[u] > e.lease {
			continue // a later end may be stored
		}
		got := urls[u]
		attempts := e.attempt
		var want State
		switch {
		case e.result == frontier.Drop:
			want = Dropped
		case e.result == frontier.Done && !e.again:
			want = Done
		case e.result == frontier.Done:
			attempts = 0
		case e.result == frontier.Defer:
			attempts--
		}
		if over := got.State == Done || got.State == Dropped; over != (want == Done || want == Dropped) || over && got.State != want {
			t.Errorf("%s was finished with %v (again: %v), and is %v", u, e.result, e.again, got.State)
		} else if open := o.opened - e.opened + 1; !over && (got.Attempts < attempts || got.Attempts > attempts+open) {
			// Each opening since then may have ended during a lease.
			t.Errorf("%s was finished with %v at attempt %d, and has %d attempts", u, e.result, e.attempt, got.Attempts)
		}
		if got.State == Scheduled && got.NotBefore.Before(e.at) {
			t.Errorf("%s is scheduled for %v, want %v", u, got.NotBefore, e.at)
		}
	}
}

const loadEnv = "LOGSTORE_TEST_LOAD" // set in the child processes that TestKill kills

// loadChild uses all methods of a store and prints the calls that return. Every few hundred commits it
// compacts the log, and opens the store anew.
func loadChild(dir string) error {
	var mu sync.Mutex // guards standard output
	say := func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Printf(format+" .\n", args...)
	}
	for round := 0; ; round++ {
		s, err := Open(dir, &Options{compactFrom: 1})
		if err != nil {
			return err
		}
		say("opened %s", strconv.FormatUint(s.sched.Token, 36))
		errs := make(chan error)
		for w := range loaders {
			go func() { errs <- loader(s, fmt.Sprintf("%d-%d-%d", os.Getpid(), round, w), say) }()
		}
		for range loaders {
			err = errors.Join(err, <-errs)
		}
		if err = errors.Join(err, s.Close()); err != nil {
			return err
		}
		if s, err = Open(dir, nil); err != nil {
			return err
		}
		if err = compactNow(s); err != nil {
			return err
		}
	}
}

const (
	loaders = 8
	calls   = 10 // of each loader, of several commits
)

func loader(s *Store, name string, say func(string, ...any)) error {
	ctx, rng, count := context.Background(), rand.New(rand.NewPCG(rand.Uint64(), 0)), 0
	fresh := func() (items []frontier.Item, urls string) {
		for range 1 + rng.IntN(4) {
			count++
			it := frontier.Item{
				URL:      fmt.Sprintf("http://h%d.test/%s-%d", rng.IntN(10), name, count),
				Priority: uint8(rng.IntN(3)), Meta: []byte(name),
			}
			if rng.IntN(5) == 0 {
				it.NotBefore = time.Now().Add(time.Duration(rng.IntN(50)) * time.Millisecond)
			}
			items, urls = append(items, it), urls+" "+it.URL
		}
		return items, urls
	}
	for range calls {
		items, urls := fresh()
		if _, err := s.Add(ctx, items); err != nil {
			return err
		}
		say("added%s", urls)
		got, err := s.Lease(ctx, frontier.LeaseRequest{Max: 3, Duration: time.Minute})
		if err != nil {
			return err
		}
		for _, l := range got {
			o := frontier.Outcome{Lease: l.ID, Result: frontier.Result(1 + rng.IntN(4)), HostDelay: time.Duration(rng.IntN(3))}
			ms := int64(0)
			if o.Result != frontier.Drop && rng.IntN(3) > 0 {
				o.NotBefore = time.Now().Add(time.Duration(rng.IntN(100)) * time.Millisecond)
				ms = o.NotBefore.UnixMilli()
			}
			if rng.IntN(3) == 0 {
				o.Validators = &frontier.Validators{ETag: name}
			}
			o.Links, urls = fresh()
			say("try %s %s", l.URL, l.ID)
			if errs, err := s.Finish(ctx, []frontier.Outcome{o}, nil); err != nil || errs[0] != nil {
				return fmt.Errorf("Finish = %v, %w", errs, err)
			}
			say("ended %s %s %d %d %d", l.URL, l.ID, o.Result, l.Attempt, ms)
			say("added%s", urls)
			if over := o.Result == frontier.Drop || o.Result == frontier.Done && ms == 0; over && rng.IntN(3) == 0 {
				if err := revisit(s, l, say); err != nil {
					return err
				}
			}
		}
		time.Sleep(time.Millisecond)
	}
	return nil
}

// revisit revisits finished URLs.
func revisit(s *Store, l frontier.Lease, say func(string, ...any)) error {
	n, err := strconv.ParseUint(string(l.ID), 36, 64)
	if err != nil {
		return err
	}
	next := strconv.FormatUint(n+1, 36)
	say("try %s %s", l.URL, next)
	if again, err := s.Revisit(context.Background(), itemsOf(l.URL)); err != nil || !again[0] {
		return fmt.Errorf("Revisit = %v, %w", again, err)
	}
	say("again %s %s", l.URL, next)
	return nil
}
