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
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/logstore"
	"github.com/politecrawl/politecrawl/crawler/internal/run"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// whole checks that a crawl of chain has all pages, once each.
func (c *crawl) whole(t *testing.T, s *site, n int) {
	t.Helper()
	var want []string
	for i := range n {
		want = append(want, fmt.Sprintf("/%d", i))
		if r := c.refusal(t, fmt.Sprintf("%s/no/%d", s.url, i)); r.Reason != output.Disallowed {
			t.Errorf("%+v", r)
		}
		if r := c.refusal(t, fmt.Sprintf("http://elsewhere.invalid/%d", i)); r.Reason != output.OutOfScope {
			t.Errorf("%+v", r)
		}
	}
	slices.Sort(want)
	c.wantPages(t, s, want...)
	if c.End != EndFinished || c.Remaining != 0 || c.Pages != n || c.Statuses[200] != n ||
		c.Rejected[output.Disallowed] != n || c.Rejected[output.OutOfScope] != n {
		t.Errorf("summary %+v", c.Summary)
	}
}

// A crawl may be killed after the line of a page is written and before its lease is finished. The
// page is fetched again, and has one line, also in sinks.
func TestKillBetweenWriteAndCommit(t *testing.T) {
	const n = 6
	for at := range int32(2*n + 1) {
		t.Run(fmt.Sprint(at), func(t *testing.T) {
			t.Parallel()
			s := chain(t, n)
			cfg := testConfig(t, s.url+"/0")
			cfg.Limits.Concurrency, cfg.Output.AlsoWrite = 1, []string{"list"}
			formats := []output.Format{listFormat}
			store, err := logstore.Open(filepath.Join(cfg.Output.Dir, run.FrontierDir), &logstore.Options{MaxInFlight: 1})
			must(t, err)
			var left atomic.Int32 // the next Finish and all later ones fail without effect, as if the process had ended
			left.Store(at)
			c := newCrawler(t, cfg, &Options{Formats: formats, Frontier: &hooked{Frontier: store, finish: func([]frontier.Outcome) error {
				if left.Add(-1) <= 0 {
					return errFrontierFails
				}
				return nil
			}}})
			sum, err := c.Run(t.Context())
			if !errors.Is(err, errFrontierFails) || sum.End != EndFailed {
				t.Fatalf("Run = %+v, %v", sum, err)
			}
			if at > 3 && len(s.asked()) == 0 {
				t.Fatal("it ended before any page was asked for")
			}
			runCrawl(t, cfg, &Options{Resume: true, Formats: formats}).whole(t, s, n)
			sameInSink(t, cfg, true)
		})
	}
}

func TestInterruptAndResume(t *testing.T) {
	const n = 8
	s := chain(t, n)
	ctx, cancel := context.WithCancel(t.Context())
	inner := s.mux
	s.mux = http.NewServeMux()
	s.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/3" {
			cancel()
		}
		inner.ServeHTTP(w, r)
	})
	cfg := testConfig(t, s.url+"/0")
	c := newCrawler(t, cfg, nil)
	sum, err := c.Run(ctx)
	if err != nil || sum.End != EndInterrupted || sum.Remaining == 0 || sum.Pages != 4 || len(s.asked()) != 4 { // /3 was in flight
		t.Fatalf("Run = %+v, %v", sum, err)
	}
	got := resume(t, cfg, nil)
	got.whole(t, s, n)
	if s.count("/robots.txt") != 1 || got.Robots != 1 {
		t.Errorf("robots.txt was asked for %d times, the summary says %d", s.count("/robots.txt"), got.Robots)
	}
	for i := range n {
		if path := fmt.Sprintf("/%d", i); s.count(path) != 1 {
			t.Errorf("%s was asked for %d times", path, s.count(path))
		}
	}
	// A crawl that is finished has nothing to go on with, and stays as it is.
	resume(t, cfg, nil).whole(t, s, n)
	if all := len(s.requests()); all != n+1 {
		t.Errorf("%d requests", all)
	}
}

func TestResumeWithOtherLimits(t *testing.T) {
	const n = 8
	s := chain(t, n)
	cfg := testConfig(t, s.url+"/0")
	cfg.Limits.MaxPages = 3
	first := runCrawl(t, cfg, nil)
	if first.End != EndMaxPages || first.Pages != 3 || first.Remaining == 0 {
		t.Fatalf("%+v", first.Summary)
	}
	if same := resume(t, cfg, nil); same.End != EndMaxPages || same.Pages != 3 || len(s.asked()) != 3 {
		t.Errorf("the limit holds for all processes together: %+v", same.Summary)
	}
	deeper := resume(t, cfg, func(c *Config) { c.Limits.MaxPages, c.Scope.MaxDepth = 0, 5 })
	if r := deeper.refusal(t, s.url+"/6"); deeper.End != EndFinished || deeper.Pages != 6 || r.Reason != output.MaxDepth {
		t.Errorf("%+v, %+v", deeper.Summary, r)
	}
	cfg.Limits.MaxPages, cfg.Scope.MaxDepth = 0, 5
	resume(t, cfg, func(c *Config) { c.Scope.MaxDepth = -1 }).whole(t, s, n)
}

// A resumed crawl does not read pages again, so checks that are added miss them. It does not repeat checks that
// earlier settings refused. It says both. A recrawl reads all.
func TestResumeSaysWhichChecksItMisses(t *testing.T) {
	const missed, skipped = "the new checks miss", "checks that were skipped so far are not repeated"
	check := func(checks ...string) func(*Config) { return func(c *Config) { c.Scope.Check = checks } }
	allow := func(addresses string) func(*Config) {
		return func(c *Config) { c.Scope.Check, c.Fetch.AllowAddr = []string{CheckExternal}, []string{addresses} }
	}
	hosts := func(n int, checks ...string) func(*Config) {
		return func(c *Config) { c.Scope.Check, c.Limits.MaxHosts = checks, n }
	}
	for _, tt := range []struct {
		name          string
		before, after func(*Config)
		recrawl       bool
		want          string // in a notice, and not the other; empty if there is none
	}{
		{"the same", check(CheckAssets, CheckFragments), check(CheckFragments, CheckAssets), false, ""},
		{"one more", check(CheckAssets), check(CheckAssets, CheckFragments), false, missed},
		{"one less", check(CheckAll), check(CheckAssets), false, ""},
		{"one more in a recrawl", check(), check(CheckAssets), true, ""},
		{"an address is allowed", allow("127.0.0.1"), allow("127.0.0.0/8"), false, skipped},
		{"more hosts are allowed", hosts(1, CheckExternal), hosts(2, CheckExternal), false, skipped},
		{"fewer hosts are allowed", hosts(2, CheckExternal), hosts(1, CheckExternal), false, ""},
		{"more hosts without checks", hosts(1), hosts(2), false, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newSite(t, "127.0.0.1", map[string]string{"/": "<a href=http://127.0.0.2:1/x>x</a>"})
			cfg := testConfig(t, s.url+"/")
			tt.before(&cfg)
			runCrawl(t, cfg, nil)
			tt.after(&cfg)
			notices := strings.Join(runCrawl(t, cfg, &Options{Resume: !tt.recrawl, Recrawl: tt.recrawl}).notices, "\n")
			for _, notice := range []string{missed, skipped} {
				if strings.Count(notices, notice) != strings.Count(tt.want, notice) {
					t.Errorf("notices %q, want %q", notices, tt.want)
				}
			}
		})
	}
}

// Queued checks that the settings of a resumed crawl no longer want are not made.
func TestResumeWithFewerChecks(t *testing.T) {
	for _, tt := range []struct{ check, want []string }{
		{nil, nil},
		{[]string{CheckAssets}, []string{"HEAD /icon", "HEAD /img"}},
		{[]string{CheckExternal}, []string{"HEAD /feed", "HEAD /link"}},
		{[]string{CheckCanonical, CheckHreflang}, []string{"GET /canonical", "GET /de"}},
	} {
		t.Run(strings.Join(tt.check, " "), func(t *testing.T) {
			other := newSite(t, "127.0.0.2", nil)
			s := newSite(t, "127.0.0.1", map[string]string{"/": strings.ReplaceAll(`<link rel=canonical href={other}/canonical><link rel=alternate hreflang=de href={other}/de>
				<link rel=icon href={other}/icon><link rel=alternate type=application/rss+xml href={other}/feed><img src={other}/img><a href={other}/link>x</a>`, "{other}", other.url)})
			cfg := testConfig(t, s.url+"/")
			cfg.Scope.Check, cfg.Limits.MaxPages = []string{CheckAll}, 1
			if got := runCrawl(t, cfg, nil); got.End != EndMaxPages || len(other.sent()) > 0 {
				t.Fatalf("%s, requests %q", got.End, other.sent())
			}
			cfg.Scope.Check, cfg.Limits.MaxPages = tt.check, 0
			got := runCrawl(t, cfg, &Options{Resume: true})
			if sent := sorted(other.sent()); !slices.Equal(sent, tt.want) || got.End != EndFinished {
				t.Errorf("%s, requests %q, want %q", got.End, sent, tt.want)
			}
		})
	}
}

func TestTwoProcessesOnOneDirectory(t *testing.T) {
	s := chain(t, 2)
	hold := make(chan struct{})
	s.handle("/slow", func(http.ResponseWriter, *http.Request) { <-hold })
	cfg := testConfig(t, s.url+"/slow")
	begun := make(chan struct{})
	first := newCrawler(t, cfg, &Options{OnStart: func() { close(begun) }})
	ended := make(chan error)
	go func() {
		_, err := first.Run(context.Background())
		ended <- err
	}()
	<-begun
	for _, opts := range []*Options{nil, {Resume: true}, {Recrawl: true}} {
		refuses(t, cfg, opts, logstore.ErrInUse, fmt.Sprint("process ", os.Getpid()))
	}
	close(hold)
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestResumeWhereThereIsNoCrawl(t *testing.T) {
	cfg := testConfig(t, "http://127.0.0.1:1/")
	if _, err := LoadConfig(cfg.Output.Dir); !errors.Is(err, output.ErrNoCrawl) {
		t.Errorf("Saved = %v", err)
	}
	for _, opts := range []Options{{Resume: true}, {Recrawl: true}} {
		refuses(t, cfg, &opts, output.ErrNoCrawl, "")
		if _, err := os.Stat(cfg.Output.Dir); !errors.Is(err, os.ErrNotExist) {
			t.Error("it made a directory")
		}
	}
}

// A host that joined the scope by a redirect stays in the scope.
func TestResumeKeepsJoinedHosts(t *testing.T) {
	www := newSite(t, "127.0.0.2", map[string]string{"/": `<a href="/1">1</a>`, "/1": `<a href="/2">2</a>`, "/2": `<a href="/3">3</a>`, "/3": "end"})
	bare := newSite(t, "127.0.0.1", nil)
	bare.handle("/", redirect(www.url+"/"))
	cfg := testConfig(t, bare.url+"/")
	cfg.Limits.MaxPages = 3
	if first := runCrawl(t, cfg, nil); first.End != EndMaxPages {
		t.Fatalf("%+v", first.Summary)
	}
	got := resume(t, cfg, func(c *Config) { c.Limits.MaxPages = 0 })
	if diff := cmp.Diff([]string{"/", "/1", "/2", "/3"}, got.paths(www.url)); diff != "" || !slices.Equal(got.AddedHosts, []string{www.url}) {
		t.Errorf("%+v, pages (-want +got):\n%s", got.Summary, diff)
	}
}

// ROB-POL-02: a changed delay applies from the first request of a resumed crawl.
func TestResumeWithAnotherDelay(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		const n = 4
		s, cfg := stoppedChain(t, n, 2)
		before := len(s.requests())
		const delay = 400 * time.Millisecond
		began := time.Now()
		resume(t, cfg, func(c *Config) { c.Limits.MaxPages, c.Politeness.Delay = 0, delay }).whole(t, s, n)
		requests := s.requests()
		if gap := requests[before].began.Sub(began); gap < delay {
			t.Errorf("the first request came after %v", gap)
		}
		wantSpaced(t, requests[before:], delay)
	})
}

// The sitemaps of a host that joined the scope are read even after a kill before they were
// queued.
func TestResumeQueuesSitemapsOfJoinedHosts(t *testing.T) {
	b := newSite(t, "127.0.0.2", map[string]string{"/": "b", "/for-a.txt": "", "/own.txt": "{site}/p\n", "/p": "p", "/robots.txt": "Sitemap: {site}/own.txt\n"})
	a := newSite(t, "127.0.0.1", map[string]string{"/": "a", "/robots.txt": "Sitemap: " + b.url + "/for-a.txt\n"})
	moved := newSite(t, "127.0.0.3", nil)
	moved.handle("/", func(w http.ResponseWriter, r *http.Request) {
		waitFor(func() bool { return b.count("/for-a.txt") > 0 }) // so the robots.txt of b is known
		redirect(b.url+"/")(w, r)
	})
	cfg := testConfig(t, a.url+"/", moved.url+"/")
	dir := filepath.Join(t.TempDir(), "frontier")
	open := func() frontier.Frontier {
		store, err := logstore.Open(dir, nil)
		must(t, err)
		return store
	}
	var c *Crawler
	c = newCrawler(t, cfg, &Options{Frontier: &hooked{Frontier: open(), host: func(h frontier.Host) error {
		if u := mustResolve(t, b.url+"/"); h == u.Server && c.scope.Holds(u) {
			return errFrontierFails
		}
		return nil
	}}})
	if _, err := c.Run(t.Context()); !errors.Is(err, errFrontierFails) {
		t.Fatal(err)
	}
	if got := runCrawl(t, cfg, &Options{Frontier: open(), Resume: true}); !slices.Contains(got.paths(b.url), "/p") {
		t.Errorf("pages %q, requested %q", got.paths(b.url), b.asked())
	}
}
