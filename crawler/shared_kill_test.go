package crawler

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore/redistest"
	"github.com/politecrawl/politecrawl/crawler/internal/jsonlines"
	"github.com/politecrawl/politecrawl/crawler/internal/run"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// A crowd is many hosts on one listener, since 127.0.0.0/8 is all this machine. It records the
// requests to each host.
type crowd struct {
	port   int
	pages  int // of each host
	starts []string

	mu    sync.Mutex // guards all below
	hosts map[string]*crowdHost
}

type crowdHost struct {
	busy  int
	ended time.Time      // of the last request
	asked map[string]int // by path
	gaps  []gap
	most  int           // requests at once
	slow  time.Duration // until an answer
}

// A gap is the time between two requests to a host.
type gap struct {
	at   time.Time // when the second came
	took time.Duration
}

func newCrowd(t testing.TB, hosts, pages int) *crowd {
	t.Helper()
	c := &crowd{pages: pages, hosts: make(map[string]*crowdHost)}
	l, err := net.Listen("tcp4", "0.0.0.0:0")
	must(t, err)
	c.port = l.Addr().(*net.TCPAddr).Port
	for i := range hosts {
		host := fmt.Sprintf("127.1.%d.%d:%d", i/250, i%250+1, c.port)
		c.hosts[host] = &crowdHost{asked: make(map[string]int)}
		c.starts = append(c.starts, "http://"+host+"/0")
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(c.serve))
	_ = server.Listener.Close()
	server.Listener = l
	server.Start()
	t.Cleanup(server.Close)
	return c
}

func (c *crowd) serve(w http.ResponseWriter, r *http.Request) {
	began := time.Now()
	c.mu.Lock()
	h := c.hosts[r.Host]
	h.busy++
	h.most = max(h.most, h.busy)
	h.asked[r.URL.Path]++
	if !h.ended.IsZero() {
		h.gaps = append(h.gaps, gap{began, began.Sub(h.ended)})
	}
	c.mu.Unlock()
	time.Sleep(h.slow)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	n, err := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/"))
	switch {
	case r.URL.Path == "/robots.txt":
		_, _ = fmt.Fprint(w, "User-agent: *\nDisallow: /no\n")
	case err == nil && n < c.pages:
		_, _ = fmt.Fprintf(w, `<title>%d</title><a href="/%d">next</a><a href="/no">no</a>`, n, min(n+1, c.pages-1))
	default:
		w.WriteHeader(http.StatusNotFound)
	}
	c.mu.Lock()
	h.busy--
	h.ended = time.Now()
	c.mu.Unlock()
}

// done returns the number of requested pages.
func (c *crowd) done() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := 0
	for _, h := range c.hosts {
		n += len(h.asked)
	}
	return n
}

// since returns the number of requests after a time.
func (c *crowd) since(at time.Time) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := 0
	for _, h := range c.hosts {
		for _, g := range h.gaps {
			if g.at.After(at) {
				n++
			}
		}
	}
	return n
}

// judge checks the requests. A page that was in flight at a kill may be requested again, once for
// each kill.
func (c *crowd) judge(t testing.TB, delay time.Duration, inFlight int) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	repeated, robots, early, least := 0, 0, 0, time.Hour
	for name, h := range c.hosts {
		if h.most > 1 {
			t.Errorf("%s: %d requests at once", name, h.most)
		}
		if h.asked["/no"] > 0 || len(h.asked) != c.pages+1 {
			t.Errorf("%s was asked for %v", name, h.asked)
		}
		for path, n := range h.asked {
			repeated += n - 1
			if path == "/robots.txt" {
				robots += n - 1
			}
		}
		for _, g := range h.gaps {
			least = min(least, g.took)
			if g.took < delay {
				early++
				t.Errorf("%s was asked after %v, delay %v", name, g.took, delay)
			}
		}
		if t.Failed() && early > 20 {
			t.FailNow()
		}
	}
	t.Logf("%d hosts, %d pages each; asked again: %d, of them %d robots.txt; smallest gap %v, delay %v", len(c.hosts), c.pages, repeated, robots, least, delay)
	if repeated > inFlight {
		t.Errorf("%d requests were made again, and %d were in flight at kills", repeated, inFlight)
	}
}

// judgeSegments checks that each page is in the files of one worker. Pages with a lease lost during
// an outage may be in two.
func (c *crowd) judgeSegments(t testing.TB, dirs []string, twice int) {
	t.Helper()
	found := make(map[string]int)
	for _, dir := range dirs {
		err := jsonlines.Each(filepath.Join(dir, "pages.jsonl"), func(_ int64, p *output.Page) error {
			if u, err := url.Parse(p.URL); err != nil || c.hosts[u.Host] == nil {
				return err // of another site
			}
			found[p.URL]++
			if p.Status != http.StatusOK {
				t.Errorf("%s: status %d", p.URL, p.Status)
			}
			return nil
		})
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
	}
	if len(found) != len(c.hosts)*c.pages {
		t.Errorf("%d pages are listed, want %d", len(found), len(c.hosts)*c.pages)
	}
	double := 0
	for _, n := range found {
		double += n - 1
	}
	t.Logf("%d pages listed, %d of them twice", len(found), double)
	if double > twice {
		t.Errorf("%d pages are listed twice, at most %d may be", double, twice)
	}
}

// workers are processes of one crawl. Each restarts if it ends before the crawl is finished.
type workers struct {
	t    testing.TB
	cfgs []Config

	mu      sync.Mutex // guards all below
	running []*exec.Cmd
	killed  int
}

// start starts the workers, and returns a function that waits until all have finished.
func (w *workers) start() (wait func()) {
	w.running = make([]*exec.Cmd, len(w.cfgs))
	var all sync.WaitGroup
	for i := range w.cfgs {
		all.Go(func() { w.live(i) })
		if i == 0 {
			time.Sleep(500 * time.Millisecond) // the settings are the same: any may make the crawl
		}
	}
	return all.Wait
}

// allStarted waits until all workers have started, since starting fails without Redis.
func (w *workers) allStarted() {
	waitFor(func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		return !slices.Contains(w.running, nil)
	})
}

// live runs a worker, and restarts it when it is killed.
func (w *workers) live(i int) {
	for {
		cmd, said := child(w.t, w.cfgs[i])
		w.mu.Lock()
		w.running[i] = cmd
		w.mu.Unlock()
		err := cmd.Wait()
		w.mu.Lock()
		w.running[i] = nil
		w.mu.Unlock()
		if err == nil {
			return
		}
		if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() >= 0 { // else it was killed
			w.t.Errorf("worker %d: %v: %s", i, err, said)
			return
		}
	}
}

// kill kills one of the running workers.
func (w *workers) kill(random *rand.Rand) {
	w.mu.Lock()
	defer w.mu.Unlock()
	i := random.IntN(len(w.running))
	if cmd := w.running[i]; cmd != nil && cmd.Process.Kill() == nil {
		w.killed++
	}
}

// crowdWorkers returns n workers that crawl a crowd.
func crowdWorkers(t testing.TB, url string, c *crowd, n int, delay time.Duration, inFlight int) *workers {
	t.Helper()
	w := &workers{t: t}
	for i := range n {
		cfg := workerConfig(t, sharedOn(t, url, c.starts...), fmt.Sprintf("w%d", i+1))
		cfg.Politeness.Delay, cfg.Limits.Concurrency, cfg.Politeness.ResponseFactor, cfg.Limits.MaxWait = delay, inFlight, 0, time.Minute
		cfg.Fetch.Timeout, cfg.Robots.Timeout = 30*time.Second, 30*time.Second
		w.cfgs = append(w.cfgs, cfg)
	}
	return w
}

func (w *workers) dirs() []string {
	var dirs []string
	for _, cfg := range w.cfgs {
		dirs = append(dirs, cfg.Output.Dir)
	}
	return dirs
}

// Four workers crawl 1,000 hosts and check URLs on others, and about every second one of them is
// killed. Every page is fetched and every URL checked, none is lost, and no host gets concurrent
// requests or one too soon.
func TestWorkersAreKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("it crawls 1,000 hosts and kills workers for 20 s")
	}
	const delay, inFlight = time.Second, 16
	server := redistest.Start(t)
	hosts, checked := newCrowd(t, 1000, 10), newExternalHosts(t, 15)
	hosts.starts = append(hosts.starts, checked.site.url+"/")
	w := crowdWorkers(t, server.URL(), hosts, 4, delay, inFlight)
	for i := range w.cfgs {
		w.cfgs[i].Scope.Check = []string{CheckExternal}
	}
	wait := w.start()
	random := rand.New(rand.NewPCG(1, 2))
	stop := make(chan struct{})
	var killer sync.WaitGroup
	killer.Go(func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(time.Duration(300+random.IntN(700)) * time.Millisecond):
				w.kill(random)
			}
		}
	})
	wait()
	close(stop)
	killer.Wait()
	t.Logf("%d kills", w.killed)
	if w.killed < 8 {
		t.Errorf("only %d kills", w.killed)
	}
	hosts.judge(t, delay, w.killed*inFlight)
	hosts.judgeSegments(t, w.dirs(), 0)
	checked.judge(t, delay, w.killed*inFlight, w.dirs()...)
}

// unwritten is how much acknowledged data a server with appendfsync everysec may lose on a slow
// disk: it delays writes for up to two seconds while it waits for the disk.
const unwritten = 2500 * time.Millisecond

// Redis is killed twice under load and restarts, or a master of a Redis Cluster is killed, and its replica takes
// over. Nothing is lost, only pages in flight or not yet replicated are fetched twice, and the workers resume
// by themselves.
func TestRedisIsKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("it crawls 300 hosts and kills Redis twice")
	}
	const delay, inFlight, unreplicated = 200 * time.Millisecond, 16, 64
	t.Run("server", func(t *testing.T) {
		server := redistest.Start(t, "--appendonly", "yes", "--appendfsync", "everysec")
		hosts := newCrowd(t, 300, 12)
		again := 4 * inFlight
		hosts.crawledBy(t, crowdWorkers(t, server.URL(), hosts, 2, delay, inFlight), delay, func() int {
			for _, at := range []int{600, 2000} {
				waitFor(func() bool { return hosts.done() >= at })
				server.Kill()
				again += hosts.since(time.Now().Add(-unwritten))
				before := hosts.done()
				time.Sleep(1500 * time.Millisecond)
				if after := hosts.done(); after-before > 2*inFlight {
					t.Errorf("without Redis %d new pages were asked for", after-before)
				}
				server.Restart(t)
			}
			return again
		})
	})
	t.Run("master", func(t *testing.T) {
		cluster := redistest.StartCluster(t, true, "--cluster-node-timeout", "1000")
		hosts := newCrowd(t, 200, 8)
		hosts.crawledBy(t, crowdWorkers(t, cluster.URL(), hosts, 2, delay, inFlight), delay, func() int {
			waitFor(func() bool { return hosts.done() >= 400 })
			cluster.Masters[0].Kill()
			return 2*inFlight + unreplicated
		})
	})
}

// crawledBy judges a crawl by workers. Disturb returns how many requests may be made again.
func (c *crowd) crawledBy(t *testing.T, w *workers, delay time.Duration, disturb func() (again int)) {
	t.Helper()
	wait := w.start()
	w.allStarted()
	again := disturb()
	wait()
	c.judge(t, delay, again)
	c.judgeSegments(t, w.dirs(), again)
}

// A second interrupt ends a crawl without waiting for Redis, and nothing is lost.
func TestInterruptWithoutRedis(t *testing.T) {
	if testing.Short() {
		t.Skip("it kills Redis and waits until the crawl gives it up")
	}
	server := redistest.Start(t, "--appendonly", "yes", "--appendfsync", "always")
	s := wide(t, "127.0.0.1", 30)
	cfg := workerConfig(t, sharedOn(t, server.URL(), s.url+"/"), "w1")
	cfg.Politeness.Delay = 50 * time.Millisecond
	c := newCrawler(t, cfg, nil)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		waitFor(func() bool { return len(s.asked()) >= 5 })
		server.Kill()
		cancel()
		time.Sleep(100 * time.Millisecond)
		c.Abort()
	}()
	sum, err := c.Run(ctx)
	if err != nil || sum.End != EndInterrupted || time.Duration(sum.Duration) > 2*run.AbortGrace+5*time.Second {
		t.Fatalf("%+v, %v", sum, err)
	}
	server.Restart(t)
	if got := resume(t, cfg, nil); got.End != EndFinished || got.Pages != 31 || len(s.asked()) > 33 {
		t.Errorf("%+v, asked for %d", got.Summary, len(s.asked()))
	}
}

// BenchmarkTwoWorkers crawls hosts that are slow to answer with one worker and with two:
// what binds the crawl is how many requests each has in flight, so that two are to be
// done in half the time.
//
//	go test -run '^$' -bench TwoWorkers -benchtime 1x ./crawler
func BenchmarkTwoWorkers(b *testing.B) {
	took := make(map[int]time.Duration)
	for b.Loop() {
		for _, n := range []int{1, 2} {
			server := redistest.Start(b)
			hosts := newCrowd(b, 100, 5)
			for _, h := range hosts.hosts {
				h.slow = 200 * time.Millisecond
			}
			w := crowdWorkers(b, server.URL(), hosts, n, 50*time.Millisecond, 4)
			began := time.Now()
			w.start()()
			took[n] = time.Since(began)
			hosts.judge(b, 50*time.Millisecond, 0)
			hosts.judgeSegments(b, w.dirs(), 0)
		}
	}
	b.ReportMetric(took[1].Seconds(), "s-one")
	b.ReportMetric(took[2].Seconds(), "s-two")
	b.ReportMetric(took[1].Seconds()/took[2].Seconds(), "x")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkShared crawls 500 hosts without a delay by two workers, to see what a page
// costs Redis: its processor time, and the scripts that it is asked to run.
//
//	go test -run '^$' -bench 'Shared$' -benchtime 1x ./crawler
func BenchmarkShared(b *testing.B) {
	const hosts, pages = 500, 40
	for b.Loop() {
		server := redistest.Start(b)
		crowd := newCrowd(b, hosts, pages)
		w := crowdWorkers(b, server.URL(), crowd, 2, 0, 32)
		began := time.Now()
		w.start()()
		took := time.Since(began).Seconds()
		crowd.judge(b, 0, 0)
		crowd.judgeSegments(b, w.dirs(), 0)
		info := func(section, name string) float64 {
			for line := range strings.Lines(server.Do(b, "INFO", section)) {
				value, ok := strings.CutPrefix(strings.TrimSpace(line), name)
				if ok {
					value, _, _ = strings.Cut(strings.TrimPrefix(value, "calls="), ",")
					n, err := strconv.ParseFloat(value, 64)
					if err != nil {
						b.Fatal(err)
					}
					return n
				}
			}
			b.Fatalf("INFO %s has no %s", section, name)
			return 0
		}
		const n = hosts * pages
		b.ReportMetric(n/took, "pages/s")
		b.ReportMetric(info("commandstats", "cmdstat_evalsha:")/n, "scripts/page")
		b.ReportMetric((info("cpu", "used_cpu_user:")+info("cpu", "used_cpu_sys:"))*1e6/n, "redis-us/page")
	}
	b.ReportMetric(0, "ns/op")
}
