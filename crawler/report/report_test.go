package report

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/internal/redirection"
	"github.com/politecrawl/politecrawl/crawler/internal/results"
	"github.com/politecrawl/politecrawl/crawler/output"
)

var update = flag.Bool("update", false, "write the golden files in testdata anew")

// The golden files have the whole of report.json, and the charts of report.html.
func TestReportMatchesGoldenFiles(t *testing.T) {
	r := everything().make(t)
	var report bytes.Buffer
	if err := r.WriteJSON(&report); err != nil {
		t.Fatal(err)
	}
	for name, got := range map[string]string{"testdata/report.json": report.String(), "testdata/charts.json": asJSON(t, charts(r)) + "\n"} {
		if *update {
			if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(name)
		if err != nil {
			t.Fatalf("%v; write it with go test -update", err)
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("%s differs (-want +got); write it with go test -update:\n%s", name, diff)
		}
	}
}

// The finding and the card count all blocked start URLs, however few rows a list has. URLs
// found by links do not count.
func TestBlockedStartURLsAreCounted(t *testing.T) {
	c := &crawl{state: everything().state}
	c.page("/", output.Page{Source: "start"})
	for _, source := range []string{"start", "start", "link"} {
		c.rejected = append(c.rejected, output.Rejection{
			URL: fmt.Sprintf("http://10.0.0.%d/", len(c.rejected)), Reason: output.BlockedAddress, Source: source, Detail: "address is not allowed (private)",
		})
	}
	c.reject("/private", output.Rejection{Reason: output.Disallowed, Source: "start", Rule: "Disallow: /private", Line: 1})
	r, err := Generate(t.Context(), []string{c.write(t)}, &Options{Rows: 1})
	if err != nil {
		t.Fatal(err)
	}
	want := Highlight{topicPages, Warning, 2, "2 start URLs were not requested: allow addresses that are not public with --allow-addr"}
	if !slices.Contains(r.Highlights, want) || r.Rejected.BlockedStartURLs != 2 {
		t.Errorf("%d start URLs were refused, highlights %+v", r.Rejected.BlockedStartURLs, r.Highlights)
	}
	if card := cards(r)[0]; card.Level != Warning || !slices.Contains(card.Highlights, want) {
		t.Errorf("the card: %+v", card)
	}
}

func TestBrokenURLsHaveTheirLinks(t *testing.T) {
	home, fine := example+"/", example+"/fine"
	want := []Finding{
		{URL: example + "/gone", Detail: "status 404", Pages: 2, FoundOn: []string{home, fine}},
		{URL: example + "/down", Detail: "connection refused", Pages: 1, FoundOn: []string{home}},
	} // not /error, which is found by a redirect only
	c := everything()
	if diff := cmp.Diff(want, FindingsOf(c.make(t), "broken-link").Rows); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	c.links = nil // only the first way to each is known then
	want[0], want[1] = want[1], want[0]
	want[1].Pages, want[1].FoundOn = 1, []string{home}
	if diff := cmp.Diff(want, FindingsOf(c.make(t), "broken-link").Rows); diff != "" {
		t.Errorf("without links.jsonl (-want +got):\n%s", diff)
	}
}

// A recrawl requests the URLs of the earlier crawl too, whether there is still a link to them or not.
func TestRecrawlHasNoBrokenLinkThatWasRemoved(t *testing.T) {
	gone, listed := example+"/gone", example+"/once-listed"
	recrawl := func(change func(c *crawl)) []string {
		c := everything()
		c.state["recrawls"] = 1
		c.pages = append(c.pages, output.Page{URL: listed, Status: 404, Source: "sitemap", FoundOn: example + "/sitemap.xml"})
		change(c)
		var urls []string
		for _, f := range FindingsOf(c.make(t), "broken-link").Rows {
			urls = append(urls, strings.TrimPrefix(f.URL, example))
		}
		return urls
	}
	unlink := func(c *crawl) {
		for i, l := range c.links {
			c.links[i].To = slices.DeleteFunc(slices.Clone(l.To), func(to output.Link) bool { return to.URL == gone })
		}
	}
	page := func(c *crawl, url string) *output.Page {
		return &c.pages[slices.IndexFunc(c.pages, func(p output.Page) bool { return p.URL == url })]
	}
	for name, tt := range map[string]struct {
		change func(c *crawl)
		want   []string
	}{
		"still linked":         {func(*crawl) {}, []string{"/gone", "/down"}},
		"removed":              {unlink, []string{"/down"}},
		"links not recorded":   {func(c *crawl) { c.links = nil; c.state["config"].(map[string]any)["links"] = false }, []string{"/down", "/gone"}},
		"page withheld":        {func(c *crawl) { unlink(c); page(c, page(c, gone).FoundOn).Withheld = "noindex" }, []string{"/down", "/gone"}},
		"page not read":        {func(c *crawl) { unlink(c); page(c, gone).FoundOn = example + "/not-read" }, []string{"/down", "/gone"}},
		"first crawl of a URL": {func(c *crawl) { unlink(c); c.state["recrawls"] = 0 }, []string{"/down", "/gone", "/once-listed"}},
	} {
		if got := recrawl(tt.change); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

// A page is a copy of the one that was fetched first, whichever line comes first.
func TestFirstFetchedPageIsTheOriginal(t *testing.T) {
	c := &crawl{state: everything().state}
	const hash = "00000000000000ff"
	c.page("/second", output.Page{Source: "link", Hash: hash, Canonical: example + "/first"})
	c.page("/first", output.Page{Source: "link", Hash: hash, Canonical: example + "/first"})
	c.page("/third", output.Page{Source: "link", Hash: hash, Canonical: example + "/third"})
	c.page("/fourth", output.Page{Source: "link", Hash: hash})
	c.page("/other", output.Page{Source: "link", Hash: "1"})
	c.page("/empty-1", output.Page{Source: "link"})
	c.page("/empty-2", output.Page{Source: "link"})
	c.pages[1].FetchedAt = at(1)
	c.page("/only-begin-alike", output.Page{Hash: hash, Truncated: "max-body"})
	want := Duplicates{Copies: 3, Declared: 1, Groups: List[DuplicateGroup]{Total: 1, Rows: []DuplicateGroup{
		{example + "/first", 3, 1, []string{example + "/fourth", example + "/second", example + "/third"}},
	}}}
	if diff := cmp.Diff(want, c.make(t).Duplicates); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestRowsLimitsListsNotCounts(t *testing.T) {
	c := &crawl{state: everything().state}
	for i := range 50 {
		path := "/" + strconv.Itoa(100+i)
		c.page(path, output.Page{Source: "link", Status: 404})
		c.reject("/no"+path, output.Rejection{Reason: output.Nofollow, Source: "link"})
		hash := fmt.Sprintf("%016x", i)
		c.page("/original"+path, output.Page{Source: "link", Hash: hash})
		c.page("/copy"+path, output.Page{Source: "link", Hash: hash, DurationMS: int64(100 + i)})
		c.page("/moved"+path, output.Page{Status: 301, Source: "link", Location: path})
	}
	r, err := Generate(t.Context(), []string{c.write(t)}, &Options{Rows: 3})
	if err != nil {
		t.Fatal(err)
	}
	links := FindingsOf(r, "broken-link")
	for name, l := range map[string]struct{ rows, total int }{
		"broken":     {len(links.Rows), links.Total},
		"chains":     {len(r.Redirects.Chains.Rows), r.Redirects.Chains.Total},
		"nofollow":   {len(r.Rejected.Reasons[0].URLs.Rows), r.Rejected.Reasons[0].URLs.Total},
		"duplicates": {len(r.Duplicates.Groups.Rows), r.Duplicates.Groups.Total},
	} {
		if l.rows != 3 || l.total != 50 {
			t.Errorf("%s: %+v", name, l)
		}
	}
	if b := links.Rows; b[0].URL != example+"/100" || b[2].URL != example+"/102" {
		t.Errorf("not the first: %s", asJSON(t, b))
	}
	for _, g := range r.Duplicates.Groups.Rows {
		if !strings.Contains(g.URL, "/original/") || len(g.Examples) != 1 || !strings.Contains(g.Examples[0], "/copy/") {
			t.Errorf("%+v", g)
		}
	}
}

// Only crawl.json is required.
func TestReportWithoutLineFiles(t *testing.T) {
	dir := everything().write(t)
	names, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil || len(names) < 6 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
		r, err := Generate(t.Context(), []string{dir}, nil)
		if err != nil {
			t.Fatalf("without %s: %v", name, err)
		}
		if err := r.WriteHTML(new(bytes.Buffer)); err != nil {
			t.Fatalf("without %s: %v", name, err)
		}
	}
	r, err := Generate(t.Context(), []string{dir}, nil)
	if err != nil || r.Summary.Pages != 0 || len(r.Robots.Origins.Rows) != 0 {
		t.Errorf("%+v, %v", r.Summary, err)
	}
	if err := os.Remove(filepath.Join(dir, "crawl.json")); err != nil {
		t.Fatal(err)
	}
	if _, err := Generate(t.Context(), []string{dir}, nil); !errors.Is(err, output.ErrNoCrawl) {
		t.Errorf("without %s: %v", "crawl.json", err)
	}
}

// The report covers all readable lines. It names the unreadable ones and marks the sitemap
// results as inconclusive.
func TestDamagedLinesAreSkipped(t *testing.T) {
	whole := everything().make(t)
	for _, name := range []string{"pages.jsonl", "rejected.jsonl", "links.jsonl", "sitemaps.jsonl", "entries.jsonl", "robots.jsonl"} {
		dir := everything().write(t)
		file := filepath.Join(dir, name)
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, append([]byte("nonsense\n"), text...), 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := Generate(t.Context(), []string{dir}, nil)
		if err != nil {
			t.Fatal(err)
		}
		note := name + " is damaged: line 1 cannot be read (invalid character 'o' in literal null (expecting 'u')); all other lines can be read; the report lacks what is lost"
		if diff := cmp.Diff(append([]string{note}, whole.Notes...), r.Notes); diff != "" {
			t.Errorf("%s: notes (-want +got):\n%s", name, diff)
		}
		for _, k := range SitemapFindings(r) {
			if !slices.Contains(k.Caveats, "1 file has lost data") {
				t.Errorf("%s: %s is not inconclusive: %q", name, k.ID, k.Caveats)
			}
		}
		if r.Summary.Pages != whole.Summary.Pages || r.Summary.Rejected != whole.Summary.Rejected || r.Summary.Broken != whole.Summary.Broken {
			t.Errorf("%s: %+v", name, r.Summary)
		}
		if r, err := Generate(t.Context(), []string{everything().write(t), dir}, nil); err != nil || !slices.Contains(r.Notes, dir+": "+note) {
			t.Errorf("%s, of two directories: %v", name, err)
		}
	}
}

func TestFilesThatHaveLostDataAreCountedOnce(t *testing.T) {
	lost := []Loss{
		{Dir: "w1", Loss: output.Loss{File: "pages.jsonl", Bytes: 10, SizeBefore: 30}}, {Dir: "w1", Loss: output.Loss{File: "pages.jsonl", Damage: "line 1"}},
		{Dir: "w1", Loss: output.Loss{File: "links.jsonl"}}, {Dir: "w2", Loss: output.Loss{File: "pages.jsonl"}},
	}
	if got := lostFiles(lost); got != 3 {
		t.Errorf("%d files, want 3", got)
	}
}

func TestDamagedStateFileIsAnError(t *testing.T) {
	whole, damaged := everything().write(t), everything().write(t)
	if err := os.WriteFile(filepath.Join(damaged, "crawl.json"), []byte("{}\nnonsense\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dirs := range [][]string{{damaged}, {whole, damaged}} {
		if _, err := Generate(t.Context(), dirs, nil); err == nil || !strings.Contains(err.Error(), filepath.Join(damaged, "crawl.json")) {
			t.Errorf("%d directories: Generate = %v", len(dirs), err)
		}
	}
}

// A running crawl may add lines between the two readings.
func TestBothReadingsSeeTheSameLines(t *testing.T) {
	dir := everything().write(t)
	m := loadModel(t, dir)
	f, err := os.OpenFile(filepath.Join(dir, "pages.jsonl"), os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteString(`{"url":"` + example + `/late","status":404}` + "\n")
	}
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	if err := m.find(); err != nil {
		t.Fatal(err)
	}
	if r := m.report(); r.Summary.Broken != 3 || r.Summary.Pages != len(everything().pages) {
		t.Errorf("%d broken of %d pages", r.Summary.Broken, r.Summary.Pages)
	}
}

// TestSchema: each section of SCHEMA.md names every field of its types, and has a ? after the
// names of those that are omitted when they have no value.
func TestSchema(t *testing.T) {
	text, err := os.ReadFile("SCHEMA.md")
	if err != nil {
		t.Fatal(err)
	}
	sections := strings.Split(string(text), "\n## ")
	place := func(name string) int {
		return max(0, slices.IndexFunc(sections, func(s string) bool { return strings.HasPrefix(s, "`"+name+"`\n") }))
	}
	always, optional := make([]map[string]bool, len(sections)), make([]map[string]bool, len(sections))
	for i := range sections {
		always[i], optional[i] = map[string]bool{}, map[string]bool{}
	}
	// collect adds the fields of a type to a section. A field of a report with a section of its own
	// has its fields there.
	var collect func(of reflect.Type, section int)
	collect = func(of reflect.Type, section int) {
		for of.Kind() == reflect.Slice || of.Kind() == reflect.Pointer {
			of = of.Elem()
		}
		if of.Kind() != reflect.Struct || of == reflect.TypeFor[time.Time]() {
			return
		}
		isList := strings.HasPrefix(of.Name(), "List[")
		for field := range of.Fields() {
			name, rest, named := strings.Cut(field.Tag.Get("json"), ",")
			switch {
			case name == "-", !field.IsExported() && !field.Anonymous:
			case field.Anonymous && name == "", isList:
				collect(field.Type, section)
			default:
				if named && strings.HasPrefix(rest, "omit") {
					optional[section][name] = true
				} else {
					always[section][name] = true
				}
				under := section
				if of == reflect.TypeFor[Report]() {
					under = place(name)
				}
				collect(field.Type, under)
			}
		}
	}
	collect(reflect.TypeFor[Report](), 0)

	marked := regexp.MustCompile("`([a-z0-9_]+)`[?]")
	fields := 0
	for i, section := range sections {
		title, _, _ := strings.Cut(section, "\n")
		for name := range always[i] {
			fields++
			if !strings.Contains(section, "`"+name+"`") {
				t.Errorf("%s: %q is not named", title, name)
			}
		}
		for name := range optional[i] {
			fields++
			if !strings.Contains(section, "`"+name+"`?") {
				t.Errorf("%s: %q is not marked as optional", title, name)
			}
		}
		for _, name := range marked.FindAllStringSubmatch(section, -1) {
			if !optional[i][name[1]] {
				t.Errorf("%s: %q is marked as optional", title, name[1])
			}
		}
	}
	if fields < 100 {
		t.Errorf("only %d fields", fields)
	}
}

func TestEmptyCrawlHasNoOKFindings(t *testing.T) {
	c := &crawl{state: map[string]any{"version": results.Version, "ended": CrawlEnd{"interrupted", 3}}}
	r := c.make(t)
	var page strings.Builder
	if err := r.WriteHTML(&page); err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Highlights {
		if f.Level == OK {
			t.Errorf("%+v", f)
		}
	}
	for _, words := range []string{"No page was fetched.", "No URL was requested.", "No sitemap entries found. <span"} {
		if !strings.Contains(page.String(), words) {
			t.Errorf("the page does not say %q", words)
		}
	}
	for _, words := range []string{`id="chart-depths"`, "No URL is broken", `class="card ok"`} {
		if strings.Contains(page.String(), words) {
			t.Errorf("the page has %q", words)
		}
	}
}

// The bytes of a recrawl are those that it has read, as in the summary of the crawl.
func TestUnchangedPagesCountNoBytes(t *testing.T) {
	c := &crawl{state: everything().state}
	c.page("/", output.Page{Source: "start", Bytes: 500})
	c.page("/same", output.Page{Source: "link", Status: 304, Unchanged: true, Hash: "ab", Bytes: 700})
	c.page("/sent-again", output.Page{Source: "link", Unchanged: true, Hash: "cd", Bytes: 60})
	r := c.make(t)
	if got := [...]int64{r.Summary.Bytes, r.Origins.Rows[0].Bytes, r.urls.rows[1].bytes}; got != [...]int64{560, 560, 700} {
		t.Errorf("bytes of the crawl, of the origin and of the unchanged page: %d", got)
	}
	if diff := cmp.Diff([]Status{{200, 2}, {304, 1}}, r.Statuses); diff != "" {
		t.Errorf("statuses (-want +got):\n%s", diff)
	}
}

func TestTruncatedPagesAreListed(t *testing.T) {
	c := &crawl{state: everything().state}
	c.page("/", output.Page{Source: "start", Bytes: 500})
	c.page("/long", output.Page{Source: "link", Bytes: 1000, Truncated: "max-body", LimitsReached: []string{"max-body"}})
	c.page("/packed", output.Page{Source: "link", Bytes: 2000, Truncated: "ratio", LimitsReached: []string{"ratio", "max-links"}, LinksSkipped: 1234})
	c.page("/links", output.Page{Source: "link", Bytes: 800, LinksSkipped: 1, LimitsReached: []string{"link-bytes"}})
	c.page("/fields", output.Page{Source: "link", Bytes: 600, LimitsReached: []string{"field-tags"}})
	r := c.make(t)
	var got []string
	for _, p := range r.Truncated.Rows {
		got = append(got, p.URL+" "+strings.Join(p.LimitsReached, "+"))
	}
	want := []string{
		example + "/packed ratio+max-links", example + "/long max-body", example + "/links link-bytes",
		example + "/fields field-tags",
	}
	if diff := cmp.Diff(want, got); diff != "" || r.Truncated.Total != len(want) {
		t.Errorf("%d in all (-want +got):\n%s", r.Truncated.Total, diff)
	}
	limits := []Count{{"field-tags", 1}, {"link-bytes", 1}, {"max-body", 1}, {"max-links", 1}, {"ratio", 1}}
	if diff := cmp.Diff(List[Count]{len(limits), limits}, r.LimitsReached); diff != "" {
		t.Errorf("by limit (-want +got):\n%s", diff)
	}
	said := false
	for _, f := range r.Highlights {
		said = said || f.Topic == topicPages && f.Count == len(want) &&
			f.Text == "4 pages were truncated by a limit (field-tags: 1, link-bytes: 1, max-body: 1, max-links: 1, ratio: 1)"
	}
	var page bytes.Buffer
	if err := r.WriteHTML(&page); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"Truncated pages", ">max-body<", ">ratio, max-links: 1,234 links skipped<"} {
		if !strings.Contains(page.String(), text) {
			t.Errorf("the page does not say %q", text)
		}
	}
	if !said {
		t.Errorf("it is not said; highlights %+v", r.Highlights)
	}
}

// Deferred URLs are listed with the time to retry. They do not wait for a robots.txt.
func TestDeferredURLsHaveRetryAt(t *testing.T) {
	c := everything()
	before := c.make(t)
	c.reject("/busy", output.Rejection{Reason: output.Deferred, Source: "link", Detail: "it said Retry-After", RetryAt: at(7200)})
	r := c.make(t)
	i := slices.IndexFunc(r.Rejected.Reasons, func(g ReasonGroup) bool { return g.Reason == output.Deferred })
	rows := r.Rejected.Reasons[i].URLs.Rows
	row := slices.IndexFunc(rows, func(u RejectedURL) bool { return u.URL == example+"/busy" })
	if row < 0 || !rows[row].RetryAt.Equal(at(7200)) {
		t.Errorf("%+v", rows)
	}
	robots := func(r *Report) (later int) {
		for _, h := range r.Robots.Origins.Rows {
			later += h.Unreachable
		}
		return later
	}
	if was, is := robots(before), robots(r); was != is || len(r.Robots.Origins.Rows) != len(before.Robots.Origins.Rows) {
		t.Errorf("%d wait for a robots.txt, without it %d", is, was)
	}
	var page bytes.Buffer
	if err := r.WriteHTML(&page); err != nil {
		t.Fatal(err)
	}
	if want := "it said Retry-After, not before " + moment(at(7200)); !strings.Contains(page.String(), want) {
		t.Errorf("the page does not say %q", want)
	}
}

// A crawl writes the lines of URLs that it skipped when it ends. Before that, the report says
// that it does not know them, instead of stating zeros as facts.
func TestSkippedURLsAreUnknownUntilTheCrawlEnds(t *testing.T) {
	ended := CrawlEnd{End: "interrupted", Remaining: 3}
	uncommitted := map[string]any{"end": "interrupted", "remaining": 3, "uncommitted": true}
	const unknown = ": some skipped URLs are not listed until it ends"
	for name, tt := range map[string]struct {
		saved  any       // in crawl.json; nil: the crawl is running, or was killed after it had been resumed
		caller *CrawlEnd // what the caller knows
		want   []string
	}{
		"ended":                            {ended, nil, []string{}},
		"ended, and its frontier was read": {ended, &CrawlEnd{Remaining: 3}, []string{}},
		"not known":                        {nil, nil, []string{"the crawl is still running or was killed" + unknown}},
		"running":                          {nil, &CrawlEnd{End: EndRunning}, []string{"the crawl is still running" + unknown}},
		"about to resume":                  {ended, &CrawlEnd{End: EndRunning}, []string{"the crawl is still running" + unknown}},
		"killed":                           {nil, &CrawlEnd{Remaining: 3}, []string{"the crawl was killed or failed" + unknown}},
		"killed when nothing was left":     {nil, &CrawlEnd{}, []string{"the crawl was killed or failed" + unknown}},
		"ended without its frontier":       {uncommitted, nil, []string{"the crawl was killed or failed" + unknown}},
	} {
		t.Run(name, func(t *testing.T) {
			c := everything()
			c.rejected = nil
			c.state["ended"] = tt.saved
			r, err := Generate(t.Context(), []string{c.write(t)}, &Options{CrawlEnd: func(string) *CrawlEnd { return tt.caller }})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, r.Notes); diff != "" {
				t.Errorf("notes (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.want, r.Rejected.Caveats); diff != "" {
				t.Errorf("the rejected URLs are inconclusive (-want +got):\n%s", diff)
			}
			for _, k := range SitemapFindings(r) {
				reasons := strings.Join(k.Caveats, "; ")
				if reasons == "" && len(tt.want) > 0 || strings.Contains(reasons, "worker") { // there are none
					t.Errorf("%s is inconclusive for %q", k.ID, reasons)
				}
			}
			var page strings.Builder
			if err := r.WriteHTML(&page); err != nil {
				t.Fatal(err)
			}
			pages := r.Summary.Pages
			ifEnded := []string{"No URL was skipped.", fmt.Sprintf("URLs disallowed, of %d found", pages)}
			before := []string{fmt.Sprintf("URLs disallowed, of at least %d found", pages), `<span class="count">0</span> <span class="tag">(list may be incomplete)</span></h3>`}
			for _, words := range slices.Concat(ifEnded, before) {
				want := slices.Contains(ifEnded, words) == (len(tt.want) == 0)
				if strings.Contains(page.String(), words) != want {
					t.Errorf("the page says %q: %v", words, !want)
				}
			}
		})
	}
}

// Lost data is reported, whether the crawl found the loss when it resumed or it happened after
// the end.
func TestLostDataIsReported(t *testing.T) {
	c := everything()
	before := map[string]any{"file": "links.jsonl", "bytes": 10, "size_before": 30}
	c.state["lost"] = []any{before, map[string]any{"file": "crawl-00000.warc.gz", "bytes": 0, "size_before": 0}}
	c.state["rejected_incomplete"] = true
	dir := c.write(t)
	written := make(map[string]int64)
	for _, name := range []string{"pages.jsonl", "rejected.jsonl"} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		written[name] = info.Size()
	}
	c.state["ended"] = map[string]any{"end": "finished", "remaining": 0, "written": written}
	if err := results.SaveState(dir, c.state); err != nil {
		t.Fatal(err)
	}
	pages, err := os.ReadFile(filepath.Join(dir, "pages.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	last := bytes.LastIndexByte(pages[:len(pages)-1], '\n') + 1
	if err := os.Truncate(filepath.Join(dir, "pages.jsonl"), int64(last)+5); err != nil {
		t.Fatal(err)
	}
	r, err := Generate(t.Context(), []string{dir}, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []Loss{
		{Loss: output.Loss{File: "links.jsonl", Bytes: 10, SizeBefore: 30}}, {Loss: output.Loss{File: "crawl-00000.warc.gz"}},
		{Loss: output.Loss{File: "pages.jsonl", Bytes: int64(len(pages) - last), SizeBefore: int64(len(pages))}},
	}
	if diff := cmp.Diff(want, r.Lost); diff != "" {
		t.Errorf("lost (-want +got):\n%s", diff)
	}
	for _, text := range []string{
		"links.jsonl has lost 10 of 30 bytes; the report lacks what is lost", "crawl-00000.warc.gz is gone; ", want[2].String() + "; ",
		"more URLs were skipped than rejected.jsonl lists",
	} {
		if !strings.Contains(strings.Join(r.Notes, "\n"), text) {
			t.Errorf("notes %q do not say %q", r.Notes, text)
		}
	}
	if r.Highlights[0].Level != Error || r.Highlights[0].Text != "3 files have lost data: see the notes" {
		t.Errorf("highlights %+v", r.Highlights)
	}
	for _, kind := range SitemapFindings(r) {
		if !strings.Contains(strings.Join(kind.Caveats, "\n"), "3 files have lost") {
			t.Errorf("%s: %q", kind.ID, kind.Caveats)
		}
	}
	other, err := Generate(t.Context(), []string{dir, everything().write(t)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(other.Lost) != 3 || other.Lost[0].Dir != dir || !strings.HasPrefix(other.Notes[0], dir+": links.jsonl has lost") {
		t.Errorf("of two directories: %+v, %q", other.Lost, other.Notes)
	}
	if whole := everything().make(t); len(whole.Lost) > 0 || whole.Lost == nil {
		t.Errorf("%+v of a crawl that has lost nothing", whole.Lost)
	}
}

var (
	leftOut  = regexp.MustCompile(`(<summary>)?and ([\d,]+) more([^<]*)`)
	inFile   = regexp.MustCompile(`^ in (\w+\.jsonl)$`)
	withRows = regexp.MustCompile(`^; “politecrawl report DIR --rows (\d+)” lists them$`)
	byLint   = "; “politecrawl robots lint " + bare + "” lists them"
)

// Whatever the page leaves out, it says which file holds it or which command lists it.
func TestReportSaysWhereTheRestIs(t *testing.T) {
	c := everything()
	for i := range 30 {
		path := fmt.Sprintf("/copy/%02d", i)
		page := c.pages[0]
		page.URL, page.Directives = example+path, []output.Directive{{Rule: "noarchive", Source: "meta"}}
		c.pages = append(c.pages, page)
		c.links = append(c.links, output.Links{URL: example + path, To: []output.Link{{URL: example + "/gone"}}})
		c.reject(fmt.Sprintf("/private/more/%02d", i), output.Rejection{Reason: output.Disallowed, Rule: "Disallow: /private/", Line: 3, RobotsURL: example + "/robots.txt", Group: "*"})
		c.robots = append(c.robots, robotsLine{Origin: bare, Outcome: "rules", Status: 200, Hash: strconv.Itoa(i), FetchedAt: at(100 + i)})
	}
	c.texts[bare] = strings.Repeat("User-agent: *\nDisalow: /a\nUseragent: b\nAlow: /b\nSitmap: x\nCrawl-dely: 1\n", 5)
	dir := c.write(t)
	r, err := Generate(t.Context(), []string{dir}, &Options{Rows: 1})
	if err != nil {
		t.Fatal(err)
	}
	var html bytes.Buffer
	if err := r.WriteHTML(&html); err != nil {
		t.Fatal(err)
	}
	files, most := map[string]bool{}, 0
	markup, _, _ := strings.Cut(html.String(), "<script")
	for _, m := range leftOut.FindAllStringSubmatch(markup, -1) {
		opens, says := m[1] != "", m[3]
		file, rows := inFile.FindStringSubmatch(says), withRows.FindStringSubmatch(says)
		switch {
		case file != nil:
			files[file[1]] = true
		case rows != nil:
			n, err := strconv.Atoi(rows[1])
			if err != nil {
				t.Fatal(err)
			}
			most = max(most, n)
		case !opens && says != byLint:
			t.Errorf("%q points nowhere", m[0])
		}
	}
	if !regexp.MustCompile(`1 of \d+ URLs are in this file. “politecrawl report DIR --serve 127.0.0.1:8080” shows all.</p><div class="table" data-table="urls">`).MatchString(markup) {
		t.Error("the page does not say where the other URLs are")
	}
	for _, file := range []string{"pages.jsonl", "links.jsonl", "rejected.jsonl", "robots.jsonl"} {
		if !files[file] {
			t.Errorf("nothing is said to be in %s", file)
		}
	}
	if r, err = Generate(t.Context(), []string{dir}, &Options{Rows: most}); err != nil {
		t.Fatal(err)
	}
	for name, more := range map[string]int{
		"hosts": r.Origins.Total - len(r.Origins.Rows), "broken": r.Findings[0].Total - len(r.Findings[0].Rows), "types": r.Types.Total - len(r.Types.Rows),
		"chains": r.Redirects.Chains.Total - len(r.Redirects.Chains.Rows), "rules": r.Rejected.Rules.Total - len(r.Rejected.Rules.Rows),
		"robots": r.Robots.Origins.Total - len(r.Robots.Origins.Rows),
	} {
		if more > 0 {
			t.Errorf("with --rows %d there are still %d more %s", most, more, name)
		}
	}
}

// A chain counts once: as a loop, as a dead end, or as a long one. A redirect to itself is one hop.
func TestRedirectChains(t *testing.T) {
	var endless [][2]string
	for i := range 3 * redirection.Max {
		endless = append(endless, [2]string{fmt.Sprint("/", i), fmt.Sprint("/", i+1)})
	}
	for name, tt := range map[string]struct {
		redirects             [][2]string // to /fine, which is a page, or /gone
		want                  []string    // start, end and hops of each chain
		loops, deadEnds, long int
	}{
		"loop":             {[][2]string{{"/a", "/b"}, {"/b", "/a"}}, []string{"/b loop 2"}, 1, 0, 0},
		"dead end":         {[][2]string{{"/a", "/b"}, {"/b", "/gone"}}, []string{"/a broken 2"}, 0, 1, 0},
		"long":             {[][2]string{{"/a", "/b"}, {"/b", "/fine"}}, []string{"/a page 2"}, 0, 0, 1},
		"to itself":        {[][2]string{{"/a", "/a"}}, []string{"/a loop 1"}, 1, 0, 0},
		"to one to itself": {[][2]string{{"/a", "/b"}, {"/b", "/b"}}, []string{"/a loop 2"}, 1, 0, 0},
		"endless":          {append(endless, [2]string{"/self", "/self"}), []string{fmt.Sprint("/0 too-long ", redirection.Max), "/self loop 1"}, 1, 1, 0},
		"to no web page": {
			[][2]string{{"/a", "mailto:a@example.com"}, {"/b", "javascript:void(0)"}, {"/c", "data:text/html,a"}, {"/d", "tel:1"}},
			[]string{"/a no-location 1", "/b no-location 1", "/c no-location 1", "/d no-location 1"}, 0, 4, 0,
		},
	} {
		c := &crawl{state: everything().state}
		for _, r := range tt.redirects {
			c.page(r[0], output.Page{Status: 302, Source: "link", Location: r[1]})
		}
		c.page("/gone", output.Page{Source: "redirect", Status: 404})
		c.page("/fine", output.Page{Source: "redirect"})
		r := c.make(t).Redirects
		var got []string
		for _, chain := range r.Chains.Rows {
			got = append(got, fmt.Sprintf("%s %s %d", strings.TrimPrefix(chain.Steps[0].URL, example), chain.End, chain.Hops))
		}
		slices.Sort(got)
		if !slices.Equal(got, tt.want) || r.Loops != tt.loops || r.DeadEnds != tt.deadEnds || r.Long != tt.long {
			t.Errorf("%s: %q, want %q; %d loops, %d dead ends, %d long", name, got, tt.want, r.Loops, r.DeadEnds, r.Long)
		}
	}
}

// A report that is no longer wanted ends with the error of the context.
func TestReportIsCanceled(t *testing.T) {
	dir := everything().write(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Generate(ctx, []string{dir}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("Generate: %v", err)
	}
	if _, err := FindIndexable(ctx, []string{dir}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("FindIndexable: %v", err)
	}
}
