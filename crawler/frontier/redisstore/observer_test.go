//go:build unix

package redisstore

import (
	"errors"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore/redistest"
)

// An observer sees the crawl and changes nothing of it.
func TestObserve(t *testing.T) {
	url := redistest.Start(t).URL()
	ctx := t.Context()
	if _, err := Open(ctx, url, &Options{Crawl: "test", Observe: true}); !errors.Is(err, ErrNone) {
		t.Errorf("observing what is not there: %v", err)
	}
	s := openTest(t, url, Options{Worker: "w", Settings: []byte("x")})
	if _, err := s.Add(ctx, testItems("a", 3)); err != nil {
		t.Fatal(err)
	}
	leases, err := s.Lease(ctx, frontier.LeaseRequest{})
	if err != nil || len(leases) != 1 {
		t.Fatalf("leased %v, %v", leases, err)
	}
	o := openTest(t, url, Options{Observe: true, Worker: "w"}) // a name that changes nothing
	if string(o.Settings()) != "x" || o.Made() {
		t.Errorf("settings %q, made %v", o.Settings(), o.Made())
	}
	if st, err := o.Stats(ctx); err != nil || st.Added != 3 || st.Leased != 1 {
		t.Errorf("counts are %+v, %v", st.Counts, err)
	}
	if h, err := o.Host(ctx, leases[0].Host); err != nil || h.Leased != 1 {
		t.Errorf("host is %+v, %v", h, err)
	}
	n := 0
	for _, err := range o.Waiting(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	if n != 2 {
		t.Errorf("%d wait", n)
	}
	if err := o.Tell(ctx, []byte("stop")); err != nil {
		t.Error(err)
	}
	for name, call := range map[string]func() error{
		"Add":        func() error { _, err := o.Add(ctx, testItems("b", 1)); return err },
		"Revisit":    func() error { _, err := o.Revisit(ctx, testItems("b", 1)); return err },
		"Lease":      func() error { _, err := o.Lease(ctx, frontier.LeaseRequest{}); return err },
		"Finish":     func() error { _, err := o.Finish(ctx, nil, []byte("n")); return err },
		"Extend":     func() error { return o.Extend(ctx, []frontier.LeaseID{leases[0].ID}, time.Hour) },
		"Hold":       func() error { _, err := o.Hold(ctx, "x.test"); return err },
		"UpdateHost": func() error { return o.UpdateHost(ctx, "x.test", frontier.HostUpdate{MaxInFlight: 2}) },
		"Sync":       func() error { _, err := o.Sync(ctx, []byte("here"), 0); return err },
		"Take":       func() error { _, err := o.Take(ctx, "pages", 1, 1); return err },
		"Settle":     func() error { return o.Settle(ctx, nil) },
	} {
		if err := call(); !errors.Is(err, ErrObserver) {
			t.Errorf("%s by an observer: %v", name, err)
		}
	}
	_ = o.Close()
	news := sync1(t, s, "", 0)
	if len(news.Told) != 1 || len(news.Workers) != 1 || !news.Workers[0].Open {
		t.Errorf("told %q, workers %v", news.Told, news.Workers)
	}
	errs, err := s.Finish(ctx, []frontier.Outcome{{Lease: leases[0].ID, Result: frontier.Done}}, nil)
	if err != nil || errs[0] != nil {
		t.Errorf("Finish of what was leased before: %v, %v", errs, err)
	}
}

// An observer who comes first to a server that began anew does not keep the workers
// from finding out. One who comes while a crawl is only just being made can look at
// who is there.
func TestObserverFirst(t *testing.T) {
	server := redistest.Start(t, "--appendonly", "yes", "--appendfsync", "always")
	ctx := t.Context()
	s := openTest(t, server.URL(), Options{Worker: "w", Delay: time.Second})
	o := openTest(t, server.URL(), Options{Observe: true})
	if _, err := s.Add(ctx, testItems("a", 1)); err != nil {
		t.Fatal(err)
	}
	runs := func() int {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.forgot
	}
	before := runs()
	server.Restart(t)
	sync1(t, o, "", 0)
	if _, err := o.Stats(ctx); err != nil {
		t.Errorf("Stats by the observer: %v", err)
	}
	if h, err := o.Host(ctx, "h0.test"); err != nil || time.Until(h.Due) < 500*time.Millisecond {
		t.Errorf("the host is due at %v, %v", h.Due, err)
	}
	if _, err := s.Add(ctx, testItems("b", 1)); err != nil {
		t.Fatal(err)
	}
	if runs() == before {
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
