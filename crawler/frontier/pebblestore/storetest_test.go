//go:build unix

package pebblestore

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/storetest"
)

const (
	childEnv = "PEBBLESTORE_TEST_PLACE" // a test binary that finds it is a child of storetest
	killsEnv = "PEBBLESTORE_KILLS"      // how many processes to kill; empty: few
)

func TestMain(m *testing.M) {
	place := os.Getenv(childEnv)
	if place == "" {
		goleak.VerifyTestMain(m)
	}
	if err := storetest.Child(theStore(), place, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func theStore() storetest.Store {
	var mu sync.Mutex
	var back time.Duration
	return storetest.Store{
		Open: func(place string) (frontier.Frontier, error) {
			return openAt(place, nil, func() time.Time {
				mu.Lock()
				defer mu.Unlock()
				return time.Now().Round(0).Add(-back)
			})
		},
		Place:   func(t testing.TB) string { return t.TempDir() },
		Bubble:  synctest.Test,
		Durable: true, Exclusive: true,
		Command: func(place string) *exec.Cmd {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), childEnv+"="+place)
			cmd.Stderr = os.Stderr
			return cmd
		},
		Kills: kills(),
		StepClock: func(_ testing.TB, by time.Duration) {
			mu.Lock()
			defer mu.Unlock()
			back += by
		},
		// Of so few hosts and URLs what the database has for itself is the most
		// by far. TestMemory looks at more of them.
		URLBytes: 500, HostBytes: 4000,
	}
}

func kills() int {
	if n, err := strconv.Atoi(os.Getenv(killsEnv)); err == nil {
		return n
	}
	return 6
}

// openAt opens a store that compares the times it is given with wall.
func openAt(dir string, opts *Options, wall func() time.Time) (*Store, error) {
	d, err := openDirectory(dir)
	if err != nil {
		return nil, err
	}
	s := newStore(opts.withDefaults(), d)
	s.sched.Wall = wall
	return s, s.open()
}

func TestStore(t *testing.T) { storetest.Run(t, theStore()) }
