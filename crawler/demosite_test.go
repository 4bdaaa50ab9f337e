package crawler

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/demosite"
	"github.com/politecrawl/politecrawl/crawler/internal/results"
	"github.com/politecrawl/politecrawl/crawler/internal/testserver"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// The demo site knows what a polite crawl does. Its own requests decide, not the files of the
// crawl.
func TestDemoSite(t *testing.T) {
	tests := []struct {
		name   string
		token  string
		change func(*Config)
	}{
		{"ROB-POL-01, ROB-POL-02: delay 20 ms", "politecrawl", func(c *Config) { c.Politeness.Delay = 20 * time.Millisecond }},
		{"no delay, one worker, another name", "OtherBot", func(c *Config) { c.Limits.Concurrency, c.Fetch.UserAgent = 1, "OtherBot/1.0" }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			site := startDemoSite(t, 10*time.Millisecond)
			cfg := testConfig(t, site.StartURLs()...)
			cfg.Robots.Retry, cfg.Limits.MaxWait, cfg.Fetch.Retries = time.Second, time.Minute, 3
			tt.change(&cfg)
			got := runCrawl(t, cfg, nil)
			judge(t, site, cfg, tt.token, got)
		})
	}
}

func judge(t *testing.T, site *demosite.Site, cfg Config, token string, got *crawl) {
	report := site.Judge(cfg.Politeness.Delay, token)
	for _, v := range slices.Concat(report.Violations, report.Warnings) {
		t.Errorf("violation: %v", v)
	}
	want := wantFound(t, site, cfg, token, report)
	robots := 0
	for _, n := range want.Robots {
		robots += n
	}
	if got.End != EndFinished || got.Remaining != 0 || got.Pages != len(want.Pages) || got.Robots != robots {
		t.Errorf("summary %+v, want %d pages and %d robots.txt", *got.Summary, len(want.Pages), robots)
	}
	t.Logf("%d requests in %v", report.Requests, got.Duration)
}

// wantFound checks the requests and files of a crawl of the demo site, and returns the
// expectation.
func wantFound(t *testing.T, site *demosite.Site, cfg Config, token string, report demosite.Report) demosite.Expectation {
	t.Helper()
	for _, url := range report.Missing {
		t.Errorf("not requested: %s", url)
	}
	want := site.Expected(token)
	unescape := strings.NewReplacer("%7E", "~").Replace // the crawl keeps the spelling of a link, Expected does not
	var pages, rejected, wantRejected []string
	for _, p := range readOutput[output.Page](t, cfg, "pages.jsonl") {
		pages = append(pages, unescape(p.URL))
	}
	for _, r := range readOutput[output.Rejection](t, cfg, "rejected.jsonl") {
		rejected = append(rejected, fmt.Sprintln(unescape(r.URL), r.Reason, r.Rule, r.Line))
	}
	for _, r := range want.Rejected {
		wantRejected = append(wantRejected, fmt.Sprintln(r.URL, r.Reason, r.Rule, r.Line))
	}
	if diff := cmp.Diff(want.Pages, sorted(pages)); diff != "" {
		t.Errorf("pages.jsonl (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(sorted(wantRejected), sorted(rejected)); diff != "" {
		t.Errorf("rejected.jsonl (-want +got):\n%s", diff)
	}
	return want
}

// startDemoSite starts the demo site, and stops it after the test.
func startDemoSite(t *testing.T, crawlDelay time.Duration) *demosite.Site {
	t.Helper()
	site, err := demosite.Start(&demosite.Options{CrawlDelay: crawlDelay})
	must(t, err)
	t.Cleanup(func() {
		if err := site.Close(); err != nil {
			t.Error(err)
		}
	})
	return site
}

// crawlEnv makes this test binary crawl with the configuration in it, or resume its directory. It
// prints "begun" when the crawl has started.
const crawlEnv = "POLITECRAWL_TEST_CRAWL"

func crawlAsChild(config string) error {
	var cfg Config
	if err := json.Unmarshal([]byte(config), &cfg); err != nil {
		return err
	}
	opts := &Options{OnStart: func() { fmt.Println("begun") }, Formats: []output.Format{listFormat}}
	saved, err := LoadConfig(cfg.Output.Dir)
	switch {
	case err == nil:
		cfg, opts.Resume = saved, true
	case !errors.Is(err, output.ErrNoCrawl):
		return err
	}
	c, err := New(cfg, opts)
	if err != nil {
		return err
	}
	sum, err := c.Run(context.Background())
	if err == nil && sum.End != EndFinished {
		err = fmt.Errorf("ended: %s", sum.End)
	}
	return err
}

// child starts a process that crawls, and returns when it has started or ended.
func child(t testing.TB, cfg Config) (cmd *exec.Cmd, said *bytes.Buffer) {
	t.Helper()
	config, err := json.Marshal(cfg)
	must(t, err)
	cmd = exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), crawlEnv+"="+string(config))
	said = new(bytes.Buffer)
	cmd.Stderr = said
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	_, _ = io.ReadFull(out, make([]byte, len("begun\n"))) // it may end before
	return cmd, said
}

// A crawl of the demo site is killed 50 times at random moments and resumed. Its requests and
// files are those of a crawl that was never killed, except for aborted requests.
func TestKill(t *testing.T) {
	if testing.Short() {
		t.Skip("it kills a crawl 50 times")
	}
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 0))
	t.Logf("seed %d", seed)
	for kills := 50; kills > 0; { // on a slow machine a crawl may come to its end before
		kills -= killCrawl(t, kills, random)
	}
}

// killCrawl crawls the demo site and kills the crawl up to a number of times, judges it, and returns how often it
// was killed.
func killCrawl(t *testing.T, kills int, random *rand.Rand) (killed int) {
	t.Helper()
	site := startDemoSite(t, 60*time.Millisecond)
	cfg := testConfig(t, site.StartURLs()...)
	cfg.Politeness.Delay, cfg.Robots.Retry, cfg.Limits.MaxWait, cfg.Fetch.Retries = 40*time.Millisecond, 300*time.Millisecond, time.Minute, 3
	cfg.Output.AlsoWrite = []string{"list"}
	var moments []time.Time
	for {
		cmd, said := child(t, cfg)
		if killed < kills {
			live(site, random)
			moments = append(moments, time.Now())
			if err := cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
				t.Fatal(err)
			}
		}
		err := cmd.Wait()
		if err == nil {
			break
		}
		if said.Len() > 0 {
			t.Fatalf("after %d kills: %v: %s", killed, err, said)
		}
		if killed++; killed > kills {
			t.Fatal(err)
		}
	}
	judgeKilled(t, site, cfg, moments)
	return killed
}

// live lets a crawl make some requests, or wait, and then returns at a random moment. It counts
// requests instead of time, since a killed crawl waits less.
func live(site *demosite.Site, random *rand.Rand) {
	requests := func() int { return site.Judge(0, "politecrawl").Requests }
	enough := requests() + random.IntN(5)
	for end := time.Now().Add(450 * time.Millisecond); requests() < enough && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	time.Sleep(time.Duration(random.Int64N(int64(20 * time.Millisecond))))
}

// judgeKilled checks a crawl that was killed. It may have requested URLs again, and does not know
// responses that were in flight.
func judgeKilled(t *testing.T, site *demosite.Site, cfg Config, kills []time.Time) {
	report := site.Judge(cfg.Politeness.Delay, "politecrawl")
	for _, v := range report.Violations {
		unheard := slices.ContainsFunc(kills, func(at time.Time) bool {
			since := at.Sub(v.Earlier.End)
			return -20*time.Millisecond < since && since < 100*time.Millisecond // a busy machine may take so long to write it down
		})
		// It did not hear the robots.txt with the longer delay either.
		unlearnt := v.Kind == testserver.TooSoon && v.Earlier.URI == "/robots.txt" && v.Request.Start.Sub(v.Earlier.End) >= cfg.Politeness.Delay
		if !unheard || v.Kind != testserver.BeforeRetryAfter && !unlearnt {
			t.Errorf("violation: %v", v)
		}
	}
	repeated := 0
	for _, v := range report.Warnings {
		if v.Kind == testserver.Repeated {
			repeated++
		} else {
			t.Errorf("violation: %v", v)
		}
	}
	wantFound(t, site, cfg, "politecrawl", report)
	sameInSink(t, cfg, true)
	for _, name := range []string{"pages.jsonl", "rejected.jsonl", "sitemaps.jsonl", "robots.jsonl", results.JournalFile} {
		b, err := os.ReadFile(filepath.Join(cfg.Output.Dir, name))
		if err != nil || !strings.HasSuffix(string(b), "\n") {
			t.Errorf("%s does not end with a whole line: %v", name, err)
		}
	}
	t.Logf("%d requests, %d of them repeated", report.Requests, repeated)
}

// A crawl that is killed while it reads a large sitemap queues each entry once. It requests the
// file again, since it was not finished.
func TestKillInSitemap(t *testing.T) {
	if testing.Short() {
		t.Skip("it kills a crawl in a sitemap of 20,000 entries")
	}
	const entries = 20_000
	pause, asked := make(chan struct{}), make(chan struct{}, 10)
	s := newSite(t, "127.0.0.1", map[string]string{"/robots.txt": "Sitemap: {site}/map.txt\nUser-agent: *\nDisallow: /e/\n"})
	s.handle("/map.txt", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		for i := range entries {
			if i == entries/2 {
				_ = http.NewResponseController(w).Flush()
				asked <- struct{}{}
				<-pause
			}
			_, _ = fmt.Fprintf(w, "http://%s/e/%d\n", r.Host, i)
		}
	})
	cfg := testConfig(t, s.url+"/")
	cmd, _ := child(t, cfg)
	<-asked
	must(t, cmd.Process.Kill())
	_ = cmd.Wait()
	close(pause)
	if cmd, said := child(t, cfg); cmd.Wait() != nil {
		t.Fatal(said)
	}
	listed := make(map[string]int)
	for _, r := range readOutput[output.Rejection](t, cfg, "rejected.jsonl") {
		listed[r.URL]++
	}
	for i := range entries {
		if u := fmt.Sprintf("%s/e/%d", s.url, i); listed[u] != 1 {
			t.Fatalf("%s is listed %d times", u, listed[u])
		}
	}
	if len(listed) != entries || s.count("/map.txt") != 2 || s.count("/robots.txt") != 1 {
		t.Errorf("%d URLs, sitemap asked for %d times, robots.txt %d times", len(listed), s.count("/map.txt"), s.count("/robots.txt"))
	}
	for i, m := range readOutput[output.Sitemap](t, cfg, "sitemaps.jsonl") {
		if i > 0 || m.Pages != entries {
			t.Errorf("%s, line %d: %+v", "sitemaps.jsonl", i+1, m)
		}
	}
}
