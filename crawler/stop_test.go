package crawler

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/logstore"
)

// Abort aborts a page or robots.txt in flight, which is not a failure of the site.
func TestAbortEndsRequestsInFlight(t *testing.T) {
	for _, path := range []string{"/", "/robots.txt"} {
		t.Run(path, bubbled(func(t *testing.T) {
			s := newSite(t, "127.0.0.1", nil)
			asked := make(chan struct{})
			s.handle(path, func(_ http.ResponseWriter, r *http.Request) {
				close(asked)
				<-r.Context().Done()
			})
			var delay time.Duration // of the last outcome
			failing := false        // robots.txt counts as unreachable
			c := newCrawler(t, testConfig(t, s.url), &Options{Frontier: &hooked{
				Frontier: frontier.NewMemory(nil),
				finish: func(outcomes []frontier.Outcome) error {
					delay = outcomes[len(outcomes)-1].HostDelay
					return nil
				},
				update: func(u frontier.HostUpdate) error {
					for _, r := range u.Robots {
						failing = failing || !r.FailingSince.IsZero()
					}
					return nil
				},
			}})
			go func() {
				<-asked
				c.Abort()
			}()
			began := time.Now()
			sum, err := c.Run(t.Context())
			if err != nil || sum.End != EndInterrupted || sum.Pages != 0 || sum.Remaining != 1 || len(sum.Rejected) != 0 || time.Since(began) > time.Second {
				t.Errorf("Run = %+v, %v", sum, err)
			}
			if delay == 0 {
				t.Error("the server got a request, and need not wait for the next")
			}
			if failing {
				t.Error("the robots.txt counts as unreachable, and was not read to its end")
			}
		}))
	}
}

func TestDiskThatFailsEndsTheCrawl(t *testing.T) {
	s := newSite(t, "127.0.0.1", map[string]string{"/": `<a href="/a">a</a>`, "/a": ""})
	cfg := testConfig(t, s.url)
	s.handle("/robots.txt", func(w http.ResponseWriter, r *http.Request) {
		if err := os.RemoveAll(cfg.Output.Dir + "/robots"); err != nil {
			t.Error(err)
		}
		http.NotFound(w, r)
	})
	c := newCrawler(t, cfg, nil)
	sum, err := c.Run(t.Context())
	if err == nil || sum == nil || sum.End != EndFailed || !strings.Contains(err.Error(), "robots") {
		t.Errorf("Run = %+v, %v; want an error that names what could not be written", sum, err)
	}
}

func TestInterruptAtAnyMomentIsNoRace(t *testing.T) {
	t.Parallel()
	s := newSite(t, "127.0.0.1", map[string]string{"/": `<a href="/a">a</a>`, "/a": "a"})
	for i := range 10 {
		c := newCrawler(t, testConfig(t, s.url), nil)
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i)*600*time.Microsecond)
		if sum, err := c.Run(ctx); err != nil || sum.End != EndInterrupted && sum.End != EndFinished {
			t.Errorf("Run = %+v, %v", sum, err)
		}
		cancel()
	}
}

// During a pause no request is sent. Its end sends all.
func TestPause(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := newSite(t, "127.0.0.1", map[string]string{
			"/": `<a href="/1">1</a>`, "/1": `<a href="/2">2</a>`, "/2": `<a href="/3">3</a>`, "/4": `<a href="/5">5</a>`, "/5": "5",
		})
		cfg := testConfig(t, s.url)
		third, paused := make(chan struct{}), make(chan struct{})
		s.handle("/3", func(w http.ResponseWriter, _ *http.Request) {
			close(third)
			<-paused
			w.Header().Set("Content-Type", "text/html")
			_, _ = fmt.Fprint(w, `<a href="/4">4</a>`)
		})
		log := &logLines{}
		c := newCrawler(t, cfg, &Options{Logger: log.logger()})
		var during, after int
		go func() {
			<-third
			c.Pause()
			c.Pause() // is one
			close(paused)
			waitFor(func() bool { // the page in flight is finished
				s, err := c.Status()
				return err != nil || !s.Paused || s.Pages == 4 && s.Frontier.InFlight == 0
			})
			during = len(s.asked())
			time.Sleep(300 * time.Millisecond)
			after = len(s.asked())
			c.Resume()
		}()
		sum, err := c.Run(t.Context())
		if err != nil || sum.End != EndFinished || sum.Pages != 6 {
			t.Errorf("Run = %+v, %v", sum, err)
		}
		if during != 4 || after != during {
			t.Errorf("%d requests when the pause began and %d when it ended, want 4", during, after)
		}
		for _, message := range []string{"crawl paused", "crawl resumed"} {
			if n := len(log.named(t, message)); n != 1 {
				t.Errorf("%d lines %q", n, message)
			}
		}
	})
}

// Stop ends a crawl while it runs, during a pause, and before it runs.
func TestStop(t *testing.T) {
	for _, when := range []string{"running", "paused", "before"} {
		t.Run(when, bubbled(func(t *testing.T) {
			s := chain(t, 1000)
			cfg := testConfig(t, s.url+"/0")
			cfg.Politeness.Delay = 20 * time.Millisecond
			var c *Crawler
			stop := func() {
				if when == "paused" {
					c.Pause()
				}
				c.Stop()
			}
			c = newCrawler(t, cfg, &Options{OnStart: func() {
				if when != "before" {
					go stop()
				}
			}})
			if when == "before" {
				stop()
			}
			sum, err := c.Run(t.Context())
			if err != nil || sum.End != EndStopped || sum.Remaining == 0 || sum.Pages > 10 {
				t.Errorf("Run = %+v, %v", sum, err)
			}
		}))
	}
}

// A pause does not end a crawl because of max-wait.
func TestPauseKeepsTheCrawl(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := newSite(t, "127.0.0.1", nil)
		var c *Crawler
		s.handle("/", func(w http.ResponseWriter, _ *http.Request) {
			c.Pause()
			w.Header().Set("Retry-After", "3600")
			w.WriteHeader(http.StatusServiceUnavailable)
		})
		cfg := testConfig(t, s.url)
		cfg.Fetch.Retries = 1
		c = newCrawler(t, cfg, nil)
		ended := make(chan End, 1)
		go func() {
			sum, err := c.Run(t.Context())
			if err != nil {
				t.Error(err)
				ended <- ""
				return
			}
			ended <- sum.End
		}()
		select {
		case end := <-ended:
			t.Fatalf("%s during the pause", end)
		case <-time.After(1500 * time.Millisecond): // the retry was due after a second
		}
		c.Resume()
		if end := <-ended; end != EndDeferred {
			t.Errorf("ended: %s", end)
		}
	})
}

// A frontier that accepts no URL ends the crawl, for the start URL and for entries of an
// incomplete sitemap.
func TestFrontierThatFailsEndsTheCrawl(t *testing.T) {
	for _, path := range []string{"/", "/listed"} {
		t.Run(path, bubbled(func(t *testing.T) {
			s := newSite(t, "127.0.0.1", map[string]string{"/": "start", "/robots.txt": "Sitemap: {site}/map.txt\n"})
			s.handle("/map.txt", func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Length", "1000")
				_, _ = fmt.Fprintf(w, "http://%s/listed\n", r.Host)
			})
			c := newCrawler(t, testConfig(t, s.url+"/"), &Options{Frontier: &hooked{Frontier: frontier.NewMemory(nil), add: func(items []frontier.Item) error {
				if slices.ContainsFunc(items, func(it frontier.Item) bool { return it.URL == s.url+path }) {
					return errFrontierFails
				}
				return nil
			}}})
			if sum, err := c.Run(t.Context()); !errors.Is(err, errFrontierFails) || sum != nil && sum.End != EndFailed {
				t.Errorf("%+v, %v", sum, err)
			}
		}))
	}
}

// A crawl that is aborted while it lists skipped URLs has not failed, and can be resumed.
func TestAbortWhileSkippedURLsAreListed(t *testing.T) {
	s := newSite(t, "127.0.0.1", map[string]string{"/": `<a href="http://other.invalid/">out</a>`})
	cfg := testConfig(t, s.url+"/")
	dir := filepath.Join(t.TempDir(), "frontier")
	open := func() frontier.Frontier {
		store, err := logstore.Open(dir, nil)
		must(t, err)
		return store
	}
	var c *Crawler
	var abandon context.CancelFunc
	unreachable := func([]frontier.Key) error { // from the end of the crawl; and the user does not wait
		if end, _, _ := c.lifecycle.Ending(); end == "" {
			return nil
		}
		abandon()
		return c.lifecycle.CommitCtx.Err()
	}
	c = newCrawler(t, cfg, &Options{
		Frontier: &hooked{Frontier: open(), known: unreachable},
		OnStart:  func() { c.lifecycle.CommitCtx, abandon = context.WithCancel(t.Context()) },
	})
	sum, err := c.Run(t.Context())
	if err != nil || sum.End != EndInterrupted || sum.Pages != 1 {
		t.Errorf("%+v, %v", sum, err)
	}
	if got := runCrawl(t, cfg, &Options{Frontier: open(), Resume: true}); got.End != EndFinished || len(got.rejected) != 1 {
		t.Errorf("resumed: %+v, rejected %+v", got.Summary, got.rejected)
	}
}

// Status may be called until Run returns.
func TestStatusWhileTheCrawlEnds(t *testing.T) {
	s := newSite(t, "127.0.0.1", map[string]string{"/": `<a href="/a">a</a>`, "/a": "a"})
	var c *Crawler
	var wg sync.WaitGroup
	c = newCrawler(t, testConfig(t, s.url+"/"), &Options{OnStart: func() {
		wg.Go(func() {
			for {
				if _, err := c.Status(); err != nil {
					return
				}
			}
		})
	}})
	if _, err := c.Run(t.Context()); err != nil {
		t.Error(err)
	}
	wg.Wait()
}
