//go:build unix

package storetest

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

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
	var mu sync.Mutex
	var back time.Duration
	now := func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		return time.Now().Round(0).Add(-back)
	}
	return Store{
		Open:    func(place string) (frontier.Frontier, error) { return openToy(place, w, now) },
		Place:   func(t testing.TB) string { return t.TempDir() },
		Bubble:  synctest.Test,
		Durable: true, Exclusive: true,
		Command: func(place string) *exec.Cmd {
			cmd := exec.Command(os.Args[0]) //nolint:gosec // this test, once more
			cmd.Env = append(os.Environ(), childPlace+"="+place, childWrong+"="+string(w))
			cmd.Stderr = os.Stderr
			return cmd
		},
		Kills: 4,
		StepClock: func(_ testing.TB, by time.Duration) {
			mu.Lock()
			defer mu.Unlock()
			back += by
		},
		URLBytes: 5000, HostBytes: 5000,
	}
}

// TestToy shows that a store can pass.
func TestToy(t *testing.T) { Run(t, toyStore(nothing)) }

// TestWrongs shows that a store cannot pass when it does wrong.
func TestWrongs(t *testing.T) {
	for _, w := range wrongs {
		t.Run(fmt.Sprintf("%02d %s", w.point, w.name), func(t *testing.T) {
			if found := failures(t, toyStore(w.name), w.point); len(found) == 0 {
				t.Fatalf("no check of point %d finds a store that %s", w.point, w.name)
			} else {
				t.Log(strings.Join(found, "\n"))
			}
		})
	}
}

// failures returns what the checks of a point find wrong with a store.
func failures(t *testing.T, s Store, number int) (found []string) {
	for _, p := range points {
		if p.number != number {
			continue
		}
		for _, c := range p.checks {
			if c.why != nil && c.why(s) != "" {
				continue
			}
			t.Run(c.name, func(t *testing.T) {
				s.within(t, c, func(t *testing.T) {
					r := &recorder{TB: t}
					r.run(func() { s.try(r, c) })
					for _, f := range r.failures {
						found = append(found, c.name+": "+f)
					}
				})
			})
		}
	}
	return found
}

// A recorder is a test that takes note of its failures and passes.
type recorder struct {
	testing.TB
	mu       sync.Mutex // guards failures
	failures []string
}

// run runs f, which may end by Fatalf, to its end.
func (r *recorder) run(f func()) {
	var wg sync.WaitGroup
	wg.Go(f)
	wg.Wait()
}

func (r *recorder) Errorf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

func (r *recorder) Error(args ...any) { r.Errorf("%s", fmt.Sprint(args...)) }
func (r *recorder) Fatal(args ...any) { r.Fatalf("%s", fmt.Sprint(args...)) }

func (r *recorder) Failed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.failures) > 0
}
