package crawler

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"
)

// A pause lets nothing be sent, and the end of it everything.
func TestPause(t *testing.T) {
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
	c, err := New(cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	var during, after int
	go func() {
		<-third
		c.Pause()
		c.Pause() // is one
		close(paused)
		waitFor(func() bool { // the page in flight is finished
			s, err := c.Status()
			return err != nil || !s.Paused || s.Pages == 4 && s.Frontier.Leased == 0
		})
		during = len(s.asked())
		time.Sleep(300 * time.Millisecond)
		after = len(s.asked())
		c.Continue()
	}()
	sum, err := c.Run(t.Context())
	if err != nil || sum.End != EndFinished || sum.Pages != 6 {
		t.Errorf("Run = %+v, %v", sum, err)
	}
	if during != 4 || after != during {
		t.Errorf("%d requests when the pause began and %d when it ended, want 4", during, after)
	}
}

// A crawl is stopped from outside: while it runs, during a pause, before it runs.
func TestStop(t *testing.T) {
	for _, when := range []string{"running", "paused", "before"} {
		t.Run(when, func(t *testing.T) {
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
			c, err := New(cfg, &Options{Begun: func() {
				if when != "before" {
					go stop()
				}
			}})
			if err != nil {
				t.Fatal(err)
			}
			if when == "before" {
				stop()
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			sum, err := c.Run(ctx)
			if err != nil || sum.End != EndInterrupted || sum.Left == 0 || sum.Pages > 10 {
				t.Errorf("Run = %+v, %v", sum, err)
			}
		})
	}
}

// A pause is no reason to give up what would have to be waited for too long.
func TestPauseKeepsTheCrawl(t *testing.T) {
	s := newSite(t, "127.0.0.1", nil)
	var c *Crawler
	s.handle("/", func(w http.ResponseWriter, _ *http.Request) {
		c.Pause()
		w.Header().Set("Retry-After", "3600")
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	cfg := testConfig(t, s.url)
	cfg.Fetch.Retries = 1
	c, err := New(cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
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
	c.Continue()
	if end := <-ended; end != EndLater {
		t.Errorf("ended: %s", end)
	}
}
