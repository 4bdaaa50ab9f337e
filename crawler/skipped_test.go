package crawler

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/provenance"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// skipEvents is a sink that records events of skipped URLs.
type skipEvents struct {
	mu     sync.Mutex // guards events
	events []string
}

func (s *skipEvents) add(f *output.Results) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for kind, list := range map[string][]*output.Rejection{"skipped": f.Provisional, "line": f.Rejected} {
		for _, r := range list {
			event := fmt.Sprint(kind, " ", r.Reason, " ", r.URL)
			if r.WasProvisional {
				event += ", announced"
			}
			s.events = append(s.events, event)
		}
	}
}

// sorted returns the events so far.
func (s *skipEvents) sorted() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(slices.Values(s.events))
}

// statusOf returns the status of a crawl.
func statusOf(t *testing.T, c *Crawler) *Status {
	t.Helper()
	s, err := c.Status()
	must(t, err)
	return s
}

// gated is a site that responds to two of its pages when the test allows it.
type gated struct {
	*site
	reached, open map[string]chan struct{}
}

func newGated(t *testing.T) *gated {
	s := &gated{site: newSite(t, "127.0.0.1", nil), reached: make(map[string]chan struct{}), open: make(map[string]chan struct{})}
	for _, path := range []string{"/gate1", "/gate2"} {
		reached, open := make(chan struct{}), make(chan struct{})
		s.reached[path], s.open[path] = reached, open
		s.handle(path, func(http.ResponseWriter, *http.Request) {
			close(reached)
			<-open
		})
	}
	return s
}

// Skipped URLs are counted and reported at once, each once. At the end, only those count that no other
// link has led to.
func TestSkippedURLsAreCountedAtOnce(t *testing.T) {
	s := newGated(t)
	s.page("/1", `<a href="/deep">1</a><a href="/deep">1</a><a rel=nofollow href="/no">2</a><a href="http://other.invalid/">3</a>
		<a href="/2">a start URL</a><a rel=nofollow href="/2">again</a><a href="http://[/">4</a>`)
	s.page("/twice", `<a href="/deep">1</a><a rel=nofollow href="/no">2</a><a href="http://other.invalid/">3</a>`)
	s.handle("/2", redirect("/deep"))
	s.page("/3", `<a href="/no">not too deep for nofollow</a>`)
	s.page("/deep", "reached by a redirect")
	cfg := testConfig(t, s.url+"/1", s.url+"/twice", s.url+"/gate1", s.url+"/2", s.url+"/3", s.url+"/gate2")
	cfg.Limits.Concurrency, cfg.Scope.MaxDepth = 1, 0
	told := &skipEvents{}
	c := newCrawler(t, cfg, &Options{Formats: []output.Format{onWrite(told.add).format("")}})
	over := make(chan *Summary)
	go func() {
		sum, err := c.Run(t.Context())
		if err != nil {
			t.Error(err)
		}
		over <- sum
	}()
	bad := `http://[/`
	events := []string{
		"skipped max-depth " + s.url + "/deep", "skipped invalid-url " + bad, "skipped nofollow " + s.url + "/no", "skipped max-depth " + s.url + "/2",
		"skipped out-of-scope http://other.invalid/",
	}
	check := func(when string, got, want map[output.Reason]int) {
		t.Helper()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("rejected %s (-want +got):\n%s", when, diff)
		}
		if diff := cmp.Diff(slices.Sorted(slices.Values(events)), told.sorted()); diff != "" {
			t.Errorf("events %s (-want +got):\n%s", when, diff)
		}
	}
	<-s.reached["/gate1"]
	check("at once", statusOf(t, c).Rejected, map[output.Reason]int{output.MaxDepth: 2, output.Nofollow: 1, output.OutOfScope: 1, output.InvalidURL: 1})
	close(s.open["/gate1"])

	<-s.reached["/gate2"]
	final := map[output.Reason]int{output.MaxDepth: 1, output.OutOfScope: 1, output.InvalidURL: 1}
	check("later", statusOf(t, c).Rejected, map[output.Reason]int{output.MaxDepth: 3, output.OutOfScope: 1, output.InvalidURL: 1})
	close(s.open["/gate2"])

	sum := <-over
	events = append(events,
		"line max-depth "+s.url+"/no, announced", "line out-of-scope http://other.invalid/, announced", "line invalid-url "+bad+", announced")
	check("in the end", sum.Rejected, final)
	lines := make(map[output.Reason]int)
	for _, r := range readOutput[output.Rejection](t, cfg, "rejected.jsonl") {
		lines[r.Reason]++
	}
	if !maps.Equal(lines, final) || sum.Pages != 7 {
		t.Errorf("%d pages; rejected.jsonl has %v, want %v", sum.Pages, lines, final)
	}

	got := resume(t, cfg, func(c *Config) { c.Scope.MaxDepth = 1 })
	if want := (map[output.Reason]int{output.OutOfScope: 1, output.InvalidURL: 1}); !maps.Equal(got.Rejected, want) || got.Pages != 8 {
		t.Errorf("with another limit: %d pages, rejected %v, want %v", got.Pages, got.Rejected, want)
	}
}

// A resumed crawl includes earlier skipped URLs in its counts, and leaves out at the end those that were
// fetched.
func TestSkippedURLsAreCountedOnResume(t *testing.T) {
	s := newGated(t)
	s.page("/", `<a rel=nofollow href="/no">1</a><a rel=nofollow href="/yes">2</a><a href="/yes">2</a><a href="http://other.invalid/">3</a><a href="/gate1">4</a><a href="/gate2">5</a>`)
	s.page("/yes", `<a rel=nofollow href="/">known</a>`)
	cfg := testConfig(t, s.url+"/")
	cfg.Limits.Concurrency, cfg.Limits.MaxPages = 1, 2
	close(s.open["/gate1"])
	close(s.open["/gate2"])
	want := map[output.Reason]int{output.Nofollow: 1, output.OutOfScope: 1}
	if got := runCrawl(t, cfg, nil); !maps.Equal(got.Rejected, want) || got.End != EndMaxPages {
		t.Fatalf("%+v", got.Summary)
	}
	cfg.Limits.MaxPages = 0
	var c *Crawler
	var started map[output.Reason]int
	c = newCrawler(t, cfg, &Options{Resume: true, OnStart: func() { started = statusOf(t, c).Rejected }})
	sum, err := c.Run(t.Context())
	if err != nil || started[output.Nofollow] != 2 || started[output.OutOfScope] != 1 || !maps.Equal(sum.Rejected, want) || sum.Pages != 4 {
		t.Errorf("%v: %d pages; rejected %v at the start, %v at the end, want %v", err, sum.Pages, started, sum.Rejected, want)
	}
}

// An item of the frontier that cannot be read is rejected and logged, and the crawl continues.
func TestUnreadableFrontierItemIsRejected(t *testing.T) {
	t.Parallel()
	s := newSite(t, "127.0.0.1", map[string]string{"/": `<a href="/a">a</a>`, "/a": "a", "/map.xml": ""})
	listed := provenance.Provenance{Source: provenance.Sitemap, SitemapOf: "no origin"}
	f := frontier.NewMemory(nil)
	_, err := f.Add(t.Context(), []frontier.Item{
		{URL: s.url + "/edited", Meta: []byte("edited")},
		{Kind: provenance.KindSitemap, URL: s.url + "/map.xml", Meta: listed.Encode()},
		{Kind: provenance.KindSitemap, URL: "http://127.0.0.1:x/", Host: weburl.ServerOf(s.url), Meta: listed.Encode()},
	})
	must(t, err)
	log := &logLines{}
	got := runCrawl(t, testConfig(t, s.url+"/"), &Options{Frontier: f, Logger: log.logger()})
	if got.End != EndFinished || !slices.Equal(got.paths(s.url), []string{"/", "/a"}) || got.Rejected[output.InvalidURL] != 3 {
		t.Errorf("%+v", got.Summary)
	}
	details := make(map[string]string)
	for _, r := range got.rejected {
		details[r.URL] = r.Source + ": " + r.Detail
	}
	want := map[string]string{
		s.url + "/edited":     "link: the frontier holds an item that this version did not write",
		s.url + "/map.xml":    `sitemap: scope: "no origin" is not an absolute URL`,
		"http://127.0.0.1:x/": `sitemap: parse "http://127.0.0.1:x/": invalid port ":x" after host`,
	}
	if diff := cmp.Diff(want, details); diff != "" {
		t.Errorf("rejected (-want +got):\n%s", diff)
	}
	if n := len(log.named(t, "URL skipped")); n != 3 || log.named(t, "URL skipped")[0]["level"] != "WARN" {
		t.Errorf("%d lines in the log, want 3 warnings", n)
	}
	if s.count("/map.xml")+s.count("/edited") != 0 {
		t.Errorf("requested %v", s.asked())
	}
}
