package compare_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/compare"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/report"
)

func texts(title, description, h1 string) func(*output.Page) {
	return func(p *output.Page) { p.Title, p.Description, p.H1 = title, description, h1 }
}

func from(page string) func(*output.Page) {
	return func(p *output.Page) { p.FoundOn = "https://example.com" + page }
}

func slow(p *output.Page)      { p.DurationMS = 60_000 }
func unchanged(p *output.Page) { p.Unchanged, p.Hash = true, "1" }
func hashed(p *output.Page)    { p.Hash = "1" }

// fine are the texts of a page without findings.
func fine(name string) func(*output.Page) { return texts(name, "About "+name, name) }

// only returns the new and fixed findings of a rule as "new /a" and "fixed /a", and those of others.
func only(c *compare.Comparison) []string {
	var list []string
	for _, f := range c.Findings {
		for what, rows := range map[string][]report.Finding{"new": f.New, "fixed": f.Fixed} {
			for _, row := range rows {
				list = append(list, what+" "+f.ID+" "+strings.TrimPrefix(row.URL, "https://example.com"))
			}
		}
	}
	slices.Sort(list)
	return list
}

// A finding is new or fixed only if both crawls have read what it is about.
func TestFindingsOnUnreadPagesAreNeitherNewNorFixed(t *testing.T) {
	home := page("/", fine("Home"))
	skipped := func(url string, why output.Reason) []output.Rejection {
		return []output.Rejection{{URL: url, Reason: why, Source: "link"}}
	}
	untitled := page("/a", texts("", "About a", "A"), from("/"))
	for _, tt := range []struct {
		name    string
		with    site     // has a finding
		without site     // has none
		want    []string // from the crawl with it to the one without
		unread  int      // findings that are not compared
	}{
		{"corrected", of(home, untitled), of(home, page("/a", fine("A"))), []string{"fixed title-missing /a"}, 0},
		{"removed", of(home, untitled), of(home), []string{"fixed title-missing /a"}, 0},
		{"timeout", of(home, untitled), site{pages: []output.Page{home}, rejected: skipped("/a", output.Failed)}, []string{"new broken-link /a"}, 1},
		{"robots.txt unavailable", of(home, untitled), site{pages: []output.Page{home}, rejected: skipped("/a", output.RobotsUnreachable)}, []string{"new robots-unreachable /robots.txt"}, 1},
		{"since", of(home, untitled), site{pages: []output.Page{home}, rejected: skipped("/a", output.BeforeSince)}, nil, 1},
		{"limit", of(home, untitled), site{pages: []output.Page{home}, rejected: skipped("/a", output.MaxDepth)}, nil, 1},
		{"stopped", of(home, untitled), site{pages: []output.Page{home}, stopped: true}, nil, 1},
		{"304 of a slow page", of(home, page("/a", fine("A"), slow)), of(home, page("/a", fine("A"), status(304), hashed)), nil, 1},
		{"slow page with the same body", of(home, page("/a", fine("A"), slow)), of(home, page("/a", fine("A"), unchanged)), []string{"fixed page-slow /a"}, 0},
		{"slow page with the same body as before", of(home, page("/a", fine("A"), slow, unchanged)), of(home, page("/a", fine("A"))), []string{"fixed page-slow /a"}, 0},
		{"304 without content", of(home, untitled), of(home, page("/a", status(304))), nil, 1},
		{
			"linked from a page that timed out", of(home, page("/list", fine("List"), from("/")), page("/a", texts("", "About a", "A"), from("/list"))),
			site{pages: []output.Page{home}, rejected: skipped("/list", output.Failed)}, []string{"new broken-link /list"}, 1,
		},
		{
			"broken link on a page that timed out", of(home, page("/a", fine("A"), from("/")), page("/gone", status(404), from("/a"))),
			site{pages: []output.Page{home}, rejected: skipped("/a", output.Failed)}, []string{"new broken-link /a"}, 1,
		},
		{
			"URL that is still broken, but linked from a page that timed out",
			of(home, page("/a", fine("A"), from("/")), page("/gone", status(404), from("/a"))),
			site{pages: []output.Page{home, page("/gone", status(404), func(p *output.Page) { p.Source = "redirect" })}, rejected: skipped("/a", output.Failed)}, []string{"new broken-link /a"}, 1,
		},
		{"broken URL that is excluded now", of(home, page("/gone", status(404), from("/"))), site{pages: []output.Page{home}, rejected: skipped("/gone", output.Excluded)}, nil, 1},
		{
			"a duplicate whose first page timed out", of(home, page("/1", texts("Same", "d1", "h")), page("/2", texts("Same", "d2", "h"))),
			site{pages: []output.Page{home, page("/2", texts("Same", "d2", "h"))}, rejected: skipped("/1", output.Failed)}, []string{"new broken-link /1"}, 1,
		},
		{
			"a duplicate one of whose pages timed out",
			of(home, page("/1", texts("Same", "d1", "h")), page("/2", texts("Same", "d2", "h")), page("/3", texts("Same", "d3", "h"))),
			site{pages: []output.Page{home, page("/1", texts("Other", "d1", "h")), page("/3", texts("Same", "d3", "h"))}, rejected: skipped("/2", output.Failed)},
			[]string{"new broken-link /2"}, 2,
		},
		{
			"a duplicate with another title now", of(home, page("/1", texts("Same", "d1", "h")), page("/2", texts("Same", "d2", "h"))),
			site{pages: []output.Page{home, page("/2", texts("Own", "d2", "h"))}, rejected: skipped("/1", output.Excluded)}, []string{"fixed title-duplicate /2"}, 0,
		},
		{
			"canonical URL that was not fetched", of(home, page("/a", fine("A"), canonical("/gone")), page("/gone", status(404), from("/"))),
			site{pages: []output.Page{home, page("/a", fine("A"), canonical("/gone"))}, rejected: skipped("/gone", output.Excluded)}, nil, 2,
		},
		{
			"canonical URL that works now", of(home, page("/a", fine("A"), canonical("/b")), page("/b", status(404), from("/"))),
			of(home, page("/a", fine("A"), canonical("/b")), page("/b", fine("B"))), []string{"fixed broken-link /b", "fixed canonical-broken /a"}, 0,
		},
		{
			"redirect chain whose second step is skipped", of(home, page("/1", redirected("/2")), page("/2", redirected("/3")), page("/3", fine("3"))),
			site{pages: []output.Page{home, page("/1", redirected("/2")), page("/3", fine("3"))}, rejected: skipped("/2", output.BeforeSince)}, nil, 1,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			with, without := open(t, tt.with.write(t)), open(t, tt.without.write(t))
			for _, direction := range []string{"fixed", "new"} {
				c, want := compare.Compare(with, without), slices.Clone(tt.want)
				if direction == "new" {
					c = compare.Compare(without, with)
					for i := range want {
						want[i] = strings.NewReplacer("new ", "fixed ", "fixed ", "new ").Replace(want[i])
					}
					slices.Sort(want)
				}
				got := only(c)
				if !slices.Equal(got, want) || c.NotCompared.Findings != tt.unread {
					t.Errorf("%s: %q, %d not compared, want %q, %d; notes %q", direction, got, c.NotCompared.Findings, want, tt.unread, c.Notes)
				}
			}
		})
	}
}

// Only the skipped URLs and the caveats of a report.json say what was not read.
func TestFindingsOfReportOnUnreadPages(t *testing.T) {
	reportOf := func(s site) *compare.Crawl {
		dir := s.write(t)
		r, err := report.Generate(t.Context(), []string{dir}, nil)
		if err == nil {
			err = r.WriteFiles(t.Context(), dir)
		}
		if err != nil {
			t.Fatal(err)
		}
		return open(t, filepath.Join(dir, report.JSONFile))
	}
	home, gone := page("/", fine("Home")), page("/gone", status(404))
	full := reportOf(of(home, gone, page("/a")))
	if got := only(compare.Compare(full, reportOf(of(home)))); len(got) != 4 {
		t.Errorf("a finished crawl: %q", got)
	}
	for name, s := range map[string]site{
		"stopped": {pages: []output.Page{home}, stopped: true},
		"304":     {pages: []output.Page{home, page("/b", status(304)), page("/gone")}},
		"skipped": {pages: []output.Page{home}, rejected: []output.Rejection{{URL: "/a", Reason: output.Excluded}, {URL: "/gone", Reason: output.Excluded}}},
	} {
		got := only(compare.Compare(full, reportOf(s)))
		if slices.ContainsFunc(got, func(s string) bool {
			return !strings.HasSuffix(s, "/gone") || name != "304" && strings.HasPrefix(s, "fixed")
		}) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// A page of an older recrawl has no content, and a page that a limit cut has a part.
func TestUnreadContentIsNotCompared(t *testing.T) {
	whole := page("/", texts("Home", "d", "Home"), func(p *output.Page) { p.Words, p.Links, p.Hash = 100, 10, "1" })
	for name, other := range map[string]output.Page{
		"304": page("/", status(304)),
		"cut": page("/", func(p *output.Page) { p.Truncated, p.Hash = "max-body", "2" }),
	} {
		before, after := open(t, of(whole).write(t)), open(t, of(other).write(t))
		for _, c := range []*compare.Comparison{compare.Compare(before, after), compare.Compare(after, before)} {
			if len(c.Changes) != 0 || c.BodiesChanged != 0 || c.NotCompared.Pages != 1 {
				t.Errorf("%s: %q, %+v", name, rows(c), c)
			}
		}
	}
}

// The pages that a crawl did not read, or to which it read no link, did not vanish.
func TestUnreadPagesDidNotVanish(t *testing.T) {
	list, item := page("/list", from("/")), page("/list/1", from("/list"))
	full := open(t, of(page("/"), list, item).write(t))
	for reason, want := range map[output.Reason][]string{
		output.RobotsUnreachable: nil, output.BeforeSince: nil, output.MaxHostPages: nil, output.Excluded: nil,
		output.Failed: {"page-broken /list no response"}, output.Nofollow: {"page-vanished /list skipped: nofollow"},
	} {
		part := open(t, site{pages: []output.Page{page("/")}, rejected: []output.Rejection{{URL: "/list", Reason: reason}}}.write(t))
		c := compare.Compare(full, part)
		if got := rows(c); !slices.Equal(got, want) || c.NotCompared.Pages != 2-len(want) {
			t.Errorf("%s: %q, want %q; %+v", reason, got, want, c.NotCompared)
		}
		if c := compare.Compare(part, full); reason != output.Nofollow && len(c.Changes) != 0 {
			t.Errorf("%s, the other way round: %q", reason, rows(c))
		}
	}
}
