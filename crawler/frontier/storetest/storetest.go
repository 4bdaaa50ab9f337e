// Package storetest tests whether a store implements the contract of package frontier:
//
//	func TestMyStore(t *testing.T) {
//		storetest.Run(t, storetest.Store{
//			NewLocation: func(t testing.TB) string { return t.TempDir() },
//			Open:        func(dir string) (frontier.Frontier, error) { return mystore.Open(dir) },
//			Unit:        100 * time.Millisecond,
//			Durable:     true,
//		})
//	}
//
// The contract has sixteen points:
//
//  1. Add is idempotent forever.
//  2. Completed calls survive kill -9.
//  3. An unfinished URL is leased again.
//  4. A lost lease changes no URL state; its links are still added.
//  5. The links of a finished page are never lost.
//  6. The slots, delays and blocks of a host are obeyed.
//  7. URLs are leased in the documented order.
//  8. A retry does not delay other URLs.
//  9. Counts add up.
//  10. Lease and Hold wait, and return when a URL or host is due.
//  11. Memory is bounded.
//  12. Two processes share the store or, if it is exclusive, the second is rejected.
//  13. Stored data is returned unchanged.
//  14. Finished URLs can be fetched again (Revisiter).
//  15. Waiting URLs are listed (Lister).
//  16. A host is a server, for all schemes and spellings.
//
// Each check of a point is a subtest with the number of the point in its name. Most checks are
// scripts in points/, with one step per line. Checks that do not apply to the store, according to
// the fields of Store, are skipped with a reason.
//
// # Time
//
// The checks measure time in multiples of Store.Unit. A store that runs in the process of the
// test should run in a testing/synctest bubble (Store.Synctest). There waiting costs nothing and
// times are exact.
//
// Other stores run in real time. Choose a Unit that is more than twice the duration of the
// slowest call, even on a busy machine. One after the other, the checks take about 200 units. They
// mostly wait, so run many in parallel (Store.Parallel). If a check fails because the machine
// stalled, it is repeated with twice the Unit, up to three times.
//
// # Tests of this package
//
// The tests of this package run the checks on a correct store behind one deliberate error at a
// time. For each error, a check of the right point must fail.
package storetest

import (
	"fmt"
	"os/exec"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

// A Store describes the kind of store to be tested.
type Store struct {
	// Open opens the store at a location, and creates it if it is missing. Its hosts must
	// start with no delay and one request in flight.
	Open func(location string) (frontier.Frontier, error)
	// NewLocation returns a location without a store, such as an empty directory. It may delete the
	// store when t ends. If nil, Open is called with "".
	NewLocation func(t testing.TB) string
	// Unit is the time unit of the checks. The default is 200 ms for checks that start processes,
	// and 1 second for all others.
	Unit time.Duration
	// Parallel is the number of checks that run at once, each on a store of its own. Checks with
	// many calls run alone afterwards. The default is 1, which is enough with Synctest.
	Parallel int
	// Synctest is synctest.Test for a store that can run in a synctest bubble. If nil, the checks
	// run in real time.
	Synctest func(t *testing.T, f func(*testing.T))
	// Durable: the data remains when the store is closed and opened again.
	Durable bool
	// Exclusive: a location can be opened only once at a time (point 12).
	Exclusive bool
	// Command returns a command whose process calls Child for a location: usually the test binary
	// itself. If nil, checks that kill processes (points 2, 3 and 6) or need a second process
	// (point 12) are skipped.
	Command func(location string) *exec.Cmd
	// Kills is the number of processes that are killed for point 2 (default 20).
	Kills int
	// SetClockBack sets the clock of all stores back, or forward if back is negative. If nil, the
	// check of a clock that is set back is skipped.
	SetClockBack func(t testing.TB, back time.Duration)
	// URLBytes is the maximum memory of this process for a pending URL, in bytes beyond the length
	// of the URL. HostBytes is the maximum for a host without pending URLs (point 11). Zero means
	// not checked.
	URLBytes, HostBytes int
}

// A point is one rule of the contract.
type point struct {
	number int
	title  string
	checks []check
}

// A check checks one aspect of a point, on a new store.
type check struct {
	name string
	// needs are what a store must have for the check to apply.
	needs []need
	run   func(*subject)
	// process: the check starts other processes, so it runs in real time.
	process bool
	// heavy: the check makes many calls, which would slow down other checks, or measures the memory of
	// the process. It runs alone.
	heavy bool
}

var points = []point{
	{0, "invalid arguments and Close", argumentChecks},
	{1, "Add is idempotent forever", slices.Concat(scripts("add"), addChecks)},
	{2, "completed calls survive kill -9", crashChecks},
	{3, "an unfinished URL is leased again", slices.Concat(scripts("expiry"), expiryChecks)},
	{4, "a lost lease changes no URL state", slices.Concat(scripts("fencing"), fencingChecks)},
	{5, "links of a finished page are never lost", slices.Concat(scripts("links"), linkChecks)},
	{6, "slots, delays and blocks of a host", slices.Concat(scripts("politeness"), politenessChecks)},
	{7, "order", slices.Concat(scripts("order"), orderChecks)},
	{8, "a retry does not delay other URLs", scripts("retry")},
	{9, "counts add up", scripts("counts")},
	{10, "waiting and waking", slices.Concat(scripts("waiting"), waitChecks)},
	{11, "bounded memory", memoryChecks},
	{12, "two processes", processChecks},
	{13, "stored data is returned unchanged", slices.Concat(scripts("validators"), dataChecks, scripts("notes"), noteChecks)},
	{14, "finished URLs are revisited", slices.Concat(scripts("revisit"), revisitChecks)},
	{15, "waiting URLs are listed", slices.Concat(scripts("list"), listChecks)},
	{16, "a host is a server", slices.Concat(scripts("server"), serverChecks)},
}

// Run runs all checks that apply to the kind of store described by s.
func Run(t *testing.T, s Store) {
	beat := newStallMonitor(s.openIdle(t))
	defer beat.end()
	var waiting, busy []func()
	for _, p := range points {
		for _, c := range p.checks {
			list := &waiting
			if c.heavy {
				list = &busy
			}
			*list = append(*list, func() {
				t.Run(fmt.Sprintf("%02d %s/%s", p.number, p.title, c.name), func(t *testing.T) { s.run(t, c, beat) })
			})
		}
	}
	runParallel(max(s.Parallel, 1), waiting)
	runParallel(1, busy)
}

// openIdle opens a store that no check uses, unless in a bubble. It is closed when t ends.
func (s Store) openIdle(t *testing.T) frontier.Frontier {
	if s.Synctest != nil {
		return nil
	}
	sub := &subject{TB: t, store: s}
	if s.NewLocation != nil {
		sub.location = s.NewLocation(t)
	}
	sub.open()
	t.Cleanup(sub.close)
	return sub.f
}

// runParallel calls the functions, at most so many at once.
func runParallel(most int, todo []func()) {
	slots := make(chan struct{}, most)
	var doing sync.WaitGroup
	for _, do := range todo {
		slots <- struct{}{}
		doing.Go(func() {
			defer func() { <-slots }()
			do()
		})
	}
	doing.Wait()
}

// run runs one check on a new store.
func (s Store) run(t *testing.T, c check, p *stallMonitor) {
	if reason := c.skipReason(s); reason != "" {
		t.Skip(reason)
	}
	if s.real(c) {
		for _, wrong := range s.runReal(t, c, p) {
			t.Error(wrong)
		}
		return
	}
	s.runTimed(t, c, func(t *testing.T) { (&subject{TB: t, store: s, unit: s.unit(c)}).try(c) })
}

// real reports whether c runs in real time.
func (s Store) real(c check) bool { return s.Synctest == nil || c.process }

// runTimed runs f in real time or in a bubble, as c requires.
func (s Store) runTimed(t *testing.T, c check, f func(t *testing.T)) {
	if s.real(c) {
		f(t)
		return
	}
	s.Synctest(t, f)
}

func (s Store) unit(c check) time.Duration {
	switch {
	case s.Unit > 0:
		return s.Unit
	case c.process:
		return 200 * time.Millisecond
	}
	return time.Second
}

// try runs c on a new store.
func (s *subject) try(c check) {
	if s.store.NewLocation != nil {
		s.location = s.store.NewLocation(s)
	}
	s.open()
	defer s.close()
	c.run(s)
}

// A need is something that only some stores have. Reason says that a store lacks it.
type need struct {
	has    func(Store) bool
	reason string
}

var (
	durable   = []need{{func(s Store) bool { return s.Durable }, "the store is not durable (Store.Durable)"}}
	killable  = append([]need{{func(s Store) bool { return s.Command != nil }, "no process can be started (Store.Command)"}}, durable...)
	exclusive = need{func(s Store) bool { return s.Exclusive }, "several processes can open the store (Store.Exclusive)"}
	shareable = need{func(s Store) bool { return !s.Exclusive }, "only one process can open the store (Store.Exclusive)"}
	settable  = need{func(s Store) bool { return s.SetClockBack != nil }, "the store's clock cannot be set (Store.SetClockBack)"}
	urlLimit  = need{func(s Store) bool { return s.URLBytes != 0 }, "there is no limit (Store.URLBytes)"}
	hostLimit = need{func(s Store) bool { return s.HostBytes != 0 }, "there is no limit (Store.HostBytes)"}
)

// skipReason says why the check does not apply to a store, or returns "" if it does.
func (c check) skipReason(s Store) string {
	for _, n := range c.needs {
		if !n.has(s) {
			return n.reason
		}
	}
	return ""
}
