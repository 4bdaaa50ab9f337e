package monitor_test

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/browsertest"
	"github.com/politecrawl/politecrawl/crawler/demosite"
	"github.com/politecrawl/politecrawl/crawler/monitor"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// A demo is a crawl of the demo site that is watched.
type demo struct {
	site   *demosite.Site
	server *monitor.Server
	sum    chan *crawler.Summary // what Run returned
}

// startDemo crawls the demo site, slowly enough to be looked at, until the test ends.
func startDemo(t *testing.T, delay time.Duration) *demo {
	t.Helper()
	site, err := demosite.Start(nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { site.Close() })
	server, err := monitor.Listen("127.0.0.1:0", &monitor.Options{Title: "the demo site"})
	if err != nil {
		t.Fatal(err)
	}
	d := &demo{site, server, make(chan *crawler.Summary, 1)}
	cfg := crawler.Default()
	cfg.Fetch.AllowAddr = []string{"127.0.0.0/8"}
	cfg.URLs, cfg.Output.Dir = site.StartURLs(), filepath.Join(t.TempDir(), "crawl")
	cfg.Politeness.Delay, cfg.Robots.Retry = delay, time.Second
	var c *crawler.Crawler
	c, err = crawler.New(cfg, &crawler.Options{
		Formats: []output.Format{server.Format()},
		Begun:   func() { server.Begin(c) },
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		sum, err := c.Run(ctx)
		if err != nil {
			t.Error(err)
		}
		server.End(sum)
		d.sum <- sum
	}()
	t.Cleanup(func() {
		cancel()
		<-done
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// TestDemoInBrowser does what a person does who watches a crawl; what the site saw is
// the judge of it.
func TestDemoInBrowser(t *testing.T) {
	b := browsertest.New(t, nil)
	b.Resize(1280, 900)
	d := startDemo(t, 100*time.Millisecond)
	b.Open(d.server.URL())
	const pages = `Number(document.getElementById("pages-count").textContent)`
	b.Wait("it runs", `document.getElementById("state").textContent === "running" && `+pages+` > 5`)
	first := browsertest.Eval[int](b, pages)
	b.Wait("the numbers move", fmt.Sprintf("%s > %d", pages, first+5))
	for _, table := range []string{"hosts", "pages", "rejections", "faults", "robots"} {
		b.Wait(table+" have rows", fmt.Sprintf(`[...document.querySelectorAll("#%s tbody tr")].filter(r => r.checkVisibility()).length > 0`, table))
	}
	b.Wait("the chart has bars", `[...document.querySelectorAll("#bars rect")].filter(r => r.getBoundingClientRect().height > 1 && getComputedStyle(r).fill !== "rgb(0, 0, 0)").length > 1`)
	b.Wait("a Crawl-delay is told", `/Crawl-delay/.test(document.querySelector("#robots tbody").textContent)`)
	b.Wait("a robots.txt that fails is told", `/cannot be reached/.test(document.querySelector("#faults tbody").textContent)`)

	b.Click("#pause")
	b.Wait("it pauses", `document.getElementById("state").textContent === "paused" && document.getElementById("pause").textContent === "Continue"`)
	seen := len(d.site.Requests())
	time.Sleep(time.Second) // long, for a delay of a tenth of that
	if now := len(d.site.Requests()); now != seen {
		t.Errorf("paused, the site was asked %d times more", now-seen)
	}
	if status, text := get(t, d.server.URL()+"healthz"); status != http.StatusOK {
		t.Errorf("paused, it is not well: %s", text)
	}

	b.Click("#pause")
	b.Wait("it continues", `document.getElementById("state").textContent === "running"`)
	for range 100 {
		if len(d.site.Requests()) > seen+5 {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	if now := len(d.site.Requests()); now <= seen+5 {
		t.Errorf("continued, the site was asked %d times more", now-seen)
	}

	b.Click("#stop")
	b.Click(`#sure button[value=""]`)
	b.Wait("it goes on", `document.getElementById("state").textContent === "running" && !document.getElementById("sure").open`)
	b.Click("#stop")
	b.Click(`#sure button[value="stop"]`)
	b.Wait("it stops", `document.getElementById("state").textContent === "stopped" && document.getElementById("pause").disabled`)
	b.Wait("nothing is left to press", `![...document.querySelectorAll(".buttons button")].some(b => b.checkVisibility())`)
	sum := <-d.sum
	if sum.End != crawler.EndInterrupted || sum.Left == 0 {
		t.Errorf("it ended %q, with %d left", sum.End, sum.Left)
	}
	if got := browsertest.Eval[int](b, pages); got != sum.Pages {
		t.Errorf("the page says %d pages, it was %d", got, sum.Pages)
	}
	time.Sleep(100 * time.Millisecond)
	b.WantNoFault(d.server.URL())
}
