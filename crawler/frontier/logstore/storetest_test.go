//go:build unix

package logstore

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/storetest"
)

const (
	childEnv   = "LOGSTORE_TEST_PLACE" // set in child processes of storetest
	variantEnv = "LOGSTORE_TEST_VARIANT"
	killsEnv   = "LOGSTORE_KILLS" // number of processes to kill; empty: 20
)

func TestMain(m *testing.M) {
	place := os.Getenv(childEnv)
	if place == "" {
		goleak.VerifyTestMain(m)
	}
	child := func() error { return storetest.Child(variant(os.Getenv(variantEnv)), place, os.Stdin, os.Stdout) }
	if store := os.Getenv(benchEnv); store != "" {
		child = func() error { return benchChild(store, place) }
	}
	if err := child(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// variants are stores with different settings that must behave alike.
var variants = map[string]*Options{
	"default": nil,
	// Every log that is opened is compacted, if most of it is dead.
	"compacting": {compactFrom: 1},
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
		URLBytes:     500, HostBytes: 4000,
	}
}

func kills() int {
	if n, err := strconv.Atoi(os.Getenv(killsEnv)); err == nil {
		return n
	}
	return 20
}

func TestStore(t *testing.T) {
	for name := range variants {
		t.Run(name, func(t *testing.T) {
			store := variant(name)
			if testing.Short() {
				if store.Kills = 4; name == "default" {
					t.Skip("the other one compacts some logs, and not all")
				}
			}
			storetest.Run(t, store)
		})
	}
}
