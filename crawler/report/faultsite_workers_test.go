package report_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore/redistest"
	"github.com/politecrawl/politecrawl/crawler/report"
)

// crawlTogether has workers do one crawl at the same time, and returns their
// directories.
func crawlTogether(t *testing.T, cfg crawler.Config, workers int) []string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cfg.Cluster.Frontier, cfg.Cluster.Join, cfg.Cluster.ExpectedURLs = redistest.Start(t).URL(), "faults", 10_000
	dirs, errs := make([]string, workers), make([]error, workers)
	var work sync.WaitGroup
	begun := make(chan struct{})
	for i := range workers {
		cfg := cfg
		cfg.Cluster.Worker, cfg.Output.Dir = fmt.Sprintf("w%d", i+1), filepath.Join(t.TempDir(), "crawl")
		dirs[i] = cfg.Output.Dir
		opts := new(crawler.Options)
		if i == 0 {
			opts.Begun = sync.OnceFunc(func() { close(begun) })
		} else {
			<-begun
		}
		c, err := crawler.New(cfg, opts)
		if err != nil {
			t.Fatal(err)
		}
		work.Go(func() { _, errs[i] = c.Run(ctx) })
	}
	work.Wait()
	if err := errors.Join(errors.Join(errs...), ctx.Err()); err != nil {
		t.Fatal(err)
	}
	return dirs
}

// TestFaultSiteByWorkers holds that several workers find what one does.
func TestFaultSiteByWorkers(t *testing.T) {
	s := startFaultSite(t)
	cfg := s.config(t)
	cfg.Limits.Workers = 2
	r, err := report.Make(crawlTogether(t, cfg, 3), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, seg := range r.Segments {
		if seg.State != report.Finished {
			t.Errorf("%+v", seg)
		}
	}
	equal(t, "kinds", built(), s.found(r))
	for _, k := range r.Sitemaps.Kinds {
		if len(k.Inconclusive) > 0 {
			t.Errorf("%s is said to be inconclusive: %v", k.Kind, k.Inconclusive)
		}
	}
	equal(t, "notes", []string{}, r.Notes)
	s.checkNumbers(t, r)
	s.checkBroken(t, r)
	s.checkRedirects(t, r)
	s.checkRejected(t, r)
	s.checkRobots(t, r)
	s.checkSitemapFiles(t, r)
	s.checkPages(t, r)
}
