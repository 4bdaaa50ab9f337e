package crawler

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier/logstore"
	"github.com/politecrawl/politecrawl/crawler/internal/run"
)

// hostsEnv makes this test binary serve a number of hosts.
const hostsEnv = "POLITECRAWL_TEST_HOSTS"

const (
	hostPages   = 10 // pages of each host
	hostWorkers = 64 // requests at once
)

// BenchmarkManyHosts crawls many hosts at once, each with a delay of a second: its
// robots.txt and ten pages, which are eleven requests and ten delays, so that no
// crawl can be done in less than ten seconds. The hosts are addresses 127.0.x.y of
// a process of their own, whose record of requests is the judge.
//
// Most of the time above the bound is the start, until each host has got its first request.
//
//	go test -run '^$' -bench ManyHosts -benchtime 1x ./crawler
//
// BENCH_HOSTS is their number.
func BenchmarkManyHosts(b *testing.B) {
	n := 2000
	if s := os.Getenv("BENCH_HOSTS"); s != "" {
		var err error
		if n, err = strconv.Atoi(s); err != nil {
			b.Fatal(err)
		}
	}
	const delay = time.Second
	for b.Loop() {
		took, seen, memory := crawlHosts(b, n, delay)
		bound := hostPages * delay
		b.ReportMetric(took.Seconds(), "s")
		b.ReportMetric(100*(took.Seconds()/bound.Seconds()-1), "%above-bound")
		b.ReportMetric(seen.Start.Seconds(), "s-start")
		b.ReportMetric(seen.SmallestGap.Seconds(), "s-smallest-gap")
		b.ReportMetric(float64(memory)/float64(n)/1024, "KiB/host")
	}
	b.ReportMetric(0, "ns/op")
}

// ROB-POL-01, ROB-POL-02: no host gets a request too soon, concurrent requests, or two requests
// for its robots.txt.
func TestManyHosts(t *testing.T) {
	t.Parallel()
	crawlHosts(t, 40, 50*time.Millisecond)
}

// crawlHosts crawls n hosts and checks their requests. Memory is the size of the crawl at the
// end, when all hosts are known and connected, and nothing remains.
func crawlHosts(tb testing.TB, n int, delay time.Duration) (took time.Duration, seen *hostsSeen, memory uint64) {
	tb.Helper()
	hosts, stop := startHosts(tb, n)
	cfg := Default()
	cfg.Fetch.AllowAddr = []string{"127.0.0.0/8"}
	cfg.Output.Dir, cfg.Politeness.Delay, cfg.Limits.Concurrency, cfg.Politeness.ResponseFactor = filepath.Join(tb.TempDir(), "crawl"), delay, hostWorkers, 0
	for _, h := range hosts {
		cfg.URLs = append(cfg.URLs, h+"/0")
	}
	before := inUse()
	store, err := logstore.Open(filepath.Join(cfg.Output.Dir, run.FrontierDir), &logstore.Options{Delay: delay, LeaseTime: leaseTime(&cfg)})
	must(tb, err)
	c, err := New(cfg, &Options{Frontier: &weighing{Store: store, at: func() { memory = inUse() - before }}})
	must(tb, err)
	sum, err := c.Run(tb.Context())
	must(tb, err)
	seen = stop()
	if sum.Pages != n*hostPages || seen.Pages != n*hostPages || seen.Robots != n || sum.End != EndFinished {
		tb.Errorf("%d hosts saw requests for %d pages and %d robots.txt; summary %+v", n, seen.Pages, seen.Robots, sum)
	}
	if seen.SmallestGap < delay || seen.MostAtOnce != 1 || seen.Others != 0 {
		tb.Errorf("%+v, delay %v", seen, delay)
	}
	return time.Duration(sum.Duration), seen, memory
}

// startHosts starts a process that serves n hosts, and returns their addresses. stop ends it,
// and returns the requests.
func startHosts(tb testing.TB, n int) (hosts []string, stop func() *hostsSeen) {
	tb.Helper()
	in, says, wait := startServer(tb, hostsEnv, strconv.Itoa(n))
	must(tb, says.Decode(&hosts))
	return hosts, func() *hostsSeen {
		tb.Helper()
		must(tb, in.Close())
		seen := new(hostsSeen)
		must(tb, says.Decode(seen))
		must(tb, wait())
		return seen
	}
}

// startServer starts this test binary with an environment variable that makes it serve. It serves until its input
// is closed, and writes JSON.
func startServer(tb testing.TB, env, arg string) (in io.WriteCloser, says *json.Decoder, wait func() error) {
	tb.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env, cmd.Stderr = append(os.Environ(), env+"="+arg), os.Stderr
	in, err := cmd.StdinPipe()
	must(tb, err)
	out, err := cmd.StdoutPipe()
	must(tb, err)
	must(tb, cmd.Start())
	return in, json.NewDecoder(out), cmd.Wait
}

// weighing calls a function before it closes a frontier.
type weighing struct {
	*logstore.Store
	at func()
}

func (w *weighing) Close() error {
	w.at()
	return w.Store.Close()
}

// inUse returns the memory of the heap and of goroutine stacks.
func inUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse + m.StackInuse
}

// hostsSeen has the requests to all hosts.
type hostsSeen struct {
	Hosts, Robots, Pages, Others int
	Start                        time.Duration // from the first request to the last first request of a host
	SmallestGap                  time.Duration // from the end of a request to the start of the next, of any host
	MostAtOnce                   int           // at any host
}

// serveHosts serves a number of hosts and prints their addresses. At the end of its input it prints
// their requests.
func serveHosts(number string) error {
	n, err := strconv.Atoi(number)
	if err != nil {
		return err
	}
	seen := &hostsSeen{SmallestGap: time.Hour}
	var mu sync.Mutex // guards seen, first and the hosts
	var first time.Time
	server := &http.Server{ReadHeaderTimeout: time.Minute}
	hosts := make(map[string]*manyHost, n)
	var urls []string
	var listeners []net.Listener
	for i := range n {
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.%d.%d:0", i/250, i%250+1))
		if err != nil {
			return err
		}
		listeners, urls = append(listeners, l), append(urls, "http://"+l.Addr().String())
		hosts[l.Addr().String()] = &manyHost{}
	}
	server.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		h := hosts[r.Host]
		mu.Lock()
		h.busy++
		seen.MostAtOnce = max(seen.MostAtOnce, h.busy)
		if first.IsZero() {
			first = began
		}
		if h.ended.IsZero() {
			seen.Hosts++
			seen.Start = max(seen.Start, began.Sub(first))
		} else {
			seen.SmallestGap = min(seen.SmallestGap, began.Sub(h.ended))
		}
		page := strings.TrimPrefix(r.URL.Path, "/")
		number, err := strconv.Atoi(page)
		switch {
		case r.URL.Path == "/robots.txt":
			seen.Robots++
		case err == nil && number < hostPages:
			seen.Pages++
		default:
			seen.Others++
		}
		mu.Unlock()
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if r.URL.Path == "/robots.txt" {
			_, _ = io.WriteString(w, "User-agent: *\nDisallow: /no\n")
		} else {
			_, _ = fmt.Fprintf(w, `<title>%s</title><a href="/%d">next</a><a href="/no">no</a>`, page, min(number+1, hostPages-1))
		}
		mu.Lock()
		h.busy--
		h.ended = time.Now()
		mu.Unlock()
	})
	for _, l := range listeners {
		go func() { _ = server.Serve(l) }()
	}
	say := json.NewEncoder(os.Stdout)
	if err := say.Encode(urls); err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		return err
	}
	mu.Lock()
	defer mu.Unlock()
	return say.Encode(seen)
}

// A manyHost is the state of one of many hosts.
type manyHost struct {
	busy  int
	ended time.Time // the last request
}
