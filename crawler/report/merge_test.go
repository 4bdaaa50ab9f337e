package report

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/internal/jsonlines"
	"github.com/politecrawl/politecrawl/crawler/internal/results"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// worker is the finished crawl of one of several workers.
func worker(change func(*crawl)) *crawl {
	c := &crawl{links: []output.Links{}, state: map[string]any{
		"version": results.Version,
		"config":  map[string]any{"urls": []string{example + "/"}, "links": true, "frontier": "redis://127.0.0.1:1", "crawl-name": "nightly", "worker-name": "laptop-1"},
		"ended":   CrawlEnd{End: "finished"},
	}}
	change(c)
	return c
}

// together makes the report of the crawls as one.
func together(t *testing.T, workers ...*crawl) *Report {
	t.Helper()
	var dirs []string
	for _, c := range workers {
		dirs = append(dirs, c.write(t))
	}
	r, err := Generate(t.Context(), dirs, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.GeneratedAt = at(3600)
	for i := range r.Notes {
		for j, dir := range dirs {
			r.Notes[i] = strings.ReplaceAll(r.Notes[i], dir, fmt.Sprintf("w%d", j+1))
		}
	}
	return r
}

// inAnyOrder runs a test with the workers in both orders.
func inAnyOrder(t *testing.T, workers []*crawl, test func(*testing.T, *Report)) {
	t.Helper()
	for _, order := range []string{"in order", "in the other order"} {
		t.Run(order, func(t *testing.T) { test(t, together(t, workers...)) })
		slices.Reverse(workers)
	}
}

// reasons returns the paths of rejected URLs by reason.
func reasons(r *Report) map[output.Reason][]string {
	found := make(map[output.Reason][]string)
	for _, g := range r.Rejected.Reasons {
		for _, row := range g.URLs.Rows {
			found[g.Reason] = append(found[g.Reason], strings.TrimPrefix(row.URL, example))
		}
	}
	return found
}

// A page counts once: its last fetch, with everything that fetch found.
func TestLastFetchOfAPageCounts(t *testing.T) {
	early := worker(func(c *crawl) {
		c.page("/", output.Page{Source: "start"})
		c.page("/twice", output.Page{Source: "link", Status: 503, Bytes: 1, Depth: 1, Hash: "a"})
		c.state["config"].(map[string]any)["check"] = "external"
		c.check(other+"/", output.Check{Kind: "a", Status: 502})
		c.links = []output.Links{{URL: example + "/", To: []output.Link{{URL: example + "/twice"}, {URL: other + "/"}}}, {URL: example + "/twice", To: []output.Link{{URL: example + "/gone"}, {URL: example + "/was"}}}}
	})
	late := worker(func(c *crawl) {
		c.page("/gone", output.Page{Source: "link", Status: 404})
		c.page("/twice", output.Page{Source: "link", Bytes: 500, Depth: 2, Hash: "b", DurationMS: 77})
		c.page("/same", output.Page{Source: "link", Hash: "b"})
		c.pages[1].FetchedAt = at(20)
		c.state["config"].(map[string]any)["check"] = "external"
		c.check(other+"/", output.Check{Kind: "a", Status: 200})
		c.checks[0].FetchedAt = at(200)
		c.links = []output.Links{{URL: example + "/twice", To: []output.Link{{URL: example + "/gone"}}}}
	})
	inAnyOrder(t, []*crawl{early, late}, func(t *testing.T, r *Report) {
		s := r.Summary
		if s.Pages != 4 || s.OK != 3 || s.Bytes != 500+3*1000 || s.Broken != 1 {
			t.Errorf("%+v", s)
		}
		if want := []Status{{200, 3}, {404, 1}}; !slices.Equal(r.Statuses, want) {
			t.Errorf("statuses %v", r.Statuses)
		}
		if b := FindingsOf(r, "broken-link").Rows[0]; b.URL != example+"/gone" || b.Pages != 1 || !slices.Equal(b.FoundOn, []string{example + "/twice"}) {
			t.Errorf("%+v", b)
		}
		if f := FindingsOf(r, "broken-external"); f == nil || f.Total > 0 {
			t.Errorf("of a URL whose last check is OK: %+v", f)
		}
		if row := r.urls.rows[r.urls.place[keyOf(example+"/twice")]]; row.millis != 77 {
			t.Errorf("%+v", row)
		}
		if d := r.Duplicates; d.Copies != 1 || d.Groups.Rows[0].URL != example+"/same" || !slices.Equal(d.Groups.Rows[0].Examples, []string{example + "/twice"}) {
			t.Errorf("%+v", d)
		}
		if want := []string{"1 page is in more than one directory: the last fetch counts"}; !slices.Equal(r.Notes, want) {
			t.Errorf("notes %q", r.Notes)
		}
	})
}

// A URL that one worker rejected and another fetched is a page only.
func TestFetchedURLIsNotRejected(t *testing.T) {
	left := worker(func(c *crawl) {
		for path, reason := range map[string]output.Reason{
			"/later": output.RobotsUnreachable, "/away": output.OutOfScope, "/deep": output.MaxDepth, "/failed": output.Failed, "/no": output.Disallowed, "/full": output.MaxHostPages,
		} {
			c.reject(path, output.Rejection{Reason: reason, Source: "link", Depth: 3})
		}
		c.reject("/alone", output.Rejection{Reason: output.Nofollow, Source: "link"})
	})
	fetched := worker(func(c *crawl) {
		c.page("/", output.Page{Source: "start"})
		for _, path := range []string{"/later", "/away", "/deep", "/failed", "/no", "/full"} {
			c.page(path, output.Page{Source: "link", Depth: 1})
		}
		c.sitemaps = []output.Sitemap{{URL: example + "/sitemap.xml", Status: 200, Origin: example, Pages: 1, FetchedAt: at(1)}}
		c.entries = []output.Entry{{URL: example + "/later", Sitemap: example + "/sitemap.xml"}}
	})
	inAnyOrder(t, []*crawl{left, fetched}, func(t *testing.T, r *Report) {
		if diff := cmp.Diff(map[output.Reason][]string{output.Nofollow: {"/alone"}}, reasons(r)); diff != "" {
			t.Errorf("skipped (-want +got):\n%s", diff)
		}
		if s := r.Summary; s.Pages != 7 || s.Rejected != 1 || s.Disallowed != 0 || s.Broken != 0 || r.Rejected.Total != 1 || r.Rejected.Rules.Total != 0 {
			t.Errorf("%+v", s)
		}
		for _, d := range r.Depths {
			if d.Depth == 3 {
				t.Errorf("%+v", d)
			}
		}
		if h := r.Origins.Rows[0]; h.Deferred+h.Failed+h.Disallowed != 0 {
			t.Errorf("%+v", h)
		}
		for _, k := range SitemapFindings(r) {
			if len(k.Caveats) > 0 {
				t.Errorf("%s is inconclusive: %v", k.ID, k.Caveats)
			}
		}
		if r.Sitemaps.OK != 1 || len(found(r, "sitemap-not-fetched")) > 0 {
			t.Errorf("%+v", r.Sitemaps)
		}
	})
}

// A URL that several workers rejected counts once, for the reason that ranks first.
func TestURLRejectedTwiceCountsOnce(t *testing.T) {
	tests := []struct {
		more, less output.Reason
		depth      int // of more; that of less is 2
	}{
		{output.Disallowed, output.RobotsUnreachable, 5},
		{output.Disallowed, output.OutOfScope, 5},
		{output.Disallowed, output.Nofollow, 5},
		{output.Failed, output.RobotsUnreachable, 5},
		{output.DuplicateURL, output.RobotsUnreachable, 5},
		{output.MaxHostPages, output.MaxDepth, 5},
		{output.InvalidURL, output.NotAuthorized, 5},
		{output.RobotsUnreachable, output.OutOfScope, 5},
		{output.RobotsUnreachable, output.MaxDepth, 5},
		{output.RobotsUnreachable, output.TooManyRedirects, 5},
		{output.RobotsUnreachable, output.BeforeSince, 5},
		{output.OutOfScope, output.Nofollow, 5},
		{output.OutOfScope, output.NotAuthorized, 5},
		{output.MaxDepth, output.BeforeSince, 5},
		{output.TooManyRedirects, output.Nofollow, 5},
		{output.OutOfScope, output.OutOfScope, 1},
		{output.NotAuthorized, output.Nofollow, 1},
		{output.Nofollow, output.NotAuthorized, 1},
		{output.OutOfScope, output.MaxDepth, 1},
		{output.Failed, output.Disallowed, 1},
		{output.Disallowed, output.Failed, 2},
		{output.RobotsUnreachable, output.RobotsUnreachable, 1},
	}
	more, less := worker(func(*crawl) {}), worker(func(*crawl) {})
	want, depths := make(map[string][2]string), make(map[int]int) // reason and FoundOn, by URL
	for i, tt := range tests {
		url := fmt.Sprintf("/%s-%s-%d", tt.more, tt.less, i)
		more.reject(url, output.Rejection{Reason: tt.more, Source: "link", Depth: tt.depth, FoundOn: example + "/more", Rule: "Disallow: /x", Line: 2})
		less.reject(url, output.Rejection{Reason: tt.less, Source: "link", Depth: 2, FoundOn: example + "/less", Rule: "Disallow: /x", Line: 2})
		want[example+url] = [2]string{string(tt.more), example + "/more"}
		depths[tt.depth]++
	}
	more.reject("/mine", output.Rejection{Reason: output.DuplicateURL, Source: "link", Depth: 7, FoundOn: example + "/more"})
	want[example+"/mine"] = [2]string{string(output.DuplicateURL), example + "/more"}
	depths[7]++
	inAnyOrder(t, []*crawl{more, less, less}, func(t *testing.T, r *Report) {
		got, gotDepths, rejected, disallowed := make(map[string][2]string), make(map[int]int), 0, 0
		for _, g := range r.Rejected.Reasons {
			for _, row := range g.URLs.Rows {
				got[row.URL] = [2]string{string(g.Reason), row.FoundOn}
				if g.Reason == output.Disallowed {
					disallowed++
				}
			}
		}
		if diff := cmp.Diff(want, got); diff != "" || r.Rejected.Total != len(want) || r.Summary.Rejected != len(want) {
			t.Errorf("%d in all, in the summary %d (-want +got):\n%s", r.Rejected.Total, r.Summary.Rejected, diff)
		}
		for _, d := range r.Depths {
			gotDepths[d.Depth] = d.Rejected
		}
		if diff := cmp.Diff(depths, gotDepths); diff != "" {
			t.Errorf("depths (-want +got):\n%s", diff)
		}
		for _, s := range r.Workers {
			rejected += s.Rejected
		}
		if rules := r.Rejected.Rules; rejected != len(want) || rules.Total != 1 || rules.Rows[0].URLs != disallowed || len(rules.Rows[0].Examples) != disallowed {
			t.Errorf("%d of all workers, rules %+v", rejected, rules)
		}
	})
}

// A robots.txt that redirects to a blocked address is no outage, and no change.
func TestBlockedRobotsIsNoOutage(t *testing.T) {
	good := robotsLine{Origin: example, Outcome: "rules", Status: 200, Chain: []string{example + "/robots.txt"}, FetchedAt: at(1)}
	c := worker(func(c *crawl) {
		c.robots = []robotsLine{good, {
			Origin: example, Outcome: "unreachable", Error: "address 10.0.0.1 is not allowed (private)",
			Chain: []string{example + "/robots.txt", "http://10.0.0.1/robots.txt"}, FetchedAt: at(2),
		}}
	})
	r := c.make(t)
	if r.Robots.Outages != 0 || r.Robots.Changes != 0 || r.Robots.Origins.Total != 1 {
		t.Fatalf("%s", asJSON(t, r.Robots))
	}
	if h := r.Robots.Origins.Rows[0]; h.Outcome != "blocked-address" || h.Fetches != 2 || len(h.Chain) != 2 || h.Error == "" {
		t.Errorf("%+v", h)
	}
	var said []string
	for _, f := range r.Highlights {
		if f.Topic == topicRobots {
			said = append(said, string(f.Level)+" "+f.Text)
		}
	}
	if want := []string{"warning the robots.txt of 1 origin redirects to an address that is not public and not allowed"}; !slices.Equal(said, want) {
		t.Errorf("%q, want %q", said, want)
	}
}

// Each worker knows a part of the history of a robots.txt. The text of the last fetch counts.
func TestRobotsOfTwoWorkersHaveOneHistory(t *testing.T) {
	const old, young = "User-agent: *\nDisallow: /old\n", "User-agent: *\nDisallow: /young\nDisallow: /x\n"
	good := robotsLine{Origin: example, Outcome: "rules", Status: 200, Chain: []string{example + "/robots.txt"}}
	down := robotsLine{Origin: example, Outcome: "unreachable", Status: 503, FailingSince: at(10), Chain: good.Chain}
	then := func(l robotsLine, second int) robotsLine { l.FetchedAt = at(second); return l }
	a := worker(func(c *crawl) {
		c.robots = []robotsLine{then(good, 1), then(down, 15), then(good, 30)}
		c.texts = map[string]string{example: old}
	})
	b := worker(func(c *crawl) {
		c.robots = []robotsLine{then(down, 10), then(down, 20), then(good, 40)}
		c.texts = map[string]string{example: young}
		c.reject("/x", output.Rejection{Reason: output.Disallowed, Source: "link", Rule: "Disallow: /x", Line: 3, Group: "*"})
	})
	inAnyOrder(t, []*crawl{a, b}, func(t *testing.T, r *Report) {
		if r.Robots.Outages != 1 || r.Robots.Changes != 1 || r.Robots.Origins.Total != 1 {
			t.Fatalf("%s", asJSON(t, r.Robots))
		}
		h := r.Robots.Origins.Rows[0]
		if o := h.Outages.Rows[0]; !o.StartedAt.Equal(at(10)) || !o.EndedAt.Equal(at(30)) || o.Attempts != 3 {
			t.Errorf("%+v", o)
		}
		if ch := h.Changes.Rows[0]; !ch.FetchedAt.Equal(at(40)) || ch.Field != "text" {
			t.Errorf("%+v", ch)
		}
		if h.Fetches != 6 || !h.FetchedAt.Equal(at(40)) || h.Rules != 2 || h.Outcome != "rules" {
			t.Errorf("%+v", h)
		}
		if text := r.Rejected.Rules.Rows[0].Text; text != "Disallow: /x" {
			t.Errorf("line %q", text)
		}
	})
}

// The lines of robots.jsonl of several workers are merged, not kept.
func TestRobotsLinesAreNotKeptInMemory(t *testing.T) {
	const lines = 5_000
	var dirs []string
	for range 2 {
		dirs = append(dirs, worker(func(c *crawl) {}).write(t))
		var text []byte
		for i := range lines {
			var err error
			line := robotsLine{Origin: example, Outcome: "rules", Error: strings.Repeat("x", 1000), FetchedAt: at(i)}
			if text, err = jsonlines.Line(text, line); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(dirs[len(dirs)-1], "robots.jsonl"), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	inUse := func() uint64 {
		var stats runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&stats)
		return stats.HeapAlloc
	}
	m, err := newModel(t.Context(), dirs, nil)
	if err != nil {
		t.Fatal(err)
	}
	before, read, most := inUse(), 0, uint64(0)
	m.robots.onFetch = func(time.Time) {
		if read++; read%2500 == 0 {
			most = max(most, inUse())
		}
	}
	if err := m.robots.read(); err != nil || read != 2*lines {
		t.Fatalf("%d lines were read: %v", read, err)
	}
	if most > before+2<<20 {
		t.Errorf("%d bytes in use, %d before", most, before)
	}
}

func TestSitemapAndPageOfOneURLAreTwo(t *testing.T) {
	const file = example + "/sitemap.xml"
	disallowed := output.Rejection{Reason: output.Disallowed, Source: "sitemap", FoundOn: example + "/robots.txt", Rule: "Disallow: /sitemap.xml", Line: 2}
	asSitemap := func(c *crawl) {
		c.reject("/sitemap.xml", disallowed)
		c.sitemaps = []output.Sitemap{{URL: file, Origin: example, FoundOn: example + "/robots.txt", Detail: "disallowed", FetchedAt: at(1)}}
	}
	asPage := worker(func(c *crawl) { c.page("/sitemap.xml", output.Page{Source: "link", ContentType: "text/xml"}) })
	inAnyOrder(t, []*crawl{worker(asSitemap), worker(asSitemap), asPage}, func(t *testing.T, r *Report) {
		if r.Summary.Pages != 1 || r.Rejected.Total != 1 || r.Sitemaps.Files.Total != 1 || r.Sitemaps.Files.Rows[0].Detail != "disallowed: Disallow: /sitemap.xml" {
			t.Errorf("%s", asJSON(t, r))
		}
	})
}

// A sitemap file that two workers read counts once, with the entries of the last reading. It
// counts twice if two hosts list it.
func TestLastReadingOfASitemapCounts(t *testing.T) {
	const file = example + "/sitemap.xml"
	reading := func(second int, host string, paths ...string) func(*crawl) {
		return func(c *crawl) {
			c.sitemaps = append(c.sitemaps, output.Sitemap{URL: file, Status: 200, Origin: host, FoundOn: host + "/robots.txt", Pages: len(paths), FetchedAt: at(second)})
			for _, path := range paths {
				c.entries = append(c.entries, output.Entry{URL: example + path, Sitemap: file})
			}
		}
	}
	pages := func(c *crawl) {
		c.page("/", output.Page{Source: "start"})
		c.page("/a", output.Page{Source: "link"})
		c.page("/b", output.Page{Source: "sitemap"})
	}
	for _, tt := range []struct {
		name                 string
		first, second        func(*crawl)
		files, entries, urls int
		notFetched           []string
	}{
		{"the last reading", reading(1, example, "/", "/", "/a", "/gone-since"), reading(2, example, "/", "/a", "/b", "/c"), 1, 4, 4, []string{"/c"}},
		{"a last one that failed", reading(1, example, "/", "/a"), reading(2, example), 1, 0, 0, []string{}}, // it lists nothing
		{"of two hosts", reading(1, example, "/", "/a"), reading(2, other, "/", "/a", "/b"), 2, 5, 3, []string{}},
		{"of one host and of both", reading(1, example, "/", "/a"), func(c *crawl) {
			reading(2, example, "/", "/a")(c)
			reading(3, other, "/", "/a")(c)
		}, 2, 4, 2, []string{}},
		{"of both hosts, for the second too early", func(c *crawl) {
			reading(4, example, "/", "/a")(c)
			reading(1, other, "/")(c)
		}, reading(2, other, "/"), 2, 4, 2, []string{}}, // the same
		{"of both hosts and of one", func(c *crawl) {
			reading(1, example, "/")(c)
			reading(3, other, "/", "/a")(c)
		}, reading(2, example, "/"), 2, 4, 2, []string{}}, // of the first worker the entries of both: they do not say whose they are
	} {
		t.Run(tt.name, func(t *testing.T) {
			inAnyOrder(t, []*crawl{worker(tt.first), worker(tt.second), worker(pages)}, func(t *testing.T, r *Report) {
				if s := r.Sitemaps; s.Files.Total != tt.files || s.Entries != tt.entries || s.URLs != tt.urls {
					t.Errorf("%d files, %d entries, %d URLs: %s", s.Files.Total, s.Entries, s.URLs, asJSON(t, s.Files))
				}
				if diff := cmp.Diff(tt.notFetched, found(r, "sitemap-not-fetched")); diff != "" {
					t.Errorf("not fetched (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// A rejected sitemap that only an index lists is a file and no page.
func TestRejectedSitemapOfAnIndexIsNoPage(t *testing.T) {
	c := &crawl{state: everything().state}
	index := example + "/index.xml"
	c.page("/", output.Page{Source: "start"})
	c.sitemaps = []output.Sitemap{{URL: index, Status: 200, Origin: example, Sitemaps: 1, FetchedAt: at(1)}}
	c.reject("/child.xml", output.Rejection{Reason: output.Failed, Source: "sitemap", FoundOn: index, Detail: "no answer"})
	r := c.make(t)
	if r.Sitemaps.Files.Total != 2 || r.Summary.Broken != 0 || r.Sitemaps.Entries != 0 {
		t.Errorf("%d broken, %s", r.Summary.Broken, asJSON(t, r.Sitemaps))
	}
}

func TestLintNotesAreLeftOut(t *testing.T) {
	c := &crawl{state: everything().state}
	c.robots = []robotsLine{{Origin: example, Outcome: "rules", Status: 200, FetchedAt: at(1)}}
	c.texts = map[string]string{example: "User-agent: a\nDisallow: /x\n\nUser-agent: a\nDisallow: /y\n"}
	r := c.make(t)
	if h := r.Robots.Origins.Rows[0]; h.Lint.Total != 0 || len(h.Lint.Rows) != 0 {
		t.Errorf("%+v", h)
	}
}

func TestNamesAreBounded(t *testing.T) {
	n := make(names)
	for i := range 3 * maxNames {
		n.add(fmt.Sprint(i))
	}
	if len(n) != maxNames+1 || n[otherNames] != 2*maxNames {
		t.Errorf("%d names, %d others", len(n), n[otherNames])
	}
}

// The robots.jsonl of the previous crawl may be missing, but not unreadable.
func TestUnreadableEarlierRobotsIsAnError(t *testing.T) {
	c := everything()
	c.state["recrawls"] = 1
	dir := c.write(t)
	if _, err := Generate(t.Context(), []string{dir}, nil); err != nil {
		t.Errorf("where it is missing: %v", err)
	}
	if err := os.Mkdir(filepath.Join(dir, "robots.1.jsonl"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := Generate(t.Context(), []string{dir}, nil); err == nil {
		t.Error("a directory was read")
	}
}
