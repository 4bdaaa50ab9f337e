package report

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// endings returns workers that ended like this, each a page later than the one before.
func endings(shared bool, ends ...*CrawlEnd) []*crawl {
	var workers []*crawl
	for i, e := range ends {
		workers = append(workers, worker(func(c *crawl) {
			c.page("/"+strings.Repeat("x", i+1), output.Page{Source: "link"})
			c.pages[0].FetchedAt = at(10 * (i + 1))
			c.state["ended"] = e
			if e == nil {
				delete(c.state, "ended")
			}
			if !shared {
				config := c.state["config"].(map[string]any)
				delete(config, "frontier")
				delete(config, "crawl-name")
			}
		}))
	}
	return workers
}

// The state of a crawl follows from how each of its workers ended.
func TestStateOfSeveralWorkers(t *testing.T) {
	done, stopped, running := &CrawlEnd{End: "finished"}, &CrawlEnd{"interrupted", 7}, &CrawlEnd{End: EndRunning}
	later, limited := &CrawlEnd{"max-time", 30}, &CrawlEnd{End: "max-pages"}
	const killed1 = "w1: the worker is still running or was killed: some skipped URLs are not listed until it ends"
	const running2 = "w2: the worker is still running: some skipped URLs are not listed until it ends"
	for _, tt := range []struct {
		name   string
		shared bool
		ends   []*CrawlEnd
		state  State
		end    string
		left   int
		reason string
		notes  []string
	}{
		{"all at the end", true, []*CrawlEnd{done, done}, Finished, "finished", 0, "", nil},
		{"one left early", true, []*CrawlEnd{stopped, done}, Finished, "finished", 0, "", nil},
		{"one was killed, the others went on to the end", true, []*CrawlEnd{nil, done}, Finished, "finished", 0,
			"1 worker has not finished, so skipped URLs may not all be listed", []string{killed1}},
		{"two were killed", true, []*CrawlEnd{nil, done, nil}, Finished, "finished", 0,
			"2 workers have not finished, so skipped URLs may not all be listed",
			[]string{killed1, strings.Replace(killed1, "w1", "w3", 1)}},
		{"all were stopped: the last knows how much is left", true, []*CrawlEnd{stopped, later}, Stopped, "max-time", 30, "30 URLs remain", nil},
		{"all were stopped, the other way round", true, []*CrawlEnd{later, stopped}, Stopped, "interrupted", 7, "7 URLs remain", nil},
		{"one was killed, the other stopped", true, []*CrawlEnd{nil, stopped}, Unknown, "", 0, "it is not known whether the crawl finished", []string{killed1}},
		{"one is running", true, []*CrawlEnd{stopped, running}, Running, EndRunning, 0, "the crawl is still running", []string{running2}},

		{"apart: all at the end", false, []*CrawlEnd{done, done}, Finished, "finished", 0, "", nil},
		{"apart: the last one has the word", false, []*CrawlEnd{limited, done}, Finished, "finished", 0, "", nil},
		{"apart: the last one has the word, the other way round", false, []*CrawlEnd{done, limited}, Finished, "max-pages", 0, "", nil},
		{"apart: one was stopped", false, []*CrawlEnd{stopped, done}, Stopped, "interrupted", 7, "7 URLs remain", nil},
		{"apart: both were stopped", false, []*CrawlEnd{stopped, later}, Stopped, "max-time", 37, "37 URLs remain", nil},
		{"apart: one was killed", false, []*CrawlEnd{nil, done}, Unknown, "", 0, "it is not known whether the crawl finished", []string{killed1}},
		{"apart: one is running", false, []*CrawlEnd{done, running}, Running, EndRunning, 0, "the crawl is still running", []string{running2}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			workers := endings(tt.shared, tt.ends...)
			workers[0].sitemaps = []output.Sitemap{{URL: example + "/sitemap.xml", Status: 200, Origin: example, Pages: 1}}
			workers[0].entries = []output.Entry{{URL: example + "/x", Sitemap: example + "/sitemap.xml"}}
			r := together(t, workers...)
			s := r.Summary
			if s.State != tt.state || s.End != tt.end || s.Remaining != tt.left {
				t.Errorf("%s, %q, %d left; want %s, %q, %d", s.State, s.End, s.Remaining, tt.state, tt.end, tt.left)
			}
			if diff := cmp.Diff(append([]string{}, tt.notes...), r.Notes); diff != "" {
				t.Errorf("notes (-want +got):\n%s", diff)
			}
			for _, k := range SitemapFindings(r) {
				if got := strings.Join(k.Caveats, "; "); tt.reason == "" && got != "" || !strings.Contains(got, tt.reason) {
					t.Errorf("%s is inconclusive for %q, want %q", k.ID, got, tt.reason)
				}
			}
			for i, e := range tt.ends {
				got := r.Workers[i]
				want := Worker{Dir: got.Dir, Name: "laptop-1", State: map[*CrawlEnd]State{nil: Unknown, done: Finished, limited: Finished, stopped: Stopped, later: Stopped, running: Running}[e],
					StartedAt: at(10 * (i + 1)), EndedAt: got.EndedAt, Pages: 1}
				if e != nil {
					want.End, want.Remaining = e.End, e.Remaining
				}
				if got != want || got.EndedAt.Sub(got.StartedAt).Milliseconds() != 20 {
					t.Errorf("w%d: %+v, want %+v", i+1, got, want)
				}
			}
		})
	}
}

// A worker that finished the first crawl says nothing about the recrawl.
func TestFinishedEarlierCrawlIsNotTheRecrawl(t *testing.T) {
	workers := endings(true, &CrawlEnd{End: "finished"}, &CrawlEnd{"interrupted", 5})
	workers[1].state["recrawls"] = 1
	r := together(t, workers...)
	if r.Summary.State != Stopped || r.Summary.Remaining != 5 || r.Summary.Recrawls != 1 || len(r.Notes) != 1 || r.Notes[0] != "w1 holds the first crawl, w2 holds recrawl 1" {
		t.Errorf("%+v, notes %q", r.Summary, r.Notes)
	}
}

func TestCallerKnowsTheEnding(t *testing.T) {
	var dirs []string
	for _, c := range endings(true, nil, &CrawlEnd{"interrupted", 5}) {
		dirs = append(dirs, c.write(t))
	}
	r, err := Generate(t.Context(), dirs, &Options{CrawlEnd: func(dir string) *CrawlEnd {
		if dir == dirs[1] {
			return &CrawlEnd{Remaining: 3}
		}
		return &CrawlEnd{End: EndRunning}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if a, b := r.Workers[0], r.Workers[1]; a.State != Running || b.State != Stopped || b.End != "interrupted" || b.Remaining != 3 {
		t.Errorf("%+v", r.Workers)
	}
}

func TestDirectoriesOfDifferentCrawlsAreRefused(t *testing.T) {
	named := func(name string) string {
		return worker(func(c *crawl) { c.state["config"].(map[string]any)["crawl-name"] = name }).write(t)
	}
	a, again, b, nameless := named("a"), named("a"), named("b"), named("")
	own := worker(func(c *crawl) {
		config := c.state["config"].(map[string]any)
		config["frontier"], config["crawl-name"] = "", "b" // which says nothing without a frontier
	}).write(t)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(a, link); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		dirs  []string
		words []string // none: it is taken
	}{
		"none":                             {nil, []string{"no directory is given"}},
		"one":                              {[]string{a}, nil},
		"the same name":                    {[]string{a, again}, nil},
		"one without a name":               {[]string{a, nameless, again}, nil},
		"one of its own":                   {[]string{a, own, again}, nil},
		"another name":                     {[]string{a, again, b}, []string{a, b, `"a"`, `"b"`}},
		"another after one without a name": {[]string{nameless, a, b}, []string{a, b, `"a"`, `"b"`}},
		"too many":                         {slices.Repeat([]string{a}, 1<<16), []string{"65536 directories are too many"}},
		"twice":                            {[]string{a, again, a}, []string{a, "the same"}},
		"twice by other names":             {[]string{a, link}, []string{a, link, "the same"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Generate(t.Context(), tt.dirs, nil)
			if errors.Is(err, ErrNotOneCrawl) != (tt.words != nil) || tt.words == nil && err != nil {
				t.Fatalf("Generate = %v", err)
			}
			for _, word := range tt.words {
				if !strings.Contains(err.Error(), word) {
					t.Errorf("%q does not say %q", err, word)
				}
			}
		})
	}
	if _, err := Generate(t.Context(), []string{a, filepath.Dir(a)}, nil); !errors.Is(err, output.ErrNoCrawl) || !strings.Contains(err.Error(), filepath.Dir(a)) {
		t.Errorf("with no crawl: %v", err)
	}
}

// TestDifferencesBetweenWorkersAreNoted holds that what ought to be the same in all directories and is
// not is said, and no password with it.
func TestDifferencesBetweenWorkersAreNoted(t *testing.T) {
	workers := []*crawl{worker(func(*crawl) {}), worker(func(*crawl) {})}
	config := func(i int) map[string]any { return workers[i].state["config"].(map[string]any) }
	config(0)["user-agent"], config(1)["user-agent"] = "a/1", "b/1"
	config(1)["frontier"] = "redis://:secret@10.0.0.1"
	config(1)["urls"] = []string{other + "/", example + "/"}
	config(1)["only-sitemaps"] = true
	r := together(t, workers...)
	want := []string{
		`the user agent in w1 is "a/1", in w2 "b/1"`,
		"the frontier has different addresses in w1 and w2: check that both are the same server",
	}
	if diff := cmp.Diff(want, r.Notes); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
	if s := r.Summary; s.UserAgent != "a/1" || !slices.Equal(s.URLs.Rows, []string{example + "/", other + "/"}) {
		t.Errorf("%+v", s)
	}
	if strings.Contains(asJSON(t, r), "secret") {
		t.Error("a password is in the report")
	}
}

func TestMissingFileOfOneWorkerIsInconclusive(t *testing.T) {
	whole := everything()
	part := worker(func(c *crawl) {
		c.page("/part", output.Page{Source: "link"})
		c.sitemaps = []output.Sitemap{{URL: other + "/sitemap.xml", Status: 200, Origin: other, Pages: 1}}
		c.entries = []output.Entry{{URL: example + "/part", Sitemap: other + "/sitemap.xml"}}
	})
	for name, tt := range map[string]struct {
		remove       string
		links        bool // as the configuration has it
		inconclusive []string
		notes        []string
	}{
		"nothing":             {"", true, nil, []string{}},
		"links.jsonl":         {"links.jsonl", true, []string{"sitemap-not-linked"}, []string{"w2: links.jsonl is missing or empty: the links of its pages are not known"}},
		"links by its config": {"", false, []string{"sitemap-not-linked"}, []string{"w2: links.jsonl is missing or empty: the links of its pages are not known"}},
		"entries.jsonl": {"entries.jsonl", true,
			[]string{"sitemap-unreadable", "sitemap-incomplete", "sitemap-broken", "sitemap-redirected", "sitemap-disallowed", "sitemap-noindex", "sitemap-canonical-elsewhere", "sitemap-not-authorized", "sitemap-invalid-lastmod", "sitemap-not-listed", "sitemap-not-fetched"},
			[]string{"w2: entries.jsonl is missing or empty: its sitemaps cannot be compared with the site"}},
	} {
		t.Run(name, func(t *testing.T) {
			part.state["config"].(map[string]any)["links"] = tt.links
			dirs := []string{whole.write(t), part.write(t)}
			if tt.remove != "" {
				if err := os.Remove(filepath.Join(dirs[1], tt.remove)); err != nil {
					t.Fatal(err)
				}
			}
			r, err := Generate(t.Context(), dirs, nil)
			if err != nil {
				t.Fatal(err)
			}
			unsure := make(map[string]bool)
			for _, k := range SitemapFindings(r) {
				if len(k.Caveats) > 0 {
					unsure[k.ID] = true
				}
			}
			if diff := cmp.Diff(slices.Sorted(slices.Values(tt.inconclusive)), slices.Sorted(maps.Keys(unsure))); diff != "" {
				t.Errorf("inconclusive (-want +got):\n%s", diff)
			}
			for i := range r.Notes {
				r.Notes[i] = strings.Replace(r.Notes[i], dirs[1], "w2", 1)
			}
			if diff := cmp.Diff(tt.notes, r.Notes); diff != "" {
				t.Errorf("notes (-want +got):\n%s", diff)
			}
			if unknown := slices.Contains(tt.inconclusive, "sitemap-not-linked"); (len(found(r, "sitemap-not-linked")) == 0) != unknown {
				t.Errorf("not linked: %v", found(r, "sitemap-not-linked"))
			}
		})
	}
}
