// Package storetest is the contract of package frontier as a test. A store
// passes it or is none:
//
//	func TestMyStore(t *testing.T) {
//		storetest.Run(t, storetest.Store{
//			Place:   func(t testing.TB) string { return t.TempDir() },
//			Open:    func(place string) (frontier.Frontier, error) { return mystore.Open(place) },
//			Unit:    100 * time.Millisecond,
//			Durable: true,
//		})
//	}
//
// There are sixteen points. Most of their checks are scripts in points/, one step a
// line. Each check is a subtest, with the number of its point in its name. Checks that cannot apply to a store, by what its Store
// says of it, are skipped with the reason.
//
// # Time
//
// The checks wait and measure with package time alone, in multiples of
// Store.Unit. A store that lives in the process is run in a bubble of
// testing/synctest, where waiting costs nothing and times are exact. One that
// lives elsewhere runs in real time, with a Unit long enough that half of it is
// a safe margin for "at once", also on a machine that has other things to do. The
// suite takes some two hundred of them, so many checks should run at a time
// (Store.Parallel): they hardly do anything but wait. A check that fails in real
// time while the machine stood still for a good part of a unit is tried again with
// more time, a few times.
//
// # What the suite is worth
//
// Its own tests run it on a plain store which can be told to do wrong, one
// wrong at a time, and demand of each wrong that the checks of its point find
// it.
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

// A Store tells Run how to open a kind of store and what to expect of it.
type Store struct {
	// Open opens the store at place; when there is none, it makes one. Its
	// hosts start with no delay and one request in flight.
	Open func(place string) (frontier.Frontier, error)
	// NewLocation returns a place where there is no store yet, such as an empty
	// directory, and removes it when t ends. Nil: "", for a store that has no
	// place.
	NewLocation func(t testing.TB) string
	// Unit is what the times of the checks are multiples of. 0: one second,
	// which is for Bubble, and less where processes take part, for which time
	// is real.
	Unit time.Duration
	// Parallel is how many checks run at a time, each on a store of its own.
	// Those that keep a store busy run alone all the same, after the others. 0:
	// one, which is all that Bubble needs.
	Parallel int
	// Synctest runs f where time passes by itself: synctest.Test. Nil: f is
	// run in real time.
	Synctest func(t *testing.T, f func(*testing.T))
	// Durable says that what was stored is there when the place is opened
	// again.
	Durable bool
	// Exclusive says that a place can be open once only, so that a second
	// process is to be refused (point 12).
	Exclusive bool
	// Command returns a command that calls Child for place, in a process of
	// its own: usually the test binary, started again. It is needed to kill
	// that process (points 2, 3 and 6) and for point 12. Nil: those checks are
	// skipped.
	Command func(place string) *exec.Cmd
	// Kills is how many processes are killed for point 2. 0: 20.
	Kills int
	// SetClockBack sets the clock that stores read back by that much, or on when
	// it is negative. Nil: that check is skipped.
	SetClockBack func(t testing.TB, back time.Duration)
	// URLBytes and HostBytes are the most that a pending URL (over its own
	// length), and a host without pending URLs, may take of this process's
	// memory (point 11). 0: not checked.
	URLBytes, HostBytes int
}

// A point is one promise, shown by its checks.
type point struct {
	number int
	title  string
	checks []check
}

// A check looks at one side of a point, on a store that is new.
type check struct {
	name string
	// why says why the check does not apply to a store, or is empty.
	why func(Store) string
	run func(*subject)
	// process says that other processes take part, for which time is real.
	process bool
	// busy says that the store has so much to do that other checks would find
	// it slow.
	busy bool
}

var points = []point{
	{0, "arguments and end", argumentChecks},
	{1, "Add is idempotent for ever", slices.Concat(scripts("add"), addChecks)},
	{2, "what returned is there after kill -9", crashChecks},
	{3, "a lease that is not finished is leased again", slices.Concat(scripts("expiry"), expiryChecks)},
	{4, "a lost lease changes nothing", slices.Concat(scripts("fencing"), fencingChecks)},
	{5, "links of a finished page are never lost", slices.Concat(scripts("links"), linkChecks)},
	{6, "slots, delays and blocks of a host", slices.Concat(scripts("politeness"), politenessChecks)},
	{7, "order", slices.Concat(scripts("order"), orderChecks)},
	{8, "a retry waits alone", scripts("retry")},
	{9, "counts add up", scripts("counts")},
	{10, "waiting and waking", slices.Concat(scripts("waiting"), waitChecks)},
	{11, "bounded memory", memoryChecks},
	{12, "two processes", processChecks},
	{13, "what is kept comes back", slices.Concat(scripts("validators"), keptChecks, noteChecks)},
	{14, "what is over comes again", slices.Concat(scripts("revisit"), revisitChecks)},
	{15, "what waits is listed", slices.Concat(scripts("list"), listChecks)},
	{16, "a host is a server", slices.Concat(scripts("server"), serverChecks)},
}

// Run tests the kind of store that s describes.
func Run(t *testing.T, s Store) {
	beat := newPulse(s.quiet(t))
	defer beat.end()
	var waiting, busy []func()
	for _, p := range points {
		for _, c := range p.checks {
			list := &waiting
			if c.busy {
				list = &busy
			}
			*list = append(*list, func() {
				t.Run(fmt.Sprintf("%02d %s/%s", p.number, p.title, c.name), func(t *testing.T) { s.run(t, c, beat) })
			})
		}
	}
	together(max(s.Parallel, 1), waiting)
	together(1, busy)
}

// quiet opens a store that no check has, when time is real. It is closed with t.
func (s Store) quiet(t *testing.T) frontier.Frontier {
	if s.Synctest != nil {
		return nil
	}
	sub := &subject{TB: t, store: s}
	if s.NewLocation != nil {
		sub.place = s.NewLocation(t)
	}
	sub.open()
	t.Cleanup(sub.close)
	return sub.f
}

// together does all of these things, some at a time.
func together(most int, todo []func()) {
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
func (s Store) run(t *testing.T, c check, p *pulse) {
	if c.why != nil {
		if reason := c.why(s); reason != "" {
			t.Skip(reason)
		}
	}
	if s.real(c) {
		for _, wrong := range s.insist(t, c, p) {
			t.Error(wrong)
		}
		return
	}
	s.within(t, c, func(t *testing.T) { (&subject{TB: t, store: s, unit: s.unit(c)}).try(c) })
}

// real says that c takes its time.
func (s Store) real(c check) bool { return s.Synctest == nil || c.process }

// within runs f where the time is that c is to be run in.
func (s Store) within(t *testing.T, c check, f func(t *testing.T)) {
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

// try runs c on a store that is new.
func (s *subject) try(c check) {
	if s.store.NewLocation != nil {
		s.place = s.store.NewLocation(s)
	}
	s.open()
	defer s.close()
	c.run(s)
}

func needDurable(s Store) string {
	if !s.Durable {
		return "the store does not outlive its process"
	}
	return ""
}

func needChild(s Store) string {
	if s.Command == nil {
		return "the store has no process of its own to be killed or refused (Store.Command)"
	}
	return needDurable(s)
}
