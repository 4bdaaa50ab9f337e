package crawler

import (
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/provenance"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// skipEvents is a sink that remembers what it is told of URLs that are skipped.
type skipEvents struct {
	mu     sync.Mutex // guards events
	events []string
}

func (s *skipEvents) format() output.Format {
	return output.Format{Open: func(string, []byte) (output.Sink, error) { return s, nil }}
}

func (s *skipEvents) Write(f *output.Found) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for kind, list := range map[string][]*output.Rejection{"skipped": f.Skipped, "withdrawn": f.Withdrawn, "line": f.Rejected} {
		for _, r := range list {
			event := fmt.Sprint(kind, " ", r.Reason, " ", r.URL)
			if r.Announced {
				event += ", announced"
			}
			s.events = append(s.events, event)
		}
	}
	return nil
}

func (s *skipEvents) Commit(bool) ([]byte, error) { return nil, nil }
func (s *skipEvents) Close() error                { return nil }

// sorted returns the events so far.
func (s *skipEvents) sorted() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(slices.Values(s.events))
}

// statusOf returns how a crawl is getting on.
func statusOf(t *testing.T, c *Crawler) *Status {
	t.Helper()
	s, err := c.Status()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// gated is a site that answers two of its pages when a test says so.
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

// URLs that are skipped where they are found are counted and told at once, each once. One
// that is taken up after all, or is skipped for another reason then, counts no more for
// the first.
func TestSkippedURLsAreCountedAtOnce(t *testing.T) {
	s := newGated(t)
	s.page("/1", `<a href="/deep">1</a><a href="/deep">1</a><a rel=nofollow href="/no">2</a><a href="http://other.invalid/">3</a>
		<a href="/2">a start URL</a><a rel=nofollow href="/2">again</a><a href="http://[/">4</a>`)
	s.page("/twice", `<a href="/deep">1</a><a rel=nofollow href="/no">2</a><a href="http://other.invalid/">3</a>`)
	s.handle("/2", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/deep", http.StatusFound) })
	s.page("/3", `<a href="/no">not too deep for nofollow</a>`)
	s.page("/deep", "reached by a redirect")
	cfg := testConfig(t, s.url+"/1", s.url+"/twice", s.url+"/gate1", s.url+"/2", s.url+"/3", s.url+"/gate2")
	cfg.Workers, cfg.MaxDepth = 1, 0
	told := &skipEvents{}
	c, err := New(cfg, &Options{Formats: []output.Format{told.format()}})
	if err != nil {
		t.Fatal(err)
	}
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
		"skipped depth " + s.url + "/deep", "skipped invalid " + bad, "skipped nofollow " + s.url + "/no", "skipped out-of-scope http://other.invalid/",
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
	check("at once", statusOf(t, c).Rejected, map[output.Reason]int{output.TooDeep: 1, output.Nofollow: 1, output.OutOfScope: 1, output.Invalid: 1})
	close(s.open["/gate1"])

	<-s.reached["/gate2"]
	events = append(events, "withdrawn depth "+s.url+"/deep", "withdrawn nofollow "+s.url+"/no", "skipped depth "+s.url+"/no")
	final := map[output.Reason]int{output.TooDeep: 1, output.OutOfScope: 1, output.Invalid: 1}
	check("later", statusOf(t, c).Rejected, final)
	close(s.open["/gate2"])

	sum := <-over
	events = append(events,
		"line depth "+s.url+"/no, announced", "line out-of-scope http://other.invalid/, announced", "line invalid "+bad+", announced")
	check("in the end", sum.Rejected, final)
	lines := make(map[output.Reason]int)
	for _, r := range readOutput[output.Rejection](t, cfg, output.RejectedFile) {
		lines[r.Reason]++
	}
	if !maps.Equal(lines, final) || sum.Pages != 7 {
		t.Errorf("%d pages; rejected.jsonl has %v, want %v", sum.Pages, lines, final)
	}

	got := resume(t, cfg, func(c *Config) { c.MaxDepth = 1 })
	if want := (map[output.Reason]int{output.OutOfScope: 1, output.Invalid: 1}); !maps.Equal(got.Rejected, want) || got.Pages != 8 {
		t.Errorf("with another limit: %d pages, rejected %v, want %v", got.Pages, got.Rejected, want)
	}
}

// A crawl that goes on counts what was skipped before from the beginning.
func TestSkippedURLsAreCountedOnResume(t *testing.T) {
	s := newGated(t)
	s.page("/", `<a rel=nofollow href="/no">1</a><a rel=nofollow href="/yes">2</a><a href="/yes">2</a><a href="http://other.invalid/">3</a><a href="/gate1">4</a><a href="/gate2">5</a>`)
	s.page("/yes", `<a rel=nofollow href="/">known</a>`)
	cfg := testConfig(t, s.url+"/")
	cfg.Workers, cfg.MaxPages = 1, 2
	close(s.open["/gate1"])
	close(s.open["/gate2"])
	want := map[output.Reason]int{output.Nofollow: 1, output.OutOfScope: 1}
	if got := run(t, cfg, nil); !maps.Equal(got.Rejected, want) || got.End != EndMaxPages {
		t.Fatalf("%+v", got.Summary)
	}
	cfg.MaxPages = 0
	var c *Crawler
	var begun map[output.Reason]int
	c, err := New(cfg, &Options{Resume: true, Begun: func() { begun = statusOf(t, c).Rejected }})
	if err != nil {
		t.Fatal(err)
	}
	sum, err := c.Run(t.Context())
	if err != nil || !maps.Equal(begun, want) || !maps.Equal(sum.Rejected, want) || sum.Pages != 4 {
		t.Errorf("%v: %d pages; rejected %v when it began, %v in the end, want %v", err, sum.Pages, begun, sum.Rejected, want)
	}
}

// Whichever comes first, that a URL is put aside or that it is added to the frontier: in the
// end it does not count, and no moment counts it twice.
func TestSkippedURLInTheFrontier(t *testing.T) {
	const page = "http://a.test/x"
	key := provenance.SitemapKey(page, "http://a.test")
	listed := provenance.Provenance{Source: provenance.Sitemap, SitemapOf: "http://a.test"}
	skip := func(reason output.Reason, t provenance.Provenance) []left {
		return []left{{rejection: output.Rejection{URL: page, Reason: reason, Depth: 1}, item: frontier.Item{URL: page, Meta: t.Encode()}}}
	}
	found := provenance.Provenance{Source: provenance.Link}
	add := func(s *aside, url string) { s.added([]frontier.Item{{URL: url}}) }
	for _, tt := range []struct {
		name  string
		known bool
		asked func(s *aside) // while the frontier answers
		then  func(t *testing.T, s *aside)
		want  []string
	}{
		{name: "it is not there", want: []string{"depth 1"}},
		{name: "it was there", known: true},
		{name: "it is added while the frontier is asked", asked: func(s *aside) { add(s, page) }},
		{name: "it is added later, twice", then: func(_ *testing.T, s *aside) { add(s, page); add(s, page) }, want: []string{"depth 1", "depth -1"}},
		{name: "a sitemap of the URL is added", then: func(_ *testing.T, s *aside) { add(s, key) }, want: []string{"depth 1"}},
		{name: "it is skipped twice", want: []string{"depth 1"}, then: func(t *testing.T, s *aside) {
			if err := s.put(append(skip(output.TooDeep, found), skip(output.Nofollow, found)...)); err != nil {
				t.Error(err)
			}
		}},
		{name: "it is taken", want: []string{"depth 1", "depth -1"}, then: func(t *testing.T, s *aside) {
			if err := s.take(func(left) bool { return true }, func([]left) error { return nil }); err != nil {
				t.Error(err)
			}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			j, err := openJournal(filepath.Join(t.TempDir(), journalFile), false)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = j.close() }()
			s := newAside(j, func(a weburl.URL) string { return a.Canonical })
			var got []string
			s.counted = func(r *output.Rejection, change int) { got = append(got, fmt.Sprint(r.Reason, " ", change)) }
			s.inFrontier = func(urls []string) ([]bool, error) {
				if tt.asked != nil {
					tt.asked(s)
				}
				return slices.Repeat([]bool{tt.known}, len(urls)), nil
			}
			if err := s.put(skip(output.TooDeep, found)); err != nil {
				t.Fatal(err)
			}
			if tt.then != nil {
				tt.then(t, s)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("counted (-want +got):\n%s", diff)
			}
		})
	}
	t.Run("a page of the URL of a sitemap is added", func(t *testing.T) {
		j, err := openJournal(filepath.Join(t.TempDir(), journalFile), false)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = j.close() }()
		s, counted := newAside(j, func(a weburl.URL) string { return a.Canonical }), 0
		s.counted = func(_ *output.Rejection, change int) { counted += change }
		if err := s.put(skip(output.NotEntitled, listed)); err != nil {
			t.Fatal(err)
		}
		for _, step := range []struct {
			url  string
			want int
		}{{page, 1}, {key, 0}} {
			if add(s, step.url); counted != step.want {
				t.Errorf("%d count when %s is added, want %d", counted, step.url, step.want)
			}
		}
	})
}
