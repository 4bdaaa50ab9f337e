//go:build unix

package redisstore

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore/redistest"
)

func openTest(t testing.TB, url string, o Options) *Store {
	t.Helper()
	if o.CrawlName == "" {
		o.CrawlName = "test"
	}
	s, err := Open(t.Context(), url, &o)
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func testItems(name string, n int) []frontier.Item {
	items := make([]frontier.Item, n)
	for i := range items {
		items[i].URL = fmt.Sprintf("http://h%d.test/%s/%d", i%20, name, i)
	}
	return items
}

// Open rejects a replica, since it is read-only. A master that became one is used again when it is a master.
func TestReadOnly(t *testing.T) {
	server := redistest.Start(t)
	s := openTest(t, server.URL(), Options{RetryTimeout: -1})
	server.Do(t, "CONFIG", "SET", "replica-read-only", "yes")
	server.Do(t, "REPLICAOF", "127.0.0.1", "1")
	_, err := s.Add(t.Context(), testItems("a", 1))
	if !errors.Is(err, ErrReadOnly) && !errors.Is(err, ErrUnavailable) {
		t.Errorf("Add to a replica: %v", err)
	}
	for _, o := range []Options{{CrawlName: "other", RetryTimeout: -1}, {CrawlName: "test", MustExist: true, RetryTimeout: -1}} {
		if _, err := Open(t.Context(), server.URL(), &o); !errors.Is(err, ErrReadOnly) {
			t.Errorf("Open of a replica, %+v: %v", o, err)
		}
	}
	if err := Delete(t.Context(), server.URL(), &Options{CrawlName: "test", RetryTimeout: -1}); !errors.Is(err, ErrReadOnly) && !errors.Is(err, ErrInUse) {
		t.Errorf("Delete on a replica: %v", err)
	}
	server.Do(t, "REPLICAOF", "NO", "ONE")
	if added, err := s.Add(t.Context(), testItems("a", 1)); err != nil || !added[0] {
		t.Errorf("Add to what is a master again: %v, %v", added, err)
	}
}

func TestUnavailable(t *testing.T) {
	server := redistest.Start(t)
	if _, err := Open(t.Context(), "redis://127.0.0.1:1", &Options{Password: "secret"}); !errors.Is(err, ErrUnavailable) || strings.Contains(err.Error(), "secret") {
		t.Errorf("Open where nobody listens: %v", err)
	}
	s := openTest(t, server.URL(), Options{RetryTimeout: 100 * time.Millisecond})
	server.Kill()
	if _, err := s.Add(t.Context(), testItems("a", 1)); !errors.Is(err, ErrUnavailable) {
		t.Errorf("Add to a server that is gone: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := s.Lease(ctx, frontier.LeaseRequest{Wait: -1}); err == nil {
		t.Error("leased from a server that is gone")
	}
}

func TestRefused(t *testing.T) {
	server := redistest.Start(t, "--requirepass", "right")
	if _, err := Open(t.Context(), server.URL(), &Options{Password: "secret"}); !errors.Is(err, ErrAuthentication) || strings.Contains(err.Error(), "secret") {
		t.Errorf("Open with a wrong password: %v", err)
	}
	s := openTest(t, server.URL(), Options{Password: "right"})
	if text := s.String(); strings.Contains(text, "right") {
		t.Errorf("the password is told: %s", text)
	}
}

// A crawl whose server lost its data returns ErrDeleted.
func TestGone(t *testing.T) {
	server := redistest.Start(t)
	s := openTest(t, server.URL(), Options{})
	addItems(t, s, testItems("a", 1))
	server.Restart(t)
	if _, err := s.Add(t.Context(), testItems("b", 1)); !errors.Is(err, ErrDeleted) {
		t.Errorf("Add to a server that has lost all: %v, want %v", err, ErrDeleted)
	}
	if _, err := Open(t.Context(), server.URL(), &Options{CrawlName: "test", MustExist: true}); !errors.Is(err, ErrNotFound) {
		t.Errorf("joining what is not there: %v, want %v", err, ErrNotFound)
	}
}

// A process that opens a crawl under the name of another gets its note and leases.
func TestTaken(t *testing.T) {
	server := redistest.Start(t)
	ctx := t.Context()
	first := openTest(t, server.URL(), Options{WorkerName: "w"})
	addItems(t, first, testItems("a", 1))
	leases := leaseOne(t, first)
	if _, err := first.Finish(ctx, nil, []byte("first")); err != nil {
		t.Fatal(err)
	}
	other := openTest(t, server.URL(), Options{WorkerName: "x"})
	if note, err := other.Note(ctx); err != nil || note != nil {
		t.Errorf("another worker's note: %q, %v", note, err)
	}
	second := openTest(t, server.URL(), Options{WorkerName: "w"})
	if note, err := second.Note(ctx); err != nil || string(note) != "first" {
		t.Errorf("note of the same name: %q, %v", note, err)
	}
	if again, err := second.Lease(ctx, frontier.LeaseRequest{}); err != nil || len(again) != 1 || again[0].Attempt != 2 {
		t.Errorf("leased %v, %v", again, err)
	}
	if _, err := first.Finish(ctx, []frontier.Outcome{{Lease: leases[0].ID, Result: frontier.Done}}, []byte("late")); !errors.Is(err, ErrNameTaken) {
		t.Errorf("Finish of the first: %v, want %v", err, ErrNameTaken)
	}
}

// must ends a test with an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func addItems(t testing.TB, s *Store, items []frontier.Item) {
	t.Helper()
	_, err := s.Add(t.Context(), items)
	must(t, err)
}

// leaseOne leases the next URL.
func leaseOne(t testing.TB, s *Store) []frontier.Lease {
	t.Helper()
	leases, err := s.Lease(t.Context(), frontier.LeaseRequest{})
	if err != nil || len(leases) != 1 {
		t.Fatalf("leased %v, %v", leases, err)
	}
	return leases
}
