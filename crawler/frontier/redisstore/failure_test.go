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
	if o.Crawl == "" {
		o.Crawl = "test"
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

// A server that is full refuses a call whole: what was there before is there
// afterwards, and the worker goes on when there is room.
func TestFull(t *testing.T) {
	server := redistest.Start(t)
	s := openTest(t, server.URL(), Options{})
	ctx := t.Context()
	if _, err := s.Add(ctx, testItems("a", 40)); err != nil {
		t.Fatal(err)
	}
	leases, err := s.Lease(ctx, frontier.LeaseRequest{Max: 5})
	if err != nil || len(leases) != 5 {
		t.Fatalf("leased %d, %v", len(leases), err)
	}
	before, err := s.Stats(ctx)
	if err != nil {
		t.Fatal(err)
	}
	server.Do(t, "CONFIG", "SET", "maxmemory", "1")
	for name, call := range map[string]func() error{
		"Add":   func() error { _, err := s.Add(ctx, testItems("b", 10)); return err },
		"Lease": func() error { _, err := s.Lease(ctx, frontier.LeaseRequest{}); return err },
		"Finish": func() error {
			_, err := s.Finish(ctx, []frontier.Outcome{{Lease: leases[0].ID, Result: frontier.Done, Links: testItems("c", 3)}}, []byte("note"))
			return err
		},
		"UpdateHost": func() error { return s.UpdateHost(ctx, "http://h1.test", frontier.HostUpdate{MaxInFlight: 2}) },
		"Hold":       func() error { _, err := s.Hold(ctx, "http://x.test"); return err },
	} {
		if err := call(); !errors.Is(err, ErrFull) {
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

// A server that would forget parts of a crawl is not used.
func TestEviction(t *testing.T) {
	server := redistest.Start(t, "--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lru")
	if _, err := Open(t.Context(), server.URL(), nil); !errors.Is(err, ErrEvicts) || !strings.Contains(err.Error(), "allkeys-lru") {
		t.Errorf("Open: %v", err)
	}
	for _, args := range [][]string{{"maxmemory-policy", "volatile-lru"}, {"maxmemory-policy", "noeviction"}, {"maxmemory", "0"}} {
		server.Do(t, append([]string{"CONFIG", "SET"}, args...)...)
		openTest(t, server.URL(), Options{})
	}
}

// A server that is full for a while in the middle of a crawl costs nothing but time.
func TestFullCrawl(t *testing.T) {
	t.Parallel()
	url, server := startServer(t)
	w := &web{}
	a := openTest(t, url, Options{Worker: "a"})
	b := openTest(t, url, Options{Worker: "b"})
	w.crawl(t, a, b, func() {
		for range 3 {
			time.Sleep(200 * time.Millisecond)
			server.Do(t, "CONFIG", "SET", "maxmemory", "1mb") // less than it has when it is empty
			time.Sleep(200 * time.Millisecond)
			server.Do(t, "CONFIG", "SET", "maxmemory", "0")
		}
	})
	if w.full == 0 {
		t.Error("no call was refused")
	}
}

// A replica takes no writes, so that there is nothing to open.
func TestReplica(t *testing.T) {
	master := redistest.Start(t)
	host, port, _ := strings.Cut(master.Addr, ":")
	replica := redistest.Start(t, "--replicaof", host+" "+port)
	s := openTest(t, master.URL(), Options{})
	if _, err := s.Add(t.Context(), testItems("a", 3)); err != nil {
		t.Fatal(err)
	}
	master.Replicated(t)
	for _, o := range []Options{{Crawl: "other"}, {Crawl: "test", Join: true}} {
		if _, err := Open(t.Context(), replica.URL(), &o); !errors.Is(err, ErrReadOnly) {
			t.Errorf("Open of a replica, %+v: %v", o, err)
		}
	}
	if err := Delete(t.Context(), replica.URL(), &Options{Crawl: "test"}); !errors.Is(err, ErrReadOnly) && !errors.Is(err, ErrInUse) {
		t.Errorf("Delete on a replica: %v", err)
	}
	if st, err := s.Stats(t.Context()); err != nil || st.Added != 3 {
		t.Errorf("counts are %+v, %v", st.Counts, err)
	}
}

// The master that Sentinels watch dies, and its replica takes over. What the master
// had not yet sent to it is forgotten, as one.
func TestSentinel(t *testing.T) {
	t.Parallel()
	watched := redistest.StartWatched(t)
	restrict(t, watched.Master, watched.Replica)
	for _, s := range watched.Sentinels {
		s.Do(t, "ACL", "SETUSER", "crawler", "on", ">secret", "allchannels", "+@all")
	}
	w := &web{putOff: time.Hour}
	url := restricted(watched.URL())
	a := openTest(t, url, Options{Worker: "a", LeaseTime: 2 * time.Second})
	b := openTest(t, url, Options{Worker: "b", LeaseTime: 2 * time.Second})
	watched.Master.Replicated(t) // so that both are known of
	w.crawl(t, a, b, func() {
		time.Sleep(300 * time.Millisecond)
		w.killing(watched.Master.Kill)
	})
	if !strings.Contains(watched.Replica.Do(t, "INFO", "replication"), "role:master") {
		t.Error("the replica has not taken over")
	}
}

func TestReadOnly(t *testing.T) {
	server := redistest.Start(t)
	s := openTest(t, server.URL(), Options{Patience: -1})
	server.Do(t, "CONFIG", "SET", "replica-read-only", "yes")
	server.Do(t, "REPLICAOF", "127.0.0.1", "1")
	_, err := s.Add(t.Context(), testItems("a", 1))
	if !errors.Is(err, ErrReadOnly) && !errors.Is(err, ErrUnavailable) {
		t.Errorf("Add to a replica: %v", err)
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
	s := openTest(t, server.URL(), Options{Patience: 100 * time.Millisecond})
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
	if _, err := Open(t.Context(), server.URL(), &Options{Password: "secret"}); !errors.Is(err, ErrRefused) || strings.Contains(err.Error(), "secret") {
		t.Errorf("Open with a wrong password: %v", err)
	}
	s := openTest(t, server.URL(), Options{Password: "right"})
	if text := s.String(); strings.Contains(text, "right") {
		t.Errorf("the password is told: %s", text)
	}
}

// A server that comes back without its data has lost the crawl, and says so.
func TestGone(t *testing.T) {
	server := redistest.Start(t)
	s := openTest(t, server.URL(), Options{})
	if _, err := s.Add(t.Context(), testItems("a", 1)); err != nil {
		t.Fatal(err)
	}
	server.Restart(t)
	if _, err := s.Add(t.Context(), testItems("b", 1)); !errors.Is(err, ErrGone) {
		t.Errorf("Add to a server that has lost all: %v, want %v", err, ErrGone)
	}
	if _, err := Open(t.Context(), server.URL(), &Options{Crawl: "test", Join: true}); !errors.Is(err, ErrNone) {
		t.Errorf("joining what is not there: %v, want %v", err, ErrNone)
	}
}

// Who opens a crawl under the name of another has its note and leases.
func TestTaken(t *testing.T) {
	server := redistest.Start(t)
	ctx := t.Context()
	first := openTest(t, server.URL(), Options{Worker: "w"})
	if _, err := first.Add(ctx, testItems("a", 1)); err != nil {
		t.Fatal(err)
	}
	leases, err := first.Lease(ctx, frontier.LeaseRequest{})
	if err != nil || len(leases) != 1 {
		t.Fatalf("leased %v, %v", leases, err)
	}
	if _, err := first.Finish(ctx, nil, []byte("first")); err != nil {
		t.Fatal(err)
	}
	other := openTest(t, server.URL(), Options{Worker: "x"})
	if note, err := other.Note(ctx); err != nil || note != nil {
		t.Errorf("another worker's note: %q, %v", note, err)
	}
	second := openTest(t, server.URL(), Options{Worker: "w"})
	if note, err := second.Note(ctx); err != nil || string(note) != "first" {
		t.Errorf("note of the same name: %q, %v", note, err)
	}
	if again, err := second.Lease(ctx, frontier.LeaseRequest{}); err != nil || len(again) != 1 || again[0].Attempt != 2 {
		t.Errorf("leased %v, %v", again, err)
	}
	if _, err := first.Finish(ctx, []frontier.Outcome{{Lease: leases[0].ID, Result: frontier.Done}}, []byte("late")); !errors.Is(err, ErrTaken) {
		t.Errorf("Finish of the first: %v, want %v", err, ErrTaken)
	}
}

// A call whose answer was lost is made again and gets the same answer: what it
// has added is new, what it has leased is leased once, what it has ended is ended.
func TestAgain(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"server", "cluster"} {
		t.Run(name, func(t *testing.T) {
			var s *Store
			if name == "server" {
				s = openTest(t, redistest.Start(t).URL(), Options{})
			} else {
				s = openTest(t, redistest.StartCluster(t, false).URL(), Options{Shards: 6})
			}
			ctx := t.Context()
			list := testItems("a", 1)
			hosts, err := frontier.HostsOf(list)
			if err != nil {
				t.Fatal(err)
			}
			items, fresh := s.items(list, hosts, false)
			w := &waiter{}
			var all sections
			all.of(items[0].shard).add(items[0])
			tn := &turn{key: s.layout.in(items[0].shard, "last:w:0"), nonce: newNonce(), sections: all.list, whole: true,
				from: []int{items[0].shard}, orders: []order{{w: w, most: 1, perHost: 1}}}
			for _, again := range []bool{false, true, true} {
				fresh[0], w.leases = false, nil
				r, err := s.invoke(ctx, s.compose(tn, again), true)
				if err == nil {
					err = s.answered(tn, r)
				}
				if err != nil || !fresh[0] || len(w.leases) != 1 {
					t.Fatalf("again %v: new %v, leased %v, %v", again, fresh[0], w.leases, err)
				}
			}
			ticket, _ := s.layout.readTicket(w.leases[0].ID)
			var ends sections
			var lost error
			sec := ends.of(ticket.shard)
			sec.endings = []ending{{ticket: ticket, result: frontier.Done, err: &lost}}
			end := &turn{key: tn.key, nonce: newNonce(), sections: ends.list}
			for _, again := range []bool{false, true} {
				r, err := s.invoke(ctx, s.compose(end, again), true)
				if err == nil {
					err = s.answered(end, r)
				}
				if err != nil || lost != nil {
					t.Fatalf("again %v: %v, %v", again, lost, err)
				}
			}
			if st, err := s.Stats(ctx); err != nil || st.Counts != (frontier.Counts{Added: 1, Done: 1}) {
				t.Errorf("counts are %+v, %v", st.Counts, err)
			}
		})
	}
}

// The master of a Cluster is killed, and its replica takes over. What the master
// had acknowledged and not yet sent to it may be lost: so nothing is written in
// the moment of the kill.
func TestFailover(t *testing.T) {
	t.Parallel()
	cluster := redistest.StartCluster(t, true)
	s := openTest(t, cluster.URL(), Options{Shards: 6})
	ctx := t.Context()
	if _, err := s.Add(ctx, testItems("a", 200)); err != nil {
		t.Fatal(err)
	}
	cluster.Masters[0].Replicated(t)
	cluster.Masters[0].Kill()
	done := 0
	for deadline := time.Now().Add(25 * time.Second); done < 200 && time.Now().Before(deadline); {
		leases, err := s.Lease(ctx, frontier.LeaseRequest{Max: 20, Wait: time.Second})
		if err != nil {
			t.Fatalf("Lease: %v", err)
		}
		for _, l := range leases {
			if errs, err := s.Finish(ctx, []frontier.Outcome{{Lease: l.ID, Result: frontier.Done}}, nil); err != nil || errs[0] != nil {
				t.Fatalf("Finish: %v, %v", errs, err)
			}
			done++
		}
	}
	if st, err := s.Stats(ctx); err != nil || st.Done != 200 {
		t.Errorf("%d done; counts are %+v, %v", done, st.Counts, err)
	}
}
