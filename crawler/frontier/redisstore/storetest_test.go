//go:build unix

package redisstore

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore/redistest"
	"github.com/politecrawl/politecrawl/crawler/frontier/storetest"
)

const (
	childEnv = "REDISSTORE_TEST_PLACE" // set in child processes of storetest
	killsEnv = "REDISSTORE_KILLS"      // number of processes to kill; empty: 20
)

func TestMain(m *testing.M) {
	place := os.Getenv(childEnv)
	if place == "" {
		// The client closes connections to dead nodes five seconds later, and sleeps up to
		// a second before it reads the topology again.
		goleak.VerifyTestMain(m,
			goleak.IgnoreAnyFunction("github.com/redis/rueidis.(*clusterClient)._refresh.func2"),
			goleak.IgnoreAnyFunction("github.com/redis/rueidis.(*call).DelayDo.func1"))
	}
	if err := storetest.Child(storeFor("", 0), place, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// storeFor describes the store to storetest. A location is an address and the name of a crawl.
func storeFor(url string, shards int) storetest.Store {
	n, _ := strconv.Atoi(os.Getenv(killsEnv))
	places := &places{open: make(map[string]map[int]bool)}
	return storetest.Store{
		Open: places.Open,
		NewLocation: func(testing.TB) string {
			return fmt.Sprintf("%s %d %s", url, shards, newNonce())
		},
		Unit:     500 * time.Millisecond,
		Parallel: 24,
		Durable:  true,
		Command: func(place string) *exec.Cmd {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), childEnv+"="+place)
			cmd.Stderr = os.Stderr
			return cmd
		},
		Kills: n,
	}
}

// places gives the openers of a location names of workers: the first name that is not in use. A killed
// process frees its name.
type places struct {
	mu   sync.Mutex
	open map[string]map[int]bool
}

func (p *places) Open(place string) (frontier.Frontier, error) {
	var url, crawl string
	var shards int
	if _, err := fmt.Sscan(place, &url, &shards, &crawl); err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open[place] == nil {
		p.open[place] = make(map[int]bool)
	}
	n := 0
	for p.open[place][n] {
		n++
	}
	s, err := Open(context.Background(), url, &Options{CrawlName: crawl, Shards: shards, WorkerName: fmt.Sprintf("worker-%d", n)})
	if err != nil {
		return nil, err
	}
	p.open[place][n] = true
	return &placed{s, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.open[place], n)
	}}, nil
}

type placed struct {
	*Store
	leave func()
}

func (p *placed) Close() error {
	defer p.leave()
	return p.Store.Close()
}

// onBoth runs a test on a server and, unless the test is short, on a Cluster of those masters.
func onBoth(t *testing.T, long bool, test func(t *testing.T, url string, servers ...*redistest.Server)) {
	t.Run("server", func(t *testing.T) {
		server := redistest.Start(t)
		test(t, server.URL(), server)
	})
	if !long {
		return
	}
	t.Run("cluster", func(t *testing.T) {
		cluster := redistest.StartCluster(t, false)
		test(t, cluster.URL(), cluster.Masters...)
	})
}

// All use a user with only the permissions of the package comment.
func TestServer(t *testing.T) { testServer(t, 0) }

func TestShards(t *testing.T) {
	if testing.Short() {
		t.Skip("it is TestServer with 12 shards")
	}
	testServer(t, 12)
}

func testServer(t *testing.T, shards int) {
	server := redistest.Start(t)
	restrict(t, server)
	storetest.Run(t, storeFor(restricted(server.URL()), shards))
}

func TestCluster(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a Redis Cluster")
	}
	cluster := redistest.StartCluster(t, false)
	restrict(t, cluster.Masters...)
	storetest.Run(t, storeFor(restricted(cluster.URL()), 12))
}
