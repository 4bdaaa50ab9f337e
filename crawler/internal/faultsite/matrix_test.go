package faultsite_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/internal/faultsite"
	"github.com/politecrawl/politecrawl/crawler/internal/testserver"
)

// authority is trusted by all crawls of these tests; see TestMain.
var authority *testserver.Authority

func TestMain(m *testing.M) {
	if config := os.Getenv(crawlEnv); config != "" {
		if err := crawlAsChild(config); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	log.SetOutput(io.Discard) // net/http logs there what sites send without a request
	os.Exit(func() int {
		var err error
		if authority, err = testserver.NewAuthority(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		dir, err := os.MkdirTemp("", "faultsite")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer func() { _ = os.RemoveAll(dir) }()
		file := filepath.Join(dir, "authority.pem")
		if err := os.WriteFile(file, authority.PEM(), 0o600); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		if err := os.Setenv("SSL_CERT_FILE", file); err != nil { // read when a certificate is first looked at
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return m.Run()
	}())
}

// quick is a configuration without waits, except those that a fault requires.
func quick(t *testing.T, urls ...string) crawler.Config {
	t.Helper()
	cfg := crawler.Default()
	cfg.URLs, cfg.Output.Dir = urls, filepath.Join(t.TempDir(), "crawl")
	cfg.Politeness.Delay, cfg.Politeness.ResponseFactor, cfg.Limits.Concurrency = 60*time.Millisecond, 0, 4
	cfg.Fetch.Retries, cfg.Limits.MaxWait, cfg.Robots.Retry = 0, 10*time.Second, time.Minute // a Retry-After of seconds is waited for
	cfg.Fetch.MaxBody, cfg.Fetch.AllowAddr = 4<<20, []string{"127.0.0.0/8"}
	return cfg
}

// Every fault affects every kind of response, each in its own crawl beside a healthy host. The
// results are as the table says, everything else is crawled as usual, and the hosts report no
// violation.
func TestMatrix(t *testing.T) {
	var cells sync.WaitGroup
	defer cells.Wait()
	room := make(chan struct{}, atOnce)
	for i, f := range faultsite.Faults() {
		kinds := slices.DeleteFunc([]faultsite.Kind{faultsite.Page, faultsite.Robots, faultsite.Sitemap}, func(k faultsite.Kind) bool {
			return f.Want(k).Outcome == ""
		})
		if testing.Short() && len(kinds) > 1 {
			kinds = kinds[i%len(kinds):][:1] // each fault affects one kind
		}
		for _, k := range kinds {
			room <- struct{}{}
			cells.Go(func() {
				defer func() { <-room }()
				t.Run(f.Name+"/"+string(k), func(t *testing.T) { cell(t, f, k) })
			})
		}
	}
}

// atOnce is how many crawls run at a time: they mostly wait.
const atOnce = 16

// cellTime is how long a crawl with one fault may take on a busy machine.
const cellTime = 2 * time.Minute

func cell(t *testing.T, f *faultsite.Fault, k faultsite.Kind) {
	cfg := quick(t)
	// Only an endless response may time out: a busy machine takes its time to decode a bomb.
	cfg.Fetch.Timeout, cfg.Robots.Timeout, cfg.Fetch.FirstByteTimeout, cfg.Fetch.StallTimeout = cellTime, cellTime, cellTime, cellTime
	if f.Endless { // everything else must be done in that time too, on a busy machine
		cfg.Fetch.Timeout, cfg.Robots.Timeout, cfg.Fetch.FirstByteTimeout, cfg.Fetch.StallTimeout = 10*time.Second, 10*time.Second, 3*time.Second, 2*time.Second
	}
	site, err := faultsite.Start(&faultsite.Options{
		Hosts: []faultsite.Host{{Kind: faultsite.Healthy}, {Fault: f.Name, Kind: k}},
		Delay: cfg.Politeness.Delay, Authority: authority,
	})
	if err != nil {
		t.Fatal(err)
	}
	closeSite := sync.OnceFunc(func() {
		if err := site.Close(); err != nil {
			t.Error(err)
		}
	})
	defer closeSite()
	cfg.URLs = site.StartURLs()
	c, err := crawler.New(cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), cellTime)
	defer cancel()
	defer context.AfterFunc(ctx, c.Abort)()
	sum, err := c.Run(ctx)
	if err != nil || ctx.Err() != nil {
		t.Fatalf("%v, %v: %+v", err, ctx.Err(), sum)
	}
	got := &result{t: t, cfg: cfg, sound: site.Places()[0].Origin, host: site.Places()[1].Origin, fault: f, kind: k}
	got.read()
	want := f.Want(k)
	end := crawler.EndFinished
	if want.Outcome == faultsite.Unreachable {
		end = crawler.EndDeferred
	}
	if sum.End != end {
		t.Errorf("the crawl ended: %s, want %s", sum.End, end)
	}
	for _, path := range []string{"/", "/after", "/listed"} {
		got.page(got.sound+path, 200)
	}
	got.closed(got.sound)
	switch k {
	case faultsite.Page:
		got.ofPage(want)
	case faultsite.Robots:
		got.ofRobots(want)
	case faultsite.Sitemap:
		got.ofSitemap(want)
	}
	closeSite() // so that all is recorded
	got.requests(site, want)
	if t.Failed() || testing.Verbose() {
		for _, r := range site.Report().Last {
			t.Logf("%s in %v", r, r.End.Sub(r.Start))
		}
		t.Logf("took %v; pages %+v\nrejected %+v\nrobots %+v\nsitemaps %+v", sum.Duration, got.pages, got.rejected, got.robots, got.sitemaps)
	}
}
