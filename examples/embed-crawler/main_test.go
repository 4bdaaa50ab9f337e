package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/demosite"
)

func TestCount(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		switch r.URL.Path {
		case "/robots.txt":
			w.Header().Set("Content-Type", "text/plain")
			fmt.Fprint(w, "User-agent: examplebot\nDisallow: /private\n")
		case "/":
			fmt.Fprint(w, `<title>Green tea</title><a href="/black">black</a><a href="/private">private</a>`)
		case "/black":
			fmt.Fprint(w, `<title>Black Tea</title>`)
		default:
			t.Errorf("asked for %s", r.URL)
		}
	}))
	defer site.Close()
	t.Setenv("TMPDIR", t.TempDir())
	cfg := crawler.Default()
	cfg.Fetch.AllowAddr = []string{"127.0.0.0/8"}
	cfg.URLs, cfg.Politeness.Delay, cfg.Fetch.UserAgent = []string{site.URL}, 0, "examplebot/1.0"
	var out bytes.Buffer
	if err := count(t.Context(), cfg, &out); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("1 black\n1 green\n2 tea\n2 pages (finished), 0 URLs remaining\n", out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	left, err := os.ReadDir(os.TempDir())
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

// The crawl obeys its limits and the delay, as recorded by the site.
func TestLimits(t *testing.T) {
	site, err := demosite.Start(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = site.Close() }()
	cfg := crawler.Default()
	cfg.Fetch.AllowAddr = []string{"127.0.0.0/8"}
	cfg.URLs, cfg.Politeness.Delay, cfg.Limits.MaxPages, cfg.Scope.MaxDepth, cfg.Limits.MaxTime = site.StartURLs(), 10*time.Millisecond, 20, 1, time.Minute
	cfg.Fetch.Retries = 0 // so failed pages count as pages
	if err := count(t.Context(), cfg, io.Discard); err != nil {
		t.Fatal(err)
	}
	report := site.Judge(cfg.Politeness.Delay, "politecrawl")
	for _, v := range report.Violations {
		t.Error(v)
	}
	if report.Pages != cfg.Limits.MaxPages {
		t.Errorf("%d pages were asked for, not %d", report.Pages, cfg.Limits.MaxPages)
	}
}
