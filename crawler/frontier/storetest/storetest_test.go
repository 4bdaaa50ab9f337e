//go:build unix

package storetest

import (
	"fmt"
	"os"
	"os/exec"
	"testing"
	"testing/synctest"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

// What a child process is told in its environment.
const (
	childPlace = "STORETEST_PLACE"
	childWrong = "STORETEST_WRONG"
)

func TestMain(m *testing.M) {
	place := os.Getenv(childPlace)
	if place == "" {
		os.Exit(m.Run())
	}
	if err := Child(toyStore(wrong(os.Getenv(childWrong))), place, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// toyStore describes a toy that does one thing wrong, or nothing.
func toyStore(w wrong) Store {
	var clock Clock
	return Store{
		Open:    func(place string) (frontier.Frontier, error) { return openToy(place, w, clock.Now) },
		NewLocation:   func(t testing.TB) string { return t.TempDir() },
		Synctest:  synctest.Test,
		Durable: true, Exclusive: true,
		Command: func(place string) *exec.Cmd {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), childPlace+"="+place, childWrong+"="+string(w))
			cmd.Stderr = os.Stderr
			return cmd
		},
		Kills:     4,
		SetClockBack: clock.SetBack,
		URLBytes:  1500, HostBytes: 1500,
	}
}

// TestToy shows that a store can pass.
func TestToy(t *testing.T) { Run(t, toyStore(nothing)) }

// TestShared shows it for a store that any number of handles may open: one that
// gives out a single toy passes, and one whose handles are strangers does not.
func TestShared(t *testing.T) {
	s := toyStore(nothing)
	s.Exclusive, s.Command = false, nil
	open, toys := s.Open, make(map[string]frontier.Frontier)
	s.Open = func(place string) (f frontier.Frontier, err error) {
		if f = toys[place]; f == nil {
			f, err = open(place)
			toys[place] = f
		}
		return f, err
	}
	for name, found := range failures(t, s, 12) {
		t.Errorf("a store that is shared fails %s: %s", name, found)
	}
	s = toyStore(locksNothing)
	s.Exclusive, s.Command = false, nil
	if len(failures(t, s, 12)) == 0 {
		t.Error("no check finds that handles do not see each other's work")
	}
}

// TestWrongs shows that a store cannot pass when it does wrong: the checks of
// the point find it. And that each check finds something.
func TestWrongs(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs the suite once for each wrong of a store")
	}
	failed, ran := make(map[string]bool), 0
	for _, w := range wrongs {
		t.Run(fmt.Sprintf("%02d %s", w.point, w.name), func(t *testing.T) {
			ran++
			found := failures(t, toyStore(w.name), w.point)
			for name, what := range found {
				failed[name] = true
				t.Logf("%s: %s", name, what)
			}
			if len(found) == 0 {
				t.Fatalf("no check of point %d finds a store that %s", w.point, w.name)
			}
		})
	}
	if ran < len(wrongs) {
		return // by the wish of who runs it
	}
	for _, p := range points {
		for _, c := range p.checks {
			if name := checkName(p, c); !failed[name] && !skipped(toyStore(nothing), c) {
				t.Errorf("no store that does wrong fails %q", name)
			}
		}
	}
}

func checkName(p point, c check) string { return fmt.Sprintf("%02d/%s", p.number, c.name) }

// skipped says that c is not for s.
func skipped(s Store, c check) bool { return c.why != nil && c.why(s) != "" }

// failures returns what the checks of a point find wrong with a store, by
// their names.
func failures(t *testing.T, s Store, number int) map[string][]string {
	found := make(map[string][]string)
	for _, p := range points {
		if p.number != number {
			continue
		}
		for _, c := range p.checks {
			if skipped(s, c) {
				continue
			}
			t.Run(c.name, func(t *testing.T) {
				s.within(t, c, func(t *testing.T) {
					r := &recorder{TB: t}
					r.run(func() { (&subject{TB: r, store: s, unit: s.unit(c)}).try(c) })
					if len(r.failures) > 0 {
						found[checkName(p, c)] = r.failures
					}
				})
			})
		}
	}
	return found
}
