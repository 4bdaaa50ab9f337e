package crawler

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// externalHosts is a site with links to ten URLs on each of many hosts. Two of these refuse HEAD,
// one is missing and one is disallowed.
type externalHosts struct {
	site  *site
	hosts []*site
}

func newExternalHosts(t *testing.T, n int) *externalHosts {
	t.Helper()
	e := &externalHosts{}
	pages := map[string]string{"/": ""}
	for i := range n {
		h := newSite(t, fmt.Sprintf("127.1.0.%d", i+1), map[string]string{"/robots.txt": "User-agent: *\nDisallow: /no\n"})
		h.mux.HandleFunc("/ok/", func(http.ResponseWriter, *http.Request) {})
		h.mux.HandleFunc("/get/", func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodHead {
				w.WriteHeader(http.StatusMethodNotAllowed)
			}
		})
		e.hosts = append(e.hosts, h)
		path := fmt.Sprintf("/%d", i)
		pages["/"] += fmt.Sprintf("<a href=%s>x</a>", path)
		for _, target := range h.targets() {
			pages[path] += fmt.Sprintf("<a href=%s%s>x</a>", h.url, target)
		}
		pages[path] += pages["/1"] // the second page repeats the links of the first, and so on
	}
	e.site = newSite(t, "127.0.0.1", pages)
	return e
}

// targets returns the paths that are linked.
func (s *site) targets() []string {
	return []string{"/ok/1", "/ok/2", "/ok/3", "/ok/4", "/ok/5", "/ok/6", "/get/1", "/get/2", "/gone", "/no"}
}

// config returns a configuration of a crawl with checks.
func (e *externalHosts) config(t *testing.T, delay time.Duration) Config {
	cfg := testConfig(t, e.site.url+"/")
	cfg.Scope.Check, cfg.Politeness.Delay, cfg.Politeness.ResponseFactor = []string{CheckExternal}, delay, 0
	cfg.Limits.MaxWait = time.Minute
	return cfg
}

// judge checks the requests to the hosts, and the lines of all directories. Extra requests may
// have been in flight at a kill.
func (e *externalHosts) judge(t *testing.T, delay time.Duration, extra int, dirs ...string) {
	t.Helper()
	want := []string{"GET /get/1", "GET /get/2", "GET /gone", "HEAD /get/1", "HEAD /get/2", "HEAD /gone", "HEAD /ok/1", "HEAD /ok/2", "HEAD /ok/3", "HEAD /ok/4", "HEAD /ok/5", "HEAD /ok/6"}
	results := make(map[string]output.CheckResult)
	for _, dir := range dirs {
		for _, c := range readOutput[output.Check](t, Config{Output: Output{Dir: dir}}, "checks.jsonl") {
			if results[c.URL] != "" {
				t.Errorf("%s has two lines", c.URL)
			}
			results[c.URL] = c.Result
		}
	}
	again := 0
	for _, h := range e.hosts {
		sent := sorted(h.linesOf(func(request) bool { return true }))
		again += len(sent) - len(want)
		if got := slices.Compact(sent); !slices.Equal(got, want) || extra == 0 && len(sent) != len(want) {
			t.Errorf("%s: requests %q", h.url, sent)
		}
		wantSpaced(t, h.requests(), delay)
		for _, path := range h.targets() {
			want := output.CheckOK
			switch path {
			case "/gone":
				want = output.CheckBroken
			case "/no":
				want = output.CheckUnverified
			}
			if got := results[h.url+path]; got != want {
				t.Errorf("%s%s is %q, want %q", h.url, path, got, want)
			}
		}
	}
	if again > extra {
		t.Errorf("%d requests were made again, at most %d may be", again, extra)
	}
}

// Each external URL is requested once, or twice if HEAD has no success, with the delay of its host, and
// none that is disallowed.
func TestExternalChecksOfManyHosts(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		const delay = time.Second
		e := newExternalHosts(t, 20)
		cfg := e.config(t, delay)
		cfg.Limits.Concurrency = 64
		got := runCrawl(t, cfg, nil)
		checksOf(t, cfg, got)
		e.judge(t, delay, 0, cfg.Output.Dir)
	})
}

// A killed crawl resumes its checks. Only those in flight are made again, and each has one line.
func TestKilledChecksAreResumed(t *testing.T) {
	t.Parallel()
	e := newExternalHosts(t, 8)
	cfg := e.config(t, 20*time.Millisecond)
	cfg.Limits.Concurrency = 4
	kills := 0
	for {
		cmd, said := child(t, cfg)
		before := e.requests()
		if kills < 2 {
			waitFor(func() bool { return e.requests() > before+25 })
			must(t, cmd.Process.Kill())
			_ = cmd.Wait()
			kills++
			continue
		}
		if err := cmd.Wait(); err != nil {
			t.Fatalf("%v: %s", err, said)
		}
		break
	}
	e.judge(t, cfg.Politeness.Delay, kills*2*cfg.Limits.Concurrency, cfg.Output.Dir)
}

// checksDone returns the number of checks of crawls.
func checksDone(crawls ...*crawl) (done int) {
	for _, c := range crawls {
		for _, n := range c.Checks {
			done += n
		}
	}
	return done
}

// requests returns the number of requests to all hosts.
func (e *externalHosts) requests() int {
	n := 0
	for _, h := range e.hosts {
		n += len(h.requests())
	}
	return n
}

// Workers of a shared crawl check each URL once together.
func TestSharedChecks(t *testing.T) {
	t.Parallel()
	e := newExternalHosts(t, 6)
	cfg := e.config(t, 0)
	shared := sharedConfig(t, e.site.url+"/")
	cfg.Sharing = shared.Sharing
	one, two := workerConfig(t, cfg, "w1"), workerConfig(t, cfg, "w2")
	if checks := checksDone(together(t, one, two)...); checks != 60 {
		t.Errorf("%d checks", checks)
	}
	e.judge(t, 0, 0, one.Output.Dir, two.Output.Dir)
}

// A recrawl of one worker makes its checks again, whichever worker finds them: one that joins then,
// or one that worked on the first crawl and is resumed. So does the recrawl of that worker later.
func TestSharedRecrawlChecksAgain(t *testing.T) {
	t.Parallel()
	for _, others := range []string{"joins", "resumes"} {
		t.Run(others, func(t *testing.T) {
			t.Parallel()
			e := newExternalHosts(t, 4)
			cfg := e.config(t, 20*time.Millisecond)
			cfg.Sharing = sharedConfig(t, e.site.url+"/").Sharing
			one, two := workerConfig(t, cfg, "w1"), workerConfig(t, cfg, "w2")
			runCrawl(t, one, nil)
			opts := &Options{Resume: others == "resumes"}
			if opts.Resume {
				runCrawl(t, two, nil) // nothing remains for it
			}
			var work sync.WaitGroup
			var again, other *crawl
			started := make(chan struct{})
			opts.OnStart = func() { close(started) }
			again = runCrawl(t, one, &Options{Recrawl: true, OnStart: func() {
				work.Go(func() { other = runCrawl(t, two, opts) })
				select {
				case <-started:
				case <-time.After(time.Minute): // the other failed
				}
			}})
			work.Wait()
			if checksDone(again, other) != 40 || checksDone(other) == 0 {
				t.Errorf("%d checks by the worker that recrawls, %d by the other, want 40 together", checksDone(again), checksDone(other))
			}
			// Its only page may be the first one, which has no links to other hosts.
			if third := runCrawl(t, two, &Options{Recrawl: true}); other.Pages > 1 && checksDone(third) < 10 {
				t.Errorf("a recrawl of %d pages makes %d checks", other.Pages, checksDone(third))
			}
		})
	}
}
