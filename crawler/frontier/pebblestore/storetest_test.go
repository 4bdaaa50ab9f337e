//go:build unix

package pebblestore

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/storetest"
)

const (
	childEnv   = "PEBBLESTORE_TEST_PLACE" // set in child processes of storetest
	variantEnv = "PEBBLESTORE_TEST_VARIANT"
	killsEnv   = "PEBBLESTORE_KILLS" // number of processes to kill; empty: 20
)

func TestMain(m *testing.M) {
	place := os.Getenv(childEnv)
	switch {
	case os.Getenv(leakEnv) != "":
		os.Exit(m.Run())
	case place == "":
		goleak.VerifyTestMain(m)
	}
	child := func() error { return storetest.Child(variant(os.Getenv(variantEnv)), place, os.Stdin, os.Stdout) }
	if os.Getenv(loadEnv) != "" {
		child = func() error { return loadChild(place) }
	}
	if crawl := os.Getenv(benchEnv); crawl != "" {
		child = func() error { return benchChild(crawl, place) }
	}
	if err := child(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// variants are stores with different settings that must behave alike.
var variants = map[string]*Options{
	"default": nil,
	// Tiny limits: known URLs are looked up in the database, and four URLs of each host are
	// in memory.
	"small": {SeenBytes: 1, readAhead: 1},
}

// variant returns the description of a store for storetest.
func variant(name string) storetest.Store {
	var clock storetest.Clock
	return storetest.Store{
		Open:        func(place string) (frontier.Frontier, error) { return openAt(place, variants[name], clock.Now) },
		NewLocation: func(t testing.TB) string { return t.TempDir() },
		Synctest:    synctest.Test,
		Durable:     true, Exclusive: true,
		Command: func(place string) *exec.Cmd {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), childEnv+"="+place, variantEnv+"="+name)
			cmd.Stderr = os.Stderr
			return cmd
		},
		Kills:        kills(),
		SetClockBack: clock.SetBack,
		// With so few hosts and URLs most memory is the database's own. TestMemory has
		// more of them.
		URLBytes: 500, HostBytes: 4000,
	}
}

func kills() int {
	if n, err := strconv.Atoi(os.Getenv(killsEnv)); err == nil {
		return n
	}
	return 20
}

// openAt opens a store whose wall clock is wall.
func openAt(dir string, opts *Options, wall func() time.Time) (*Store, error) {
	d, err := openDirectory(dir)
	if err != nil {
		return nil, err
	}
	s := newStore(opts.withDefaults(), d)
	s.sched.Wall = wall
	return s, s.open()
}

func TestStore(t *testing.T) {
	for name := range variants {
		t.Run(name, func(t *testing.T) {
			store := variant(name)
			if testing.Short() {
				store.Kills = 4
			}
			storetest.Run(t, store)
		})
	}
}
