package crawler

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/frontier/logstore"
	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore"
	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore/redistest"
	"github.com/politecrawl/politecrawl/crawler/internal/run"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/shared"
)

// workerConfig returns cfg for another worker of the same crawl.
func workerConfig(t testing.TB, cfg Config, name string) Config {
	t.Helper()
	cfg.Sharing.WorkerName, cfg.Output.Dir = name, filepath.Join(t.TempDir(), name)
	return cfg
}

// sharedConfig returns the configuration of a crawl on its own Redis server.
func sharedConfig(t testing.TB, urls ...string) Config {
	t.Helper()
	return sharedOn(t, redistest.Start(t).URL(), urls...)
}

// together runs workers concurrently, and returns their results. The others start after the first
// has started.
func together(t *testing.T, cfgs ...Config) []*crawl {
	t.Helper()
	return togetherWith(t, Options{}, cfgs...)
}

// togetherWith is like together, with options of the test.
func togetherWith(t *testing.T, with Options, cfgs ...Config) []*crawl {
	t.Helper()
	all := make([]*crawl, len(cfgs))
	started := make(chan struct{})
	var work sync.WaitGroup
	for i, cfg := range cfgs {
		opts := with
		if i == 0 {
			opts.OnStart = sync.OnceFunc(func() { close(started) })
		} else {
			<-started
		}
		work.Go(func() { all[i] = runCrawl(t, cfg, &opts) })
	}
	work.Wait()
	return all
}

// wide serves a page with links to n others, each with one link.
func wide(t *testing.T, address string, n int) *site {
	t.Helper()
	pages, front := map[string]string{"/robots.txt": "User-agent: *\nDisallow: /no\n"}, `<a href="/no">no</a>`
	for i := range n {
		front += fmt.Sprintf(`<a href="/%d">%[1]d</a>`, i)
		pages[fmt.Sprintf("/%d", i)] = fmt.Sprintf(`<title>%d</title><a href="/%d">on</a>`, i, (i+1)%n)
	}
	pages["/"] = front
	return newSite(t, address, pages)
}

// allPages returns the URLs that workers fetched, sorted.
func allPages(all []*crawl) []string {
	var urls []string
	for _, c := range all {
		urls = append(urls, c.paths("")...)
	}
	slices.Sort(urls)
	return urls
}

// Two workers fetch each page once and each robots.txt once, and keep the delay of a host
// together.
func TestSharedCrawl(t *testing.T) {
	t.Parallel()
	const hosts, pages, delay = 6, 8, 60 * time.Millisecond
	var sites []*site
	var starts []string
	for i := range hosts {
		s := wide(t, fmt.Sprintf("127.0.3.%d", i+1), pages)
		sites, starts = append(sites, s), append(starts, s.url+"/")
	}
	cfg := sharedConfig(t, starts...)
	cfg.Politeness.Delay, cfg.Limits.Concurrency = delay, 4
	all := together(t, workerConfig(t, cfg, "w1"), workerConfig(t, cfg, "w2"))
	for _, s := range sites {
		requests := s.requests()
		if len(requests) != pages+2 || s.count("/robots.txt") != 1 || s.count("/no") != 0 {
			t.Errorf("%s was asked for %v", s.url, requests)
		}
		wantSpaced(t, requests, delay)
	}
	got := allPages(all)
	if len(got) != hosts*(pages+1) || len(slices.Compact(got)) != hosts*(pages+1) {
		t.Errorf("%d pages, want %d once each: %v", len(got), hosts*(pages+1), got)
	}
	for _, c := range all {
		if c.End != EndFinished || c.Remaining != 0 || c.Pages == 0 || c.Hosts != hosts {
			t.Errorf("%+v", c.Summary)
		}
		if c.Shared == nil || len(c.Shared.Workers) != 2 || c.Shared.Name != "news" {
			t.Errorf("shared: %+v", c.Shared)
		}
	}
	st, stats, err := shared.Status(t.Context(), cfg.Sharing.Frontier, storeOptions(cfg))
	if err != nil || st.Pages() != hosts*(pages+1) || st.Running() != 0 || !stats.Finished() {
		t.Errorf("%+v, %v", st, err)
	}
}

// A worker that joins has the settings of the crawl, adds its own start URLs, and cannot have
// other settings.
func TestJoined(t *testing.T) {
	t.Parallel()
	one, two := wide(t, "127.0.0.1", 1), wide(t, "127.0.0.2", 1)
	cfg := sharedConfig(t, one.url+"/")
	cfg.Scope.MaxDepth, cfg.Fetch.Retries = 7, 1
	if _, err := JoinConfig(t.Context(), cfg, nil); !errors.Is(err, redisstore.ErrNotFound) {
		t.Errorf("before it is made: %v", err)
	}
	runCrawl(t, workerConfig(t, cfg, "w1"), nil)

	bare := Default()
	bare.Sharing.Frontier, bare.Sharing.CrawlName, bare.Output.Dir, bare.Limits.Concurrency, bare.URLs = cfg.Sharing.Frontier, cfg.Sharing.CrawlName, "elsewhere", 3, []string{two.url + "/"}
	bare.Fetch.AllowAddr = cfg.Fetch.AllowAddr
	got, err := JoinConfig(t.Context(), bare, func(key string) bool { return key == "output" || key == "concurrency" })
	want := cfg
	want.URLs = []string{one.url + "/", two.url + "/"}
	want.Output.Dir, want.Limits.Concurrency, want.Sharing.WorkerName = "elsewhere", 3, ""
	want.Sharing.ExpectedURLs = bare.Sharing.ExpectedURLs
	if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%+v, %v\nwant %+v", got, err, want)
	}
	if _, err := JoinConfig(t.Context(), bare, func(key string) bool { return key == "max-depth" }); !errors.Is(err, ErrConfig) || !strings.Contains(err.Error(), "another max-depth,") {
		t.Errorf("another max-depth: %v", err)
	}
	empty := bare
	empty.Scope.Include, empty.Scope.Exclude, empty.Scope.DropParams = []string{}, []string{}, []string{} // as a file may have them
	lists := []string{"include", "exclude", "drop-params"}
	if _, err := JoinConfig(t.Context(), empty, func(key string) bool { return slices.Contains(lists, key) }); err != nil {
		t.Errorf("empty lists: %v", err)
	}
	// The same is said without Joined.
	bare.Output.Dir = filepath.Join(t.TempDir(), "w2")
	refuses(t, bare, nil, ErrConfig, "max-depth")
	got.Output.Dir, got.Sharing.WorkerName = filepath.Join(t.TempDir(), "w3"), "w3"
	if crawl := runCrawl(t, got, nil); !slices.Equal(crawl.paths(""), []string{two.url + "/", two.url + "/0"}) {
		t.Errorf("pages %v", crawl.paths(""))
	}
}

// A worker that allows other addresses is refused, since it would skip URLs that the others
// fetch. The spelling of addresses does not matter.
func TestSharedCrawlAllowsTheSameAddresses(t *testing.T) {
	t.Parallel()
	one, two := wide(t, "127.0.0.1", 1), wide(t, "127.0.0.2", 1)
	cfg := sharedConfig(t, one.url+"/", two.url+"/")
	cfg.Fetch.AllowAddr = []string{"127.0.0.2", "127.0.0.1/32"}
	runCrawl(t, workerConfig(t, cfg, "w1"), nil)
	asked := len(one.requests()) + len(two.requests())
	for _, allowed := range [][]string{nil, {"127.0.0.1"}, {"127.0.0.0/8"}} {
		other := workerConfig(t, cfg, "w2")
		other.Fetch.AllowAddr = allowed
		const want = `the crawl "news" allows connections to 127.0.0.1/32,127.0.0.2/32; join or resume it with --allow-addr 127.0.0.1/32,127.0.0.2/32`
		if _, err := JoinConfig(t.Context(), other, nil); !errors.Is(err, ErrConfig) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v", allowed, err)
		}
		refuses(t, other, nil, ErrConfig, want)
	}
	same := workerConfig(t, cfg, "w3")
	same.Fetch.AllowAddr = []string{"127.0.0.1", "127.0.0.2/32", "127.0.0.1"}
	if _, err := JoinConfig(t.Context(), same, nil); err != nil {
		t.Error(err)
	}
	runCrawl(t, same, nil)
	if n := len(one.requests()) + len(two.requests()); n != asked {
		t.Errorf("%d requests by those that joined a finished crawl", n-asked)
	}
	same.Fetch.AllowAddr = []string{"localhost"}
	if _, err := JoinConfig(t.Context(), same, nil); !errors.Is(err, ErrConfig) || !strings.Contains(err.Error(), "neither an IP address") {
		t.Errorf("no address: %v", err)
	}
}

// Limits apply to all workers together.
func TestSharedLimits(t *testing.T) {
	t.Parallel()
	a, b := wide(t, "127.0.0.1", 60), wide(t, "127.0.0.2", 60)
	for name, tt := range map[string]struct {
		set   func(*Config)
		check func(all []*crawl) bool
	}{
		"max-pages": {
			func(c *Config) { c.Limits.MaxPages = 50 },
			func(all []*crawl) bool {
				return len(allPages(all)) == 50 && all[0].End == EndMaxPages && all[1].End == EndMaxPages
			},
		},
		"max-host-pages": {
			func(c *Config) { c.Limits.MaxHostPages = 20 },
			func(all []*crawl) bool {
				return len(allPages(all)) == 40 && all[0].End == EndFinished && all[0].Rejected[output.MaxHostPages]+all[1].Rejected[output.MaxHostPages] == 82
			},
		},
		// One that is in flight when the limit is met, and what the other had not told.
		"max-bytes": {
			func(c *Config) { c.Limits.MaxBytes, c.Politeness.Delay = 4000, 100*time.Millisecond },
			func(all []*crawl) bool {
				n := all[0].Bytes + all[1].Bytes
				return n >= 4000 && n < 8000 && all[0].End == EndMaxBytes && all[1].End == EndMaxBytes
			},
		},
		"max-time": {
			func(c *Config) { c.Limits.MaxTime, c.Politeness.Delay = 2*time.Second, 100*time.Millisecond },
			func(all []*crawl) bool {
				return all[0].End == EndMaxTime && all[1].End == EndMaxTime && time.Duration(all[0].Duration) < 6*time.Second
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := sharedConfig(t, a.url+"/", b.url+"/")
			cfg.Sharing.CrawlName, cfg.Limits.Concurrency = name, 4
			tt.set(&cfg)
			all := together(t, workerConfig(t, cfg, "w1"), workerConfig(t, cfg, "w2"))
			if !tt.check(all) {
				t.Errorf("%d pages, %+v, %+v", len(allPages(all)), all[0].Summary, all[1].Summary)
			}
		})
	}
}

// A changed limit of a resumed worker applies to all workers; other settings stay.
func TestSharedResume(t *testing.T) {
	t.Parallel()
	s := wide(t, "127.0.0.1", 20)
	cfg := sharedConfig(t, s.url+"/")
	cfg.Limits.MaxPages = 5
	one, two := workerConfig(t, cfg, "w1"), workerConfig(t, cfg, "w2")
	runCrawl(t, one, nil)
	if got := runCrawl(t, two, nil); got.End != EndMaxPages || got.Pages != 0 {
		t.Errorf("joined after the limit: %+v", got.Summary)
	}
	two.Scope.MaxDepth = 3
	refuses(t, two, &Options{Resume: true}, ErrConfig, "max-depth")
	two.Scope.MaxDepth, two.Limits.MaxPages = cfg.Scope.MaxDepth, 8
	var resumed *Crawler
	remaining := -1
	got := runChanged(t, two, &Options{Resume: true, OnStart: func() { remaining = statusOf(t, resumed).Remaining }}, func(c *Crawler) { resumed = c })
	if got.End != EndMaxPages || got.Pages != 3 || remaining != 16 {
		t.Errorf("with more pages: %+v, %d URLs remaining at the start", got.Summary, remaining)
	}
	if got := resume(t, one, nil); got.End != EndMaxPages || got.Pages != 5 {
		t.Errorf("the other: %+v", got.Summary)
	}
	one.Limits.MaxPages = 8 // which it learned then
	got = resume(t, one, func(c *Config) { c.Limits.MaxPages = 0 })
	if got.End != EndFinished || got.Pages != 18 || len(s.asked()) != 21 {
		t.Errorf("to the end: %+v, asked %d", got.Summary, len(s.asked()))
	}
}

// Stop stops all workers of a crawl, and the crawl can be resumed.
func TestStopShared(t *testing.T) {
	t.Parallel()
	s := wide(t, "127.0.0.1", 20)
	cfg := sharedConfig(t, s.url+"/")
	cfg.Politeness.Delay = 100 * time.Millisecond
	one, two := workerConfig(t, cfg, "w1"), workerConfig(t, cfg, "w2")
	var started, work sync.WaitGroup
	started.Add(2)
	all := make([]*crawl, 2)
	for i, cfg := range []Config{one, two} {
		work.Go(func() { all[i] = runCrawl(t, cfg, &Options{OnStart: started.Done}) })
	}
	work.Go(func() {
		started.Wait()
		waitFor(func() bool { return len(s.asked()) >= 3 })
		if err := redisstore.Delete(t.Context(), cfg.Sharing.Frontier, storeOptions(cfg)); !errors.Is(err, redisstore.ErrInUse) {
			t.Errorf("deleting what is at work: %v", err)
		}
		if _, err := shared.Stop(t.Context(), cfg.Sharing.Frontier, storeOptions(cfg)); err != nil {
			t.Error(err)
		}
	})
	work.Wait()
	for _, c := range all {
		if c.End != EndStopped || c.Remaining == 0 {
			t.Errorf("%+v", c.Summary)
		}
	}
	for i, cfg := range []Config{one, two} {
		all[i] = resume(t, cfg, nil)
	}
	if got := allPages(all); len(got) != 21 || len(s.asked()) != 21 {
		t.Errorf("%d pages, asked for %d", len(got), len(s.asked()))
	}
	if err := redisstore.Delete(t.Context(), cfg.Sharing.Frontier, storeOptions(cfg)); err != nil {
		t.Error(err)
	}
	refuses(t, one, &Options{Resume: true}, ErrFrontierLost, "")
}

// A directory belongs to one process, and a name to one worker.
func TestSharedDirectoryIsLocked(t *testing.T) {
	t.Parallel()
	s := wide(t, "127.0.0.1", 30)
	cfg := workerConfig(t, sharedConfig(t, s.url+"/"), "w1")
	cfg.Politeness.Delay = 50 * time.Millisecond
	ctx, cancel := context.WithCancel(t.Context())
	opts := &Options{OnStart: func() {
		defer cancel()
		second, err := New(cfg, &Options{Resume: true})
		if err != nil {
			t.Error(err)
			return
		}
		if _, err := second.Run(t.Context()); !errors.Is(err, logstore.ErrInUse) {
			t.Errorf("a second process in the directory: %v", err)
		}
	}}
	c := newCrawler(t, cfg, opts)
	if sum, err := c.Run(ctx); err != nil || sum.End != EndInterrupted {
		t.Errorf("%+v, %v", sum, err)
	}
}

// A password in the address is refused, and an invalid address is not connected to.
func TestSharedAddress(t *testing.T) {
	cfg := testConfig(t, "http://example.com/")
	for addr, want := range map[string]string{
		"redis://user:secret@host":  "process list",
		"redis://:sec%zzret@host":   "redis://host:port",
		"http://host":               "redis://host:port",
		"redis://host?what=secret2": "redis://host:port",
	} {
		cfg.Sharing.Frontier = addr
		err := cfg.Validate()
		if !errors.Is(err, ErrConfig) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", addr, err)
		}
	}
	cfg.Sharing.Frontier, cfg.Sharing.CrawlName = "redis://host", "what is it"
	if err := cfg.Validate(); !errors.Is(err, ErrConfig) || !strings.Contains(err.Error(), "crawl-name") {
		t.Error(err)
	}
}

// The directory of a worker is refused for another crawl of any name, and for another worker.
func TestResumeIntoAnotherCrawl(t *testing.T) {
	t.Parallel()
	s := wide(t, "127.0.0.1", 5)
	cfg := sharedConfig(t, s.url+"/")
	one := workerConfig(t, cfg, "w1")
	runCrawl(t, one, nil)
	twin := one
	twin.Output.Dir = filepath.Join(t.TempDir(), "twin")
	refuses(t, twin, nil, ErrConfig, `has one called "w1"`)

	renamed := one
	renamed.Sharing.CrawlName = "else"
	refuses(t, renamed, &Options{Resume: true}, ErrConfig, "crawl-name")
	must(t, redisstore.Delete(t.Context(), cfg.Sharing.Frontier, storeOptions(cfg)))
	refuses(t, one, &Options{Resume: true}, ErrFrontierLost, "no such crawl")
	runCrawl(t, workerConfig(t, cfg, "w2"), nil)
	refuses(t, one, &Options{Resume: true}, ErrFrontierLost, "is not the one")

	alone := testConfig(t, s.url+"/")
	runCrawl(t, alone, nil)
	alone.Sharing.Frontier, alone.Sharing.CrawlName = cfg.Sharing.Frontier, cfg.Sharing.CrawlName
	refuses(t, alone, &Options{Resume: true}, ErrConfig, "has its own")
}

// A shared crawl of another version is refused with advice. Its directory and its data in Redis
// are not changed.
func TestSharedCrawlOfAnotherFormatIsUnchanged(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	s := newSite(t, "127.0.0.1", map[string]string{"/": `<a href="/a">a</a>`, "/a": "a"})
	cfg := workerConfig(t, sharedOn(t, server.URL(), s.url+"/"), "w1")
	cfg.Limits.MaxPages = 1
	runCrawl(t, cfg, nil)
	server.Do(t, "HSET", "politecrawl:"+cfg.Sharing.CrawlName+":{all}:meta", "format", "1")
	must(t, os.WriteFile(filepath.Join(cfg.Output.Dir, run.FrontierDir, "OWNER"), []byte("1\n"), 0o600))
	before, keys := contents(t, cfg.Output.Dir), server.Do(t, "DBSIZE")
	for _, opts := range []*Options{{Resume: true}, {Recrawl: true}} {
		refuses(t, cfg, opts, redisstore.ErrFormat, "finish the crawl with the version of the program that began it")
	}
	if diff := cmp.Diff(before, contents(t, cfg.Output.Dir)); diff != "" {
		t.Errorf("the directory has changed (-before +after):\n%s", diff)
	}
	if after := server.Do(t, "DBSIZE"); after != keys {
		t.Errorf("the server has %s keys, before %s", after, keys)
	}
}

// contents returns the files below a directory by name.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := make(map[string]string)
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(dir, name))
		all[name] = string(data)
		return err
	})
	must(t, err)
	return all
}

// Each worker requests its own URLs again, concurrently or one after the other, and robots.txt
// too.
func TestSharedRecrawl(t *testing.T) {
	t.Parallel()
	a, b := wide(t, "127.0.0.1", 10), wide(t, "127.0.0.2", 10)
	cfg := sharedConfig(t, a.url+"/", b.url+"/")
	cfg.Politeness.Delay = 20 * time.Millisecond
	cfgs := []Config{workerConfig(t, cfg, "w1"), workerConfig(t, cfg, "w2")}
	first := together(t, cfgs...)
	pages := allPages(first)
	for round := 2; round < 4; round++ {
		all := make([]*crawl, len(cfgs))
		var work sync.WaitGroup
		for i, cfg := range cfgs {
			again := func() { all[i] = runCrawl(t, cfg, &Options{Recrawl: true}) }
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

// storeOptions returns the options of redisstore for cfg.
func storeOptions(cfg Config) *redisstore.Options {
	store := cfg.Sharing.crawl().Store
	return &store
}

// sharedOn returns the configuration of a crawl on a Redis server.
func sharedOn(t testing.TB, url string, urls ...string) Config {
	t.Helper()
	cfg := testConfig(t, urls...)
	cfg.Sharing.Frontier, cfg.Sharing.CrawlName, cfg.Sharing.ExpectedURLs = url, "news", 10_000
	return cfg
}
