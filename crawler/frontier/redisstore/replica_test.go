//go:build unix

package redisstore

import (
	"strings"
	"testing"
	"time"

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
