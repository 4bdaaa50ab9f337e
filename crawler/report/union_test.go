package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// worker is a crawl of one of several workers that came to its end.
func worker(change func(*crawl)) *crawl {
	c := &crawl{state: map[string]any{
		"config": map[string]any{"urls": []string{example + "/"}, "links": true, "frontier": "redis://127.0.0.1:1", "join": "nightly", "worker": "laptop-1"},
		"ended":  Ending{End: "finished"},
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
	r, err := Make(dirs, &Options{now: func() time.Time { return at(3600) }})
	if err != nil {
		t.Fatal(err)
	}
	for i := range r.Notes {
		for j, dir := range dirs {
			r.Notes[i] = strings.ReplaceAll(r.Notes[i], dir, fmt.Sprintf("w%d", j+1))
		}
	}
	return r
}

// inAnyOrder runs a test with the workers in the order given, and in the other one.
func inAnyOrder(t *testing.T, workers []*crawl, test func(*testing.T, *Report)) {
	t.Helper()
	for _, order := range []string{"in order", "in the other order"} {
		t.Run(order, func(t *testing.T) { test(t, together(t, workers...)) })
		slices.Reverse(workers)
	}
}

// reasons are the reasons for which URLs were left alone, with their paths.
func reasons(r *Report) map[output.Reason][]string {
	found := make(map[output.Reason][]string)
	for _, g := range r.Rejected.Reasons {
		for _, row := range g.URLs.Rows {
			found[g.Reason] = append(found[g.Reason], strings.TrimPrefix(row.URL, example))
		}
	}
	return found
}

// TestPageOfTwoWorkers holds that a page counts once, as it was fetched last, with all
// that the last fetch found; and that this is said.
func TestPageOfTwoWorkers(t *testing.T) {
	early := worker(func(c *crawl) {
		c.page("/", output.Page{Source: "start"})
		c.page("/twice", output.Page{Source: "link", Status: 503, Bytes: 1, Depth: 1, Hash: "a"})
		c.links = []output.Links{{URL: example + "/", To: []string{example + "/twice"}}, {URL: example + "/twice", To: []string{example + "/gone", example + "/was"}}}
	})
	late := worker(func(c *crawl) {
		c.page("/gone", output.Page{Source: "link", Status: 404})
		c.page("/twice", output.Page{Source: "link", Bytes: 500, Depth: 2, Hash: "b", Millis: 77})
		c.page("/same", output.Page{Source: "link", Hash: "b"})
		c.pages[1].FetchedAt = at(20)
		c.links = []output.Links{{URL: example + "/twice", To: []string{example + "/gone"}}}
	})
	inAnyOrder(t, []*crawl{early, late}, func(t *testing.T, r *Report) {
		s := r.Summary
		if s.Pages != 4 || s.OK != 3 || s.Bytes != 500+3*1000 || s.Broken != 1 {
			t.Errorf("%+v", s)
		}
		if want := []Status{{200, 3}, {404, 1}}; !slices.Equal(r.Statuses, want) {
			t.Errorf("statuses %v", r.Statuses)
		}
		if b := r.Broken.Rows[0]; b.URL != example+"/gone" || b.Links != 1 || !slices.Equal(b.From, []string{example + "/twice"}) {
			t.Errorf("%+v", b)
		}
		if r.Slowest.Total != 4 || r.Slowest.Rows[0].Millis != 77 {
			t.Errorf("%+v", r.Slowest)
		}
		if d := r.Duplicates; d.Copies != 1 || d.Groups.Rows[0].URL != example+"/same" || !slices.Equal(d.Groups.Rows[0].Examples, []string{example + "/twice"}) {
			t.Errorf("%+v", d)
		}
		if want := []string{"1 page stands in more than one directory: of each the line of the last fetch counts"}; !slices.Equal(r.Notes, want) {
			t.Errorf("notes %q", r.Notes)
		}
	})
}

// TestFetchedAfterAll holds that a URL which one worker left alone and another fetched
// is a page and nothing else.
func TestFetchedAfterAll(t *testing.T) {
	left := worker(func(c *crawl) {
		for path, reason := range map[string]output.Reason{
			"/later": output.Later, "/away": output.OutOfScope, "/deep": output.TooDeep, "/failed": output.Failed, "/no": output.Disallowed, "/full": output.HostFull,
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
		c.sitemaps = []output.Sitemap{{URL: example + "/sitemap.xml", Status: 200, Host: example, Pages: 1, FetchedAt: at(1)}}
		c.entries = []output.Entry{{URL: example + "/later", Sitemap: example + "/sitemap.xml"}}
	})
	inAnyOrder(t, []*crawl{left, fetched}, func(t *testing.T, r *Report) {
		if diff := cmp.Diff(map[output.Reason][]string{output.Nofollow: {"/alone"}}, reasons(r)); diff != "" {
			t.Errorf("left alone (-want +got):\n%s", diff)
		}
		if s := r.Summary; s.Pages != 7 || s.Rejected != 1 || s.Disallowed != 0 || s.Broken != 0 || r.Rejected.Total != 1 || r.Rejected.Rules.Total != 0 {
			t.Errorf("%+v", s)
		}
		for _, d := range r.Depths {
			if d.Depth == 3 {
				t.Errorf("%+v", d)
			}
		}
		if h := r.Hosts.Rows[0]; h.Later+h.Failed+h.Disallowed != 0 {
			t.Errorf("%+v", h)
		}
		for _, k := range r.Sitemaps.Kinds {
			if len(k.Inconclusive) > 0 {
				t.Errorf("%s is inconclusive: %v", k.Kind, k.Inconclusive)
			}
		}
		if r.Sitemaps.Fine != 1 || len(found(r, kindNotFetched)) > 0 {
			t.Errorf("%+v", r.Sitemaps)
		}
	})
}

// TestLeftAloneByTwo holds that a URL which several workers left alone counts once,
// for the reason that says most of it.
func TestLeftAloneByTwo(t *testing.T) {
	for _, tt := range []struct {
		more, less output.Reason
		depth      int // of more; that of less is 2
	}{
		{output.Disallowed, output.Later, 5},
		{output.Disallowed, output.OutOfScope, 5},
		{output.Disallowed, output.Nofollow, 5},
		{output.Failed, output.Later, 5},
		{output.Alias, output.Later, 5},
		{output.HostFull, output.TooDeep, 5},
		{output.Invalid, output.NotEntitled, 5},
		{output.Later, output.OutOfScope, 5},
		{output.Later, output.TooDeep, 5},
		{output.Later, output.TooManyHops, 5},
		{output.Later, output.Unchanged, 5},
		{output.OutOfScope, output.Nofollow, 5},
		{output.OutOfScope, output.NotEntitled, 5},
		{output.TooDeep, output.Unchanged, 5},
		{output.TooManyHops, output.Nofollow, 5},
		{output.OutOfScope, output.OutOfScope, 1},
		{output.NotEntitled, output.Nofollow, 1},
		{output.Nofollow, output.NotEntitled, 1},
		{output.OutOfScope, output.TooDeep, 1},
		{output.Failed, output.Disallowed, 1},
		{output.Disallowed, output.Failed, 2},
		{output.Later, output.Later, 1},
	} {
		t.Run(fmt.Sprintf("%s over %s", tt.more, tt.less), func(t *testing.T) {
			more := worker(func(c *crawl) {
				c.reject("/x", output.Rejection{Reason: tt.more, Source: "link", Depth: tt.depth, Via: example + "/more", Rule: "Disallow: /x", Line: 2})
				c.reject("/mine", output.Rejection{Reason: output.Alias, Source: "link"})
			})
			less := worker(func(c *crawl) {
				c.reject("/x", output.Rejection{Reason: tt.less, Source: "link", Depth: 2, Via: example + "/less", Rule: "Disallow: /x", Line: 2})
			})
			inAnyOrder(t, []*crawl{more, less, less}, func(t *testing.T, r *Report) {
				at := slices.IndexFunc(r.Rejected.Reasons, func(g ReasonGroup) bool { return g.Reason == tt.more })
				if at < 0 || r.Rejected.Total != 2 || r.Summary.Rejected != 2 {
					t.Fatalf("%+v", r.Rejected)
				}
				row := r.Rejected.Reasons[at].URLs.Rows[len(r.Rejected.Reasons[at].URLs.Rows)-1]
				if row.URL != example+"/x" || row.Via != example+"/more" {
					t.Errorf("%+v", row)
				}
				if !slices.ContainsFunc(r.Depths, func(d Depth) bool { return d.Depth == tt.depth && d.Rejected == 1 }) {
					t.Errorf("depths %+v", r.Depths)
				}
				rejected := 0
				for _, s := range r.Segments {
					rejected += s.Rejected
				}
				if rejected != 2 {
					t.Errorf("%+v", r.Segments)
				}
				if rules := r.Rejected.Rules; tt.more == output.Disallowed && (rules.Total != 1 || rules.Rows[0].URLs != 1 || len(rules.Rows[0].Examples) != 1) {
					t.Errorf("%+v", rules)
				}
			})
		})
	}
}
