package crawler

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore"
	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore/redistest"
)

// refuses wants a crawl not to begin, and its files as they were.
func refuses(t *testing.T, cfg Config, opts *Options, class error, text string) {
	t.Helper()
	name := filepath.Join(cfg.Output.Dir, "pages.jsonl")
	before, _ := os.ReadFile(name)
	c, err := New(cfg, opts)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Run(t.Context()); !errors.Is(err, class) || !strings.Contains(err.Error(), text) {
		t.Errorf("%v, want %v with %q", err, class, text)
	}
	if after, _ := os.ReadFile(name); !bytes.Equal(after, before) {
		t.Errorf("%s had %d bytes, and has %d", name, len(before), len(after))
	}
}

// What a worker has written is not taken for a part of another crawl, whatever that is
// called, nor of another worker.
func TestResumeIntoAnotherCrawl(t *testing.T) {
	server := redistest.Start(t)
	s := wide(t, "127.0.0.1", 5)
	cfg := sharedConfig(t, server.URL(), s.url+"/")
	one := workerConfig(t, cfg, "w1")
	run(t, one, nil)
	twin := one
	twin.Output.Dir = filepath.Join(t.TempDir(), "twin")
	refuses(t, twin, nil, ErrConfig, `has one called "w1"`)

	renamed := one
	renamed.Cluster.Join = "else"
	refuses(t, renamed, &Options{Resume: true}, ErrConfig, "join")
	if err := redisstore.Delete(t.Context(), cfg.Cluster.Frontier, storeOptions(cfg)); err != nil {
		t.Fatal(err)
	}
	refuses(t, one, &Options{Resume: true}, ErrFrontierLost, "no such crawl")
	run(t, workerConfig(t, cfg, "w2"), nil)
	refuses(t, one, &Options{Resume: true}, ErrFrontierLost, "is another one")

	alone := testConfig(t, s.url+"/")
	run(t, alone, nil)
	alone.Cluster.Frontier, alone.Cluster.Join = cfg.Cluster.Frontier, cfg.Cluster.Join
	refuses(t, alone, &Options{Resume: true}, ErrConfig, "has its own")
}

// The sitemaps of a host that one worker brings are read, also when another asks for its
// robots.txt before it has heard of that.
func TestSitemapsOfAHostThatJoins(t *testing.T) {
	server := redistest.Start(t)
	busy := wide(t, "127.0.0.1", 30)
	brought := newSite(t, "127.0.0.2", map[string]string{
		"/robots.txt": "Sitemap: {site}/map.txt\n", "/map.txt": "{site}/listed\n", "/": "front", "/listed": "listed",
	})
	cfg := sharedConfig(t, server.URL(), busy.url+"/")
	cfg.Politeness.Delay = 50 * time.Millisecond
	more := workerConfig(t, cfg, "w2")
	more.URLs = append(slices.Clone(cfg.URLs), brought.url+"/")
	all := together(t, workerConfig(t, cfg, "w1"), more)
	if !slices.Contains(allPages(all), brought.url+"/listed") {
		t.Errorf("pages %v", allPages(all))
	}
}

// A site cannot end the crawl by what a start URL leads to.
func TestLongRedirectOfAStart(t *testing.T) {
	server := redistest.Start(t)
	good := wide(t, "127.0.0.1", 10)
	target := newSite(t, "127.0.0.3", nil)
	target.handle("/x", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprint(w, "here")
	})
	bad := newSite(t, "127.0.0.2", nil)
	bad.handle("/go", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", target.url+"/x?"+strings.Repeat("a&", 700))
		w.WriteHeader(http.StatusFound)
	})
	cfg := sharedConfig(t, server.URL(), good.url+"/", bad.url+"/go")
	got := run(t, workerConfig(t, cfg, "w1"), nil)
	if got.End != EndFinished || got.Pages != 11+1+1 {
		t.Errorf("%+v", got.Summary)
	}
}
