package crawler

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore/redistest"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/shared"
	"github.com/politecrawl/politecrawl/robotsext"
)

// The robots.txt of a new host is requested by one worker. Then as many pages as allowed are
// requested concurrently, after the delay.
func TestNewHostIsRequestedByOneWorker(t *testing.T) {
	t.Parallel()
	const delay, pages, perHost, slow = 60 * time.Millisecond, 8, 3, 400 * time.Millisecond
	s := newSite(t, "127.0.0.1", nil)
	both, full := make(chan struct{}), make(chan struct{})
	s.handle("/robots.txt", func(http.ResponseWriter, *http.Request) { <-both })
	var starts []string
	var asked atomic.Int32
	for i := range pages {
		s.handle(fmt.Sprint("/", i), func(w http.ResponseWriter, _ *http.Request) {
			if asked.Add(1) == perHost {
				close(full)
			}
			<-full           // the first wait for each other, however slow the machine is
			time.Sleep(slow) // one too many would come meanwhile
			w.Header().Set("Content-Type", "text/html")
			_, _ = fmt.Fprint(w, "page")
		})
		starts = append(starts, fmt.Sprint(s.url, "/", i))
	}
	cfg := sharedConfig(t, starts...)
	cfg.Politeness.Delay, cfg.Politeness.PerHost, cfg.Politeness.ResponseFactor = delay, perHost, 0
	cfg.Limits.Concurrency = 2 // which leaves room for those of the other
	one, two := workerConfig(t, cfg, "w1"), workerConfig(t, cfg, "w2")
	begun := make(chan struct{})
	var work sync.WaitGroup
	work.Go(func() { runCrawl(t, one, &Options{OnStart: func() { close(begun) }}) })
	work.Go(func() {
		<-begun
		runCrawl(t, two, &Options{OnStart: func() { close(both) }}) // while the first waits for robots.txt
	})
	work.Wait()
	requests, most := s.requests(), 0
	if len(requests) != pages+1 || requests[0].uri != "/robots.txt" {
		t.Fatalf("%+v", requests)
	}
	for i, r := range requests[1:] {
		if gap := r.began.Sub(requests[0].end); gap < delay-5*time.Millisecond { // it is in Redis before the answer has been read
			t.Errorf("%s came %v after robots.txt", r.uri, gap)
		}
		busy := 0
		for _, before := range requests[1 : i+2] {
			if before.end.After(r.began) {
				busy++
			}
		}
		most = max(most, busy)
	}
	if most != perHost {
		t.Errorf("%d pages were in flight at once, want %d", most, perHost)
	}
}

// A robots.txt that was fetched with a clock ahead of this machine's does not block its host
// until that time.
func TestRobotsFromAFastClockDoesNotBlockItsHost(t *testing.T) {
	s := newSite(t, "127.0.0.1", map[string]string{"/": "page"})
	f := frontier.NewMemory(nil)
	now := time.Now()
	data, err := json.Marshal(&robotsext.Record{
		Origin: robotsext.Origin(s.url), Outcome: robotsext.OutcomeAllowAll, Status: http.StatusNotFound,
		FetchedAt: now.Add(50 * time.Second), ExpiresAt: now.Add(24 * time.Hour),
	})
	must(t, err)
	must(t, f.UpdateHost(t.Context(), weburl.ServerOf(s.url), frontier.HostUpdate{Robots: map[string]frontier.Robots{s.url: {Data: data}}}))
	cfg := testConfig(t, s.url+"/")
	cfg.Limits.MaxTime = 3 * time.Second
	got := runCrawl(t, cfg, &Options{Frontier: f})
	if got.End != EndFinished || got.Pages != 1 || s.count("/robots.txt") != 0 {
		t.Errorf("%+v, asked for %v", got.Summary, s.requests())
	}
}

// The lease of a long request is extended as long as its process runs.
func TestLeaseIsExtendedWhileItsRequestLasts(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits for twice the time of a lease")
	}
	const lease = 2 * time.Second
	s := newSite(t, "127.0.0.1", map[string]string{"/robots.txt": ""})
	s.handle("/", func(w http.ResponseWriter, _ *http.Request) {
		time.Sleep(2 * lease)
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprint(w, "page")
	})
	cfg := sharedConfig(t, s.url+"/")
	cfg.Robots.Timeout = lease / 2
	var work sync.WaitGroup
	all := make([]*crawl, 2)
	for i, name := range []string{"w1", "w2"} {
		cfg := workerConfig(t, cfg, name)
		work.Go(func() { all[i] = runChanged(t, cfg, nil, func(c *Crawler) { c.extension = lease }) })
	}
	work.Wait()
	if got := allPages(all); !slices.Equal(got, []string{s.url + "/"}) || s.count("/") != 1 {
		t.Errorf("pages %v, asked for %v", got, s.asked())
	}
}

// A robots.txt that redirects to another host takes a request slot of that host, which is not
// extended. It is long enough for the whole request.
func TestRobotsRedirectHoldsTheOtherHostLongEnough(t *testing.T) {
	cfg := workerConfig(t, sharedOn(t, "redis://127.0.0.1:1", "http://127.0.0.1:1/"), "w1")
	cfg.Robots.Timeout = 5 * time.Minute
	if opts, err := newCrawler(t, cfg, nil).clusterOptions(); err != nil || opts.LeaseTime < 2*cfg.Robots.Timeout {
		t.Errorf("%+v, %v, and a robots.txt may take %v", opts, err, cfg.Robots.Timeout)
	}
}

// A process that ends with an unreachable host does not report it if another process has reached
// it.
func TestEndAfterOthersRecovered(t *testing.T) {
	t.Parallel()
	var well atomic.Bool
	lost := newSite(t, "127.0.0.2", map[string]string{"/": "page"})
	lost.handle("/robots.txt", func(w http.ResponseWriter, _ *http.Request) {
		if !well.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	inside, free := make(chan struct{}), make(chan struct{})
	slow := newSite(t, "127.0.0.1", nil)
	slow.handle("/", func(http.ResponseWriter, *http.Request) {
		close(inside)
		<-free
	})
	cfg := sharedConfig(t, lost.url+"/", slow.url+"/")
	cfg.Limits.Concurrency, cfg.Politeness.Delay, cfg.Fetch.Timeout = 1, 50*time.Millisecond, time.Minute
	one, two := workerConfig(t, cfg, "w1"), workerConfig(t, cfg, "w2")
	var second *crawl
	var work sync.WaitGroup
	work.Go(func() {
		<-inside // until it comes out, the first asks for nothing else
		if lost.count("/robots.txt") == 0 {
			t.Error("the first has not asked for the robots.txt")
		}
		well.Store(true)
		second = runCrawl(t, two, nil)
	})
	work.Go(func() {
		waitFor(func() bool { return lost.count("/") > 0 })
		close(free)
	})
	first := runCrawl(t, one, nil)
	work.Wait()
	for _, c := range []*crawl{first, second} {
		if c.End != EndFinished || len(c.Waiting) > 0 || len(c.WaitingReasons) > 0 || len(c.rejected) > 0 {
			t.Errorf("%+v, skipped: %+v", c.Summary, c.rejected)
		}
	}
}

// An outage of Redis and its end are reported in notices.
func TestRedisOutageIsReported(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t, "--appendonly", "yes", "--appendfsync", "always")
	s := wide(t, "127.0.0.1", 30)
	cfg := workerConfig(t, sharedOn(t, server.URL(), s.url+"/"), "w1")
	cfg.Politeness.Delay = 20 * time.Millisecond
	away := make(chan struct{}) // closed when that is told
	told := sync.OnceFunc(func() { close(away) })
	var work sync.WaitGroup
	work.Go(func() {
		waitFor(func() bool { return len(s.asked()) >= 5 })
		server.Kill()
		<-away
		server.Restart(t)
	})
	got := runCrawl(t, cfg, &Options{OnNotice: func(line string) {
		if strings.Contains(line, "no new requests until it is back") {
			told()
		}
	}})
	work.Wait()
	back := slices.IndexFunc(got.notices, func(line string) bool { return strings.Contains(line, "Redis is back") })
	if back < 1 || got.End != EndFinished || got.Pages != 31 {
		t.Errorf("%q, %+v", got.notices, got.Summary)
	}
}

// A process counts as running while it opens its files, which may take long. It processes events
// of others afterwards.
func TestOpeningWorkerCountsAsWorking(t *testing.T) {
	t.Parallel()
	target := newSite(t, "127.0.0.3", map[string]string{"/": "target"})
	links := newSite(t, "127.0.0.1", map[string]string{"/": fmt.Sprintf(`<a href="%s/">elsewhere</a>`, target.url)})
	cfg := sharedConfig(t, links.url+"/")
	slow := workerConfig(t, cfg, "w1")
	slow.Output.AlsoWrite = []string{"slow"}
	opening, free := make(chan struct{}), make(chan struct{})
	format := output.Format{Name: "slow", Open: func(string, []byte) (output.Sink, error) {
		close(opening)
		<-free
		return onWrite(func(*output.Results) {}), nil
	}}
	var first *crawl
	var work sync.WaitGroup
	var slowest *Crawler
	work.Go(func() {
		first = runChanged(t, slow, &Options{Formats: []output.Format{format}}, func(c *Crawler) { slowest = c })
	})
	<-opening
	brings := workerConfig(t, cfg, "w2")
	brings.URLs = append(slices.Clone(brings.URLs), target.url+"/") // which w1 has to receive
	second := runCrawl(t, brings, nil)
	at := time.Now()
	var workers []shared.Worker
	waitFor(func() bool { // until it has said since that it is there
		st, _, err := shared.Status(t.Context(), cfg.Sharing.Frontier, storeOptions(cfg))
		must(t, err)
		workers = st.Workers
		return slices.ContainsFunc(workers, func(w shared.Worker) bool {
			return w.Name == "w1" && w.Running && time.Now().Add(-w.LastSeenAgo).After(at)
		})
	})
	if i := slices.IndexFunc(workers, func(w shared.Worker) bool { return w.Name == "w1" }); i < 0 || !workers[i].Running || time.Now().Add(-workers[i].LastSeenAgo).Before(at) {
		t.Errorf("nothing is heard of a worker that is opening: %+v", workers)
	}
	close(free)
	work.Wait()
	if got := allPages([]*crawl{first, second}); !slices.Equal(got, []string{links.url + "/", target.url + "/"}) || len(workers) != 2 {
		t.Errorf("pages %v, %+v", got, workers)
	}
	if !slowest.scope.Holds(mustResolve(t, target.url+"/")) {
		t.Error("it has not heard of a host that joined while it was opening")
	}
}
