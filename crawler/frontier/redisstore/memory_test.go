//go:build unix

package redisstore

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

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

// When Redis is available again, all calls continue, and the outage is reported.
func TestOutageIsReportedOnce(t *testing.T) {
	server := redistest.Start(t, "--appendonly", "yes")
	ctx := t.Context()
	var mu sync.Mutex
	var told []error
	s := openTest(t, server.URL(), Options{RetryTimeout: 1<<63 - 1, OnOutage: func(err error) {
		mu.Lock()
		defer mu.Unlock()
		told = append(told, err)
	}})
	addItems(t, s, testItems("a", 1))
	leases := leaseOne(t, s)
	var wg sync.WaitGroup
	wg.Go(func() { // waits before and after the outage
		if again, err := s.Lease(ctx, frontier.LeaseRequest{Wait: -1}); err != nil || len(again) != 1 {
			t.Errorf("leased %v, %v", again, err)
		}
	})
	server.Kill()
	wg.Go(func() {
		errs, err := s.Finish(ctx, []frontier.Outcome{{Lease: leases[0].ID, Result: frontier.Done}}, []byte("note"))
		if err != nil || errs[0] != nil {
			t.Errorf("Finish: %v, %v", errs, err)
		}
	})
	wg.Go(func() {
		if added, err := s.Add(ctx, testItems("b", 1)); err != nil || !added[0] {
			t.Errorf("Add: %v, %v", added, err)
		}
	})
	wg.Go(func() {
		if got, err := s.Reserve(ctx, "pages", 3, 10); err != nil || got != 3 {
			t.Errorf("took %d, %v", got, err)
		}
	})
	wg.Go(func() {
		if note, err := s.Note(ctx); err != nil {
			t.Errorf("Note: %q, %v", note, err)
		}
	})
	short, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
	defer cancel()
	if err := s.Publish(short, []byte("x")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Tell with a context that ends: %v", err)
	}
	server.Restart(t)
	wg.Wait()
	sync1(t, s, "", 0)
	mu.Lock()
	defer mu.Unlock()
	if len(told) != 2 || !errors.Is(told[0], ErrUnavailable) || told[1] != nil {
		t.Errorf("told of %v", told)
	}
}

// A server that restarted without its last writes may have lost its workers and messages. The
// worker continues.
func TestFlushedServerIsReported(t *testing.T) {
	server := redistest.Start(t)
	ctx := t.Context()
	s := openTest(t, server.URL(), Options{WorkerName: "w"})
	for range 2 {
		must(t, s.Publish(ctx, []byte("old")))
	}
	from := sync1(t, s, "here", 0).Next
	for _, key := range []string{s.layout.key("workers"), s.layout.in(s.home, "workers")} {
		if answer := server.Do(t, "HDEL", key, "w"); answer != ":1" {
			t.Fatalf("HDEL: %s", answer)
		}
	}
	server.Do(t, "LTRIM", s.layout.key("messages"), "0", "0")
	if got, err := s.Reserve(ctx, "pages", 2, 3); err != nil || got != 2 {
		t.Errorf("took %d, %v", got, err)
	}
	if _, err := s.Finish(ctx, nil, []byte("note")); err != nil {
		t.Errorf("Finish: %v", err)
	}
	news := sync1(t, s, "here", from)
	if len(news.Workers) != 1 || !news.Workers[0].Registered || news.Next != 1 {
		t.Errorf("news are %+v", news)
	}
	must(t, s.Publish(ctx, []byte("new")))
	if news = sync1(t, s, "", news.Next); len(news.Messages) != 1 || string(news.Messages[0]) != "new" {
		t.Errorf("told %q", news.Messages)
	}
	again := openTest(t, server.URL(), Options{WorkerName: "w"})
	if note, err := again.Note(ctx); err != nil || string(note) != "note" {
		t.Errorf("note %q, %v", note, err)
	}
	if _, err := s.Finish(ctx, nil, []byte("late")); !errors.Is(err, ErrNameTaken) {
		t.Errorf("Finish of one whose name was taken: %v", err)
	}
}
