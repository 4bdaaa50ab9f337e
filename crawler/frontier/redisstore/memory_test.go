//go:build unix

package redisstore

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore/redistest"
	"github.com/politecrawl/politecrawl/crawler/frontier/storetest"
)

// A full server rejects calls as a whole: its data does not change, and the worker continues when
// there is room.
func TestFull(t *testing.T) {
	server := redistest.Start(t)
	s := openTest(t, server.URL(), Options{})
	ctx := t.Context()
	addItems(t, s, testItems("a", 40))
	leases, err := s.Lease(ctx, frontier.LeaseRequest{Max: 5})
	if err != nil || len(leases) != 5 {
		t.Fatalf("leased %d, %v", len(leases), err)
	}
	before, err := s.Stats(ctx)
	must(t, err)
	server.Do(t, "CONFIG", "SET", "maxmemory", "1")
	calls := storetest.Calls(s)
	calls["Finish"] = func(ctx context.Context) error {
		_, err := s.Finish(ctx, []frontier.Outcome{{Lease: leases[0].ID, Result: frontier.Done, Links: testItems("c", 3)}}, []byte("note"))
		return err
	}
	for _, name := range []string{"Add", "Lease", "Finish", "UpdateHost", "Hold"} { // they write
		if err := calls[name](ctx); !errors.Is(err, ErrFull) {
			t.Errorf("%s on a full server: %v, want %v", name, err, ErrFull)
		}
	}
	server.Do(t, "CONFIG", "SET", "maxmemory", "0")
	after, err := s.Stats(ctx)
	if err != nil || after.Counts != before.Counts {
		t.Errorf("counts are %+v, %v, and were %+v", after.Counts, err, before.Counts)
	}
	errs, err := s.Finish(ctx, []frontier.Outcome{{Lease: leases[0].ID, Result: frontier.Done}}, nil)
	if err != nil || errs[0] != nil {
		t.Errorf("Finish with room again: %v, %v", errs, err)
	}
}

// A server that evicts keys is not used.
func TestEviction(t *testing.T) {
	server := redistest.Start(t, "--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lru")
	if _, err := Open(t.Context(), server.URL(), nil); !errors.Is(err, ErrEviction) || !strings.Contains(err.Error(), "allkeys-lru") {
		t.Errorf("Open: %v", err)
	}
	for _, args := range [][]string{{"maxmemory-policy", "volatile-lru"}, {"maxmemory-policy", "noeviction"}, {"maxmemory", "0"}, {"maxmemory-policy", "allkeys-lru"}} {
		server.Do(t, append([]string{"CONFIG", "SET"}, args...)...)
		openTest(t, server.URL(), Options{})
	}
}
