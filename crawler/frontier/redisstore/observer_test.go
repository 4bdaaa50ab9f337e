//go:build unix

package redisstore

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore/redistest"
	"github.com/politecrawl/politecrawl/crawler/frontier/storetest"
)

// An observer reads the crawl and changes nothing.
func TestObserve(t *testing.T) {
	url := redistest.Start(t).URL()
	ctx := t.Context()
	if _, err := Open(ctx, url, &Options{CrawlName: "test", Observe: true}); !errors.Is(err, ErrNotFound) {
		t.Errorf("observing what is not there: %v", err)
	}
	s := openTest(t, url, Options{WorkerName: "w", Settings: []byte("x")})
	addItems(t, s, testItems("a", 3))
	leases := leaseOne(t, s)
	o := openTest(t, url, Options{Observe: true, WorkerName: "w"}) // a worker's name has no effect
	if string(o.Settings()) != "x" {
		t.Errorf("settings %q", o.Settings())
	}
	if st, err := o.Stats(ctx); err != nil || st.URLs != 3 || st.InFlight != 1 {
		t.Errorf("counts are %+v, %v", st.Counts, err)
	}
	if h, err := o.Host(ctx, leases[0].Host); err != nil || h.InFlight != 1 {
		t.Errorf("host is %+v, %v", h, err)
	}
	n := 0
	for _, err := range o.Waiting(ctx) {
		must(t, err)
		n++
	}
	if n != 2 {
		t.Errorf("%d wait", n)
	}
	if err := o.Publish(ctx, []byte("stop")); err != nil {
		t.Error(err)
	}
	calls := allCalls(o)
	for _, name := range []string{"Add", "Revisit", "Lease", "Finish", "Extend", "Hold", "UpdateHost", "Sync", "Take", "Settle"} {
		if err := calls[name](ctx); !errors.Is(err, ErrObserver) {
			t.Errorf("%s by an observer: %v", name, err)
		}
	}
	_ = o.Close()
	news := sync1(t, s, "", 0)
	if len(news.Messages) != 1 || len(news.Workers) != 1 || !news.Workers[0].Registered {
		t.Errorf("told %q, workers %v", news.Messages, news.Workers)
	}
	errs, err := s.Finish(ctx, []frontier.Outcome{{Lease: leases[0].ID, Result: frontier.Done}}, nil)
	if err != nil || errs[0] != nil {
		t.Errorf("Finish of what was leased before: %v, %v", errs, err)
	}
}

// allCalls returns calls of all methods of a store that use Redis.
func allCalls(s *Store) map[string]func(context.Context) error {
	calls := storetest.Calls(s)
	calls["Sync"] = func(ctx context.Context) error { _, err := s.Sync(ctx, []byte("here"), 0); return err }
	calls["Tell"] = func(ctx context.Context) error { return s.Publish(ctx, []byte("x")) }
	calls["Take"] = func(ctx context.Context) error { _, err := s.Reserve(ctx, "pages", 1, 1); return err }
	calls["Settle"] = func(ctx context.Context) error { return s.SetReserved(ctx, nil) }
	return calls
}

// An observer that uses a restarted server first does not hide the restart from the workers. An
// observer can list the workers while a crawl is being created.
func TestObserverFirst(t *testing.T) {
	server := redistest.Start(t, "--appendonly", "yes", "--appendfsync", "always")
	ctx := t.Context()
	s := openTest(t, server.URL(), Options{WorkerName: "w", Delay: time.Second})
	o := openTest(t, server.URL(), Options{Observe: true})
	addItems(t, s, testItems("a", 1))
	before := s.memory.restarts()
	server.Restart(t)
	sync1(t, o, "", 0)
	if _, err := o.Stats(ctx); err != nil {
		t.Errorf("Stats by the observer: %v", err)
	}
	if h, err := o.Host(ctx, "h0.test"); err != nil || time.Until(h.Due) < 500*time.Millisecond {
		t.Errorf("the host is due at %v, %v", h.Due, err)
	}
	addItems(t, s, testItems("b", 1))
	if s.memory.restarts() == before {
		t.Error("the worker has not found out")
	}
	server.Do(t, "HDEL", s.layout.key("meta"), "whole")
	for k := range s.layout.shards {
		server.Do(t, "DEL", s.layout.in(k, "state"))
	}
	server.Do(t, "SCRIPT", "FLUSH")
	if news := sync1(t, o, "", 0); len(news.Workers) != 1 {
		t.Errorf("news of a crawl that is being made: %+v", news)
	}
}
