package crawler

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore/redistest"
)

// Each worker asks again for what it had asked for, at the same time or one after the
// other, and robots.txt is asked for again too.
func TestSharedRecrawl(t *testing.T) {
	server := redistest.Start(t)
	a, b := wide(t, "127.0.0.1", 10), wide(t, "127.0.0.2", 10)
	cfg := sharedConfig(t, server.URL(), a.url+"/", b.url+"/")
	cfg.Politeness.Delay = 20 * time.Millisecond
	cfgs := []Config{workerConfig(t, cfg, "w1"), workerConfig(t, cfg, "w2")}
	first := together(t, cfgs...)
	pages := allPages(first)
	for round := 2; round < 4; round++ {
		all := make([]*crawl, len(cfgs))
		var work sync.WaitGroup
		for i, cfg := range cfgs {
			again := func() { all[i] = run(t, cfg, &Options{Recrawl: true}) }
			if round == 2 {
				work.Go(again)
			} else {
				again()
			}
		}
		work.Wait()
		if got := allPages(all); !slices.Equal(got, pages) {
			t.Errorf("round %d: %d pages, want %d: %v", round, len(got), len(pages), got)
		}
		for _, s := range []*site{a, b} {
			if n := len(s.asked()); n != round*11 {
				t.Errorf("round %d: %s was asked for %d pages: %v", round, s.url, n, s.asked())
			}
		}
	}
}

// Who interrupts a crawl twice need not wait until Redis is back, and loses nothing.
func TestInterruptWithoutRedis(t *testing.T) {
	if testing.Short() {
		t.Skip("it kills Redis and waits until the crawl gives it up")
	}
	server := redistest.Start(t, "--appendonly", "yes", "--appendfsync", "always")
	s := wide(t, "127.0.0.1", 30)
	cfg := workerConfig(t, sharedConfig(t, server.URL(), s.url+"/"), "w1")
	cfg.Politeness.Delay = 50 * time.Millisecond
	c, err := New(cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		waitFor(func() bool { return len(s.asked()) >= 5 })
		server.Kill()
		cancel()
		time.Sleep(100 * time.Millisecond)
		c.Abort()
	}()
	sum, err := c.Run(ctx)
	if err != nil || sum.End != EndInterrupted || sum.Took > 2*closingTime+5*time.Second {
		t.Fatalf("%+v, %v", sum, err)
	}
	server.Restart(t)
	if got := resume(t, cfg, nil); got.End != EndFinished || got.Pages != 31 || len(s.asked()) > 33 {
		t.Errorf("%+v, asked for %d", got.Summary, len(s.asked()))
	}
}
