package crawler

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore/redistest"
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
	got := runChanged(t, cfg, nil, func(c *Crawler) { c.extension = lease })
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
