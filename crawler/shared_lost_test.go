package crawler

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore/redistest"
	"github.com/politecrawl/politecrawl/crawler/internal/cluster"
	"github.com/politecrawl/politecrawl/crawler/internal/quota"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// A request whose lease expires during an outage of Redis is aborted before another process can
// lease the host.
func TestRequestEndsWithItsLease(t *testing.T) {
	if testing.Short() {
		t.Skip("it kills Redis and waits until a lease ends")
	}
	server := redistest.Start(t, "--appendonly", "yes", "--appendfsync", "always")
	const lease = 2 * time.Second
	s := newSite(t, "127.0.0.1", map[string]string{"/robots.txt": ""})
	var work sync.WaitGroup
	var once sync.Once
	s.handle("/", func(_ http.ResponseWriter, r *http.Request) {
		once.Do(func() {
			server.Kill()
			began := time.Now()
			select {
			case <-r.Context().Done():
			case <-time.After(3 * lease):
			}
			if took := time.Since(began); took > lease+lease/2 {
				t.Errorf("it goes on for %v, and the lease lasts %v", took, lease)
			}
			work.Go(func() { server.Restart(t) })
		})
	})
	cfg := workerConfig(t, sharedOn(t, server.URL(), s.url+"/"), "w1")
	cfg.Robots.Timeout, cfg.Fetch.Timeout = lease/2, time.Minute
	got := runChanged(t, cfg, nil, func(c *Crawler) { c.settings.LeaseExtension = lease })
	work.Wait()
	if got.End != EndFinished || got.Pages != 1 || s.count("/") != 2 {
		t.Errorf("%+v, asked for %v", got.Summary, s.asked())
	}
}

// A host that is requested only for the robots.txt of others has the delay of the crawl.
func TestDelayOfAHostBehindRedirects(t *testing.T) {
	const delay = 200 * time.Millisecond
	behind := newSite(t, "127.0.0.9", map[string]string{"/all.txt": "User-agent: *\nDisallow: /no\n"})
	var starts []string
	for _, address := range []string{"127.0.0.1", "127.0.0.2", "127.0.0.3"} {
		s := newSite(t, address, map[string]string{"/": "page"})
		s.handle("/robots.txt", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, behind.url+"/all.txt", http.StatusFound)
		})
		starts = append(starts, s.url+"/")
	}
	cfg := workerConfig(t, sharedConfig(t, starts...), "w1")
	cfg.Politeness.Delay = delay
	got := runCrawl(t, cfg, nil)
	requests := behind.requests()
	if got.Pages != len(starts) || len(requests) != len(starts) {
		t.Fatalf("%+v, %v", got.Summary, requests)
	}
	for i, r := range requests[1:] {
		if gap := r.began.Sub(requests[i].end); gap < delay {
			t.Errorf("it was asked again after %v, the delay is %v", gap, delay)
		}
	}
}

// A page whose lease was lost before its commit does not count for limits, files and traps. The
// process with the new lease fetches it.
func TestPageOfALostLease(t *testing.T) {
	s := newSite(t, "127.0.0.1", map[string]string{"/robots.txt": "Sitemap: {site}/map.txt\n", "/map.txt": "{site}/a\n", "/": "start", "/a": "a"})
	cfg := testConfig(t, s.url+"/")
	cfg.Limits.MaxPages, cfg.Sitemaps.MaxEntries, cfg.Limits.Concurrency = 2, 1, 1
	var c *Crawler
	opts := &Options{OnStart: func() {
		c.run.Visitor.Member = &losingMember{Member: c.run.Member, requests: s.count, lost: make(map[string]bool)}
	}}
	got := runChanged(t, cfg, opts, func(made *Crawler) { c = made })
	if got.Pages != 2 || got.Entries != 1 || s.count("/") != 2 || s.count("/map.txt") != 2 || len(got.rejected) > 0 {
		t.Errorf("%+v, requested %q, rejected %+v", got.Summary, s.asked(), got.rejected)
	}
	if entries := readOutput[output.Entry](t, cfg, "entries.jsonl"); len(entries) != 1 {
		t.Errorf("entries %+v", entries)
	}
}

// A request that was aborted because its lease was lost is not a failure of the page or the
// robots.txt.
func TestLostLeaseIsNoFailureOfTheSite(t *testing.T) {
	for _, path := range []string{"/robots.txt", "/", "/map.txt"} {
		t.Run(path, func(t *testing.T) {
			s := newSite(t, "127.0.0.1", map[string]string{"/": "", "/robots.txt": "Sitemap: {site}/map.txt\n", "/map.txt": ""})
			cfg := testConfig(t, s.url+"/")
			cfg.Fetch.Retries, cfg.Robots.Retry = 0, time.Hour
			var once sync.Once
			got := runCrawl(t, cfg, &Options{Transport: roundTrip(func(req *http.Request) (resp *http.Response, err error) {
				if req.URL.Path == path {
					once.Do(func() { err = fmt.Errorf("%w: %w", frontier.ErrLeaseLost, context.Canceled) })
				}
				if err != nil {
					return nil, err
				}
				return http.DefaultTransport.RoundTrip(req)
			})})
			if got.End != EndFinished || got.Pages != 1 || got.Sitemaps != 1 || got.Robots != 1 || len(got.rejected) > 0 {
				t.Errorf("%+v, rejected %+v", got.Summary, got.rejected)
			}
		})
	}
}

// A Retry-After applies even if the lease of the URL was lost.
func TestRetryAfterOfALostLeaseHolds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := opened(t, testConfig(t, "http://a.test/"), &Options{
			Frontier: frontier.NewMemory(nil),
			Transport: answering(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Retry-After", "3600")
				w.WriteHeader(http.StatusServiceUnavailable)
			}),
		})
		defer c.lifecycle.Abort()
		c.run.Visitor.Member = lostMember{c.run.Member}
		visited(t, c, leased(t, c))
		host, err := c.run.Frontier.Host(t.Context(), "a.test")
		must(t, err)
		if wait := time.Until(host.BlockedUntil); wait < 59*time.Minute {
			t.Errorf("the server gets no request for %v, want an hour", wait)
		}
		must(t, c.run.Close())
	})
}

// A lostMember has lost every lease.
type lostMember struct{ cluster.Member }

func (lostMember) Lost(frontier.LeaseID) bool { return true }

// If an error of our own ends a page, its share of the limits is returned.
func TestInternalErrorReturnsPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fails := false
		cfg := testConfig(t, "http://a.test/")
		cfg.Limits.MaxPages = 1
		c := opened(t, cfg, &Options{
			Frontier: &failingHost{frontier.NewMemory(nil), func(frontier.Host) bool { return fails }},
			Transport: answering(func(w http.ResponseWriter, r *http.Request) {
				fails = r.URL.Path == "/"
				w.WriteHeader(map[bool]int{true: http.StatusTooManyRequests, false: http.StatusNotFound}[fails])
			}),
		})
		defer c.lifecycle.Abort()
		if got := visited(t, c, leased(t, c)); got != frontier.Defer {
			t.Fatal(got) // it has gone to robots.txt
		}
		if _, _, err := c.run.Visitor.Visit(t.Context(), leased(t, c)); !errors.Is(err, errFrontierFails) {
			t.Fatalf("%v, want %v", err, errFrontierFails)
		}
		fails = false
		if share, err := c.run.Limits.Take(t.Context(), c.run.Frontier, "a.test"); share != quota.Granted || err != nil {
			t.Errorf("the next page: %v, %v", share, err)
		}
		must(t, c.run.Close())
	})
}

// A losingMember loses the lease of the first request for the start page and for the sitemap.
type losingMember struct {
	cluster.Member
	requests func(path string) int // that the site has seen
	lost     map[string]bool       // paths whose first lease is
}

func (m *losingMember) Lost(frontier.LeaseID) bool {
	for _, path := range []string{"/", "/map.txt"} {
		if m.requests(path) == 1 && !m.lost[path] {
			m.lost[path] = true
			return true
		}
	}
	return false
}

// A lease that ends while the entries of its sitemap are added leaves no lines: the process that has the next lease
// reads the sitemap.
func TestLeaseLostWhileASitemapIsAdded(t *testing.T) {
	s := newSite(t, "127.0.0.1", map[string]string{"/robots.txt": "Sitemap: {site}/map.txt\n", "/map.txt": "{site}/a\n", "/": "start", "/a": "a"})
	f := &slowFrontier{Memory: frontier.NewMemory(nil)}
	var c *Crawler
	opts := &Options{Frontier: f, OnStart: func() { c.run.Visitor.Member = &slowMember{Member: c.run.Member, frontier: f} }}
	cfg := testConfig(t, s.url+"/")
	cfg.Limits.Concurrency = 1
	got := runChanged(t, cfg, opts, func(made *Crawler) { c = made })
	if got.Sitemaps != 1 || got.Entries != 1 || s.count("/map.txt") != 2 || s.count("/a") != 1 {
		t.Errorf("%+v, requested %q; want the sitemap read twice and listed once", got.Summary, s.asked())
	}
}

// A slowFrontier notes when the first entry of a sitemap is added.
type slowFrontier struct {
	*frontier.Memory
	added atomic.Bool
}

func (f *slowFrontier) Add(ctx context.Context, items []frontier.Item) ([]bool, error) {
	if slices.ContainsFunc(items, func(i frontier.Item) bool { return strings.HasSuffix(i.URL, "/a") }) {
		f.added.Store(true)
	}
	return f.Memory.Add(ctx, items)
}

// A slowMember loses the first lease that is asked for after that.
type slowMember struct {
	cluster.Member
	frontier *slowFrontier
	lost     atomic.Bool
}

func (m *slowMember) Lost(frontier.LeaseID) bool {
	return m.frontier.added.Load() && !m.lost.Swap(true)
}
