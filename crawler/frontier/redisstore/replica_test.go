//go:build unix

package redisstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/redis/rueidis"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore/redistest"
)

// The master of Sentinels dies, and its replica takes over. Writes that were not yet replicated are
// lost together.
func TestSentinel(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a Redis with Sentinels")
	}
	t.Parallel()
	watched := redistest.StartSentinels(t)
	restrict(t, watched.Master, watched.Replica)
	for _, s := range watched.Sentinels {
		s.Do(t, "ACL", "SETUSER", "crawler", "on", ">secret", "allchannels", "+@all")
	}
	w := &web{putOff: time.Hour}
	url := restricted(watched.URL())
	a := openTest(t, url, Options{WorkerName: "a", LeaseTime: 2 * time.Second})
	b := openTest(t, url, Options{WorkerName: "b", LeaseTime: 2 * time.Second})
	watched.Master.WaitForReplicas(t) // so that both are known
	w.crawl(t, a, b, func() {
		w.progress(webPages / 20)
		w.killing(watched.Master.Kill)
	})
	if !strings.Contains(watched.Replica.Do(t, "INFO", "replication"), "role:master") {
		t.Error("the replica has not taken over")
	}
}

// The master of a Cluster is killed, and its replica takes over. Acknowledged writes that were not
// yet replicated may be lost, so the test writes nothing at the moment of the kill.
func TestFailover(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a Redis Cluster with replicas")
	}
	t.Parallel()
	cluster := redistest.StartCluster(t, true)
	s := openTest(t, cluster.URL(), Options{Shards: 6})
	ctx := t.Context()
	addItems(t, s, testItems("a", 200))
	cluster.Masters[0].WaitForReplicas(t)
	cluster.Masters[0].Kill()
	done := 0
	for deadline := time.Now().Add(time.Minute); done < 200 && time.Now().Before(deadline); {
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

// pause stops the process of a server, waits until it has stopped, and returns the function that continues
// it. A process that is still about to stop could take a command, and execute it before it notices anything
// that has happened meanwhile.
func pause(t *testing.T, s *redistest.Server) (resume func()) {
	t.Helper()
	id := regexp.MustCompile(`process_id:(\d+)`).FindStringSubmatch(s.Do(t, "INFO", "server"))
	n, err := strconv.Atoi(id[1])
	must(t, err)
	must(t, syscall.Kill(n, syscall.SIGSTOP))
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(n, &status, syscall.WUNTRACED, nil); err != nil || !status.Stopped() {
		t.Fatalf("the server has not stopped: %v, %v", status, err)
	}
	return func() { _ = syscall.Kill(n, syscall.SIGCONT) }
}

// A master hangs, its replica takes over and leases the host. With the settings of SHARED.md the old
// master then leases it to nobody, not even to a worker that does not know of the new master yet.
func TestStaleMaster(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a Redis with Sentinels")
	}
	for _, c := range []struct {
		name string
		late bool // the worker calls the old master after the fail-over
	}{
		{"call before the fail-over", false},
		{"call after the fail-over", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			ctx := t.Context()
			watched := redistest.StartSentinels(t, "--min-replicas-to-write", "1", "--min-replicas-max-lag", "2")
			worker := openTest(t, watched.URL(), Options{WorkerName: "a"})
			ignorant := openTest(t, watched.Master.URL(), Options{WorkerName: "b", RetryTimeout: -1})
			ignorant.address.sentinel = "main" // its connection lasts
			addItems(t, ignorant, []frontier.Item{{URL: "http://h.test/1"}, {URL: "http://h.test/2"}})
			watched.Master.WaitForReplicas(t)

			resume := pause(t, watched.Master)
			defer resume()
			got := make(chan error, 1)
			lease := func() {
				leases, err := ignorant.Lease(ctx, frontier.LeaseRequest{})
				if len(leases) > 0 {
					t.Errorf("the old master leased %v", leases)
				}
				got <- err
			}
			if !c.late {
				go lease()
			}
			for !strings.Contains(watched.Sentinels[0].Do(t, "INFO", "sentinel"), "address="+watched.Replica.Addr) {
				time.Sleep(5 * time.Millisecond)
			}
			watched.Replica.Do(t, "CONFIG", "SET", "min-replicas-to-write", "0") // as if it had another replica
			leases, err := worker.Lease(ctx, frontier.LeaseRequest{Wait: 20 * time.Second})
			if err != nil || len(leases) != 1 {
				t.Fatalf("the new master leased %v, %v", leases, err)
			}
			if c.late {
				go lease()
			}
			resume()
			if err := <-got; !errors.Is(err, ErrUnavailable) && !errors.Is(err, ErrReadOnly) {
				t.Errorf("Lease from the old master: %v", err)
			}
		})
	}
}

// lateNotice is a client of a master that notices before one of the writes that it has no replica.
type lateNotice struct {
	rueidis.Client
	notice func()
	before int
}

func (c *lateNotice) Do(ctx context.Context, cmd rueidis.Completed) rueidis.RedisResult {
	if c.before--; c.before == 0 {
		c.notice()
	}
	return c.Client.Do(ctx, cmd)
}

// A reply after a silence is not confirmed if a master executes some calls before it notices that its replica is gone.
func TestReplyAfterSilenceIsConfirmed(t *testing.T) {
	server := redistest.Start(t)
	s := openTest(t, server.URL(), Options{})
	for before := range confirmations + 1 { // 0: never
		server.Do(t, "CONFIG", "SET", "min-replicas-to-write", "0")
		master := &lateNotice{s.client, func() { server.Do(t, "CONFIG", "SET", "min-replicas-to-write", "1") }, before}
		s.heard.Store(nil)
		if err := s.confirm(t.Context(), "", master, s.layout.key("meta"), time.Now()); errors.Is(err, ErrUnavailable) != (before > 0) {
			t.Errorf("a master that notices before write %d: %v", before, err)
		}
	}
	server.Do(t, "CONFIG", "SET", "min-replicas-to-write", "0")
}

// The first reply of a master that has been silent is confirmed before the next call, also if it comes at
// once, and not only that of a lease. A worker to which the master replies all the time confirms nothing.
func TestSilenceOfMaster(t *testing.T) {
	server := redistest.Start(t)
	s := openTest(t, server.URL(), Options{})
	s.address.sentinel = "main"
	addr, _ := s.master()
	for _, c := range []struct {
		name string
		last heard
		want bool
	}{
		{"silent", heard{addr, time.Now().Add(-silence)}, true},
		{"another master", heard{"elsewhere", time.Now()}, true},
		{"replied just now", heard{addr, time.Now().Add(time.Hour)}, false},
	} {
		server.Do(t, "CONFIG", "RESETSTAT")
		s.heard.Store(&c.last)
		must(t, s.refresh(t.Context()))
		got := strings.Contains(server.Do(t, "INFO", "commandstats"), fmt.Sprintf("cmdstat_hdel:calls=%d,", confirmations))
		if got != c.want {
			t.Errorf("%s: confirmed: %v", c.name, got)
		}
	}
}

// Open warns if the master of Sentinels accepts writes without a replica.
func TestWarnsOfStaleMaster(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a Redis with Sentinels")
	}
	t.Parallel()
	watched := redistest.StartSentinels(t)
	restrict(t, watched.Master, watched.Replica)
	for _, s := range watched.Sentinels {
		s.Do(t, "ACL", "SETUSER", "crawler", "on", ">secret", "allchannels", "+@all")
	}
	for _, c := range []struct {
		name, url, replicas, lag string
		want                     bool
	}{
		{"Sentinels without the settings", watched.URL(), "0", "10", true},
		{"Sentinels without a maximum lag", watched.URL(), "1", "0", true},
		{"Sentinels with the settings", watched.URL(), "1", "10", false},
		{"no Sentinels", watched.Master.URL(), "0", "10", false},
	} {
		watched.Master.Do(t, "CONFIG", "SET", "min-replicas-to-write", c.replicas, "min-replicas-max-lag", c.lag)
		var log bytes.Buffer
		store := openTest(t, restricted(c.url), Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
		if got := strings.Contains(log.String(), "stale redis master"); got != c.want || store.MayHaveStaleMaster() != c.want {
			t.Errorf("%s: warned: %v, MayHaveStaleMaster: %v, want %v: %s", c.name, got, store.MayHaveStaleMaster(), c.want, &log)
		}
	}
	watched.Master.Do(t, "CONFIG", "SET", "min-replicas-to-write", "2", "min-replicas-max-lag", "10")
	if _, err := Open(t.Context(), watched.URL(), &Options{CrawlName: "lonely"}); !errors.Is(err, ErrNoReplicas) || !errors.Is(err, ErrUnavailable) {
		t.Errorf("error %v, want ErrNoReplicas", err)
	}
}
