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

// Environment variables of a child process.
const (
	childPlace = "STORETEST_PLACE"
	childWrong = "STORETEST_WRONG"
)

func TestMain(m *testing.M) {
	place := os.Getenv(childPlace)
	if place == "" {
		os.Exit(m.Run())
	}
	var wrong defect
	for _, d := range defects {
		if d.name == os.Getenv(childWrong) {
			wrong = d
		}
	}
	if err := Child(faultyStore(wrong), place, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// faultyStore describes a store with a defect.
func faultyStore(d defect) Store {
	return Store{
		Open:        func(place string) (frontier.Frontier, error) { return openFaulty(place, d) },
		NewLocation: func(t testing.TB) string { return t.TempDir() },
		Synctest:    synctest.Test,
		Durable:     true, Exclusive: true,
		Command: func(place string) *exec.Cmd {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), childPlace+"="+place, childWrong+"="+d.name)
			cmd.Stderr = os.Stderr
			return cmd
		},
		Kills:    4,
		URLBytes: 1500, HostBytes: 4500,
	}
}

// TestShared checks a store that can be opened several times: handles that share a store pass, and
// handles with stores of their own fail.
func TestShared(t *testing.T) {
	for _, d := range []defect{{name: "none"}, {name: "opens another store", open: forgets}} {
		s := faultyStore(d)
		s.Exclusive, s.Command = false, nil
		open, stores := s.Open, make(map[string]frontier.Frontier)
		if d.open == nil {
			s.Open = func(place string) (f frontier.Frontier, err error) {
				if f = stores[place]; f == nil {
					f, err = open(place)
					stores[place] = f
				}
				return f, err
			}
		}
		if found := failures(t, s, 12); len(found) > 0 != (d.open != nil) {
			t.Errorf("defect %s fails %v", d.name, found)
		}
	}
}

// TestDefects checks that each defect fails a check of its point, and that each check finds a
// defect.
func TestDefects(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs the suite once for each defect")
	}
	for _, p := range points {
		for name, found := range failures(t, faultyStore(defect{}), p.number) {
			t.Errorf("a store without a defect fails %s: %s", name, found)
		}
	}
	failed, ran := make(map[string]bool), 0
	for _, w := range defects {
		t.Run(fmt.Sprintf("%02d %s", w.point, w.name), func(t *testing.T) {
			ran++
			found := failures(t, faultyStore(w), w.point)
			for name, what := range found {
				failed[name] = true
				t.Logf("%s: %s", name, what)
			}
			if len(found) == 0 {
				t.Fatalf("no check of point %d finds a store that %s", w.point, w.name)
			}
		})
	}
	if ran < len(defects) {
		return // skipped by the environment
	}
	for _, p := range points {
		for _, c := range p.checks {
			if name := checkName(p, c); !failed[name] && !skipped(faultyStore(defect{}), c) {
				t.Errorf("no defect fails %q", name)
			}
		}
	}
}

func checkName(p point, c check) string { return fmt.Sprintf("%02d/%s", p.number, c.name) }

// skipped reports whether c does not apply to s.
func skipped(s Store, c check) bool { return c.skipReason(s) != "" }

// failures returns the failures of a store in the checks of a point, by name.
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
				s.runTimed(t, c, func(t *testing.T) {
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
