package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/output"
)

var update = flag.Bool("update", false, "write the golden files in testdata anew")

// TestGolden holds the whole of report.json.
func TestGolden(t *testing.T) {
	var got bytes.Buffer
	if err := everything().make(t).WriteJSON(&got); err != nil {
		t.Fatal(err)
	}
	const name = "testdata/report.json"
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatalf("%v; write it with go test -update", err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("not what %s holds (-want +got):\n%s", name, diff)
	}
}

// TestFindings holds the sentences at the top.
func TestFindings(t *testing.T) {
	want := []string{
		"pages note 1 page has the same content as another",
		"pages note 3 pages ask something of crawlers in a header or meta element",
		"broken bad 3 URLs answer with an error or not at all",
		"broken bad 2 pages link to https://example.com/gone",
		"broken bad 1 redirect runs in a loop",
		"broken bad 2 redirects end at no page",
		"broken warn 1 redirect takes more than one step",
		"robots warn 1 outage of a robots.txt that passed",
		"robots note 1 change in a robots.txt while the crawl went on",
		"robots note 2 lines keep URLs away",
		"robots note the most by “Disallow: /private/”, line 2 of https://example.com/robots.txt: 2 URLs",
		"sitemaps bad 2 URLs listed but broken",
		"sitemaps bad 1 URL listed but redirected",
		"sitemaps bad 1 URL listed but disallowed",
		"sitemaps bad 2 URLs listed but noindex",
		"sitemaps bad 1 URL listed but canonical elsewhere",
		"sitemaps bad 1 URL listed by a sitemap that may not",
		"sitemaps bad 2 URLs with a lastmod that cannot be true",
		"sitemaps warn 2 URLs listed but not linked",
		"sitemaps warn 2 URLs linked but not listed",
		"sitemaps note 1 URL listed but not fetched",
	}
	var got []string
	for _, f := range everything().make(t).Findings {
		got = append(got, f.Topic+" "+string(f.Level)+" "+f.Text)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestAllIsWell holds what is said of a crawl of which there is nothing to say.
func TestAllIsWell(t *testing.T) {
	c := &crawl{state: everything().state}
	c.page("/", output.Page{Source: "start"})
	c.linked("/a", "")
	c.links = []output.Links{{URL: example + "/", To: []string{example + "/a"}}}
	c.sitemaps = []output.Sitemap{{URL: example + "/sitemap.xml", Status: 200, Pages: 2}}
	c.entries = []output.Entry{{URL: example + "/"}, {URL: example + "/a"}}
	for _, f := range c.make(t).Findings {
		if f.Level != Good {
			t.Errorf("%+v", f)
		}
	}
}

// TestRefusedStarts holds that who looks only at what stands first hears of the start URLs
// that were refused for their address, however few rows a list has; what links lead to is
// none of them.
func TestRefusedStarts(t *testing.T) {
	c := &crawl{state: everything().state}
	c.page("/", output.Page{Source: "start"})
	for _, source := range []string{"start", "start", "link"} {
		c.rejected = append(c.rejected, output.Rejection{
			URL: fmt.Sprintf("http://10.0.0.%d/", len(c.rejected)), Reason: output.Address, Source: source, Detail: "address is not allowed (private)",
		})
	}
	c.reject("/private", output.Rejection{Reason: output.Disallowed, Source: "start", Rule: "Disallow: /private", Line: 1})
	r, err := Make([]string{c.write(t)}, &Options{Rows: 1})
	if err != nil {
		t.Fatal(err)
	}
	want := Finding{topicPages, Warn, 2, "2 start URLs were not asked for: an address that is not public has to be allowed with --allow-addr"}
	if !slices.Contains(r.Findings, want) || r.Rejected.RefusedStarts != 2 {
		t.Errorf("%d start URLs were refused, findings %+v", r.Rejected.RefusedStarts, r.Findings)
	}
	if card := cards(r)[0]; card.Level != Warn || !slices.Contains(card.Findings, want) {
		t.Errorf("the card: %+v", card)
	}
}

// TestRobotsUnread holds what is said of a robots.txt for which no answer came: that it was
// not read, not how far.
func TestRobotsUnread(t *testing.T) {
	c := &crawl{state: everything().state}
	c.page("/", output.Page{Source: "start"})
	c.robots = []robotsLine{{Origin: bare, Outcome: "unreachable", Error: "connection refused", Chain: []string{bare + "/robots.txt"}, FetchedAt: at(1), FailingSince: at(1)}}
	want := Finding{topicRobots, Bad, 1, "the robots.txt of 1 host could not be read"}
	if r := c.make(t); !slices.Contains(r.Findings, want) {
		t.Errorf("findings %+v", r.Findings)
	}
}

func TestRedirects(t *testing.T) {
	r := everything().make(t).Redirects
	var got []string
	for _, c := range r.Chains.Rows {
		var urls []string
		for _, s := range c.Steps {
			urls = append(urls, strings.TrimPrefix(s.URL, example))
		}
		got = append(got, strings.Join(urls, " ")+" "+c.End+" "+c.Why+" "+strconv.Itoa(c.Hops))
	}
	loop := "/loop-1 /loop-2 /loop-1 loop  2"
	if strings.HasPrefix(got[0], "/loop-2") { // where it begins is all the same
		loop = "/loop-2 /loop-1 /loop-2 loop  2"
	}
	want := []string{
		loop,
		"/to-error /error broken  1",
		"/to-nothing nowhere  1",
		"/to-private /private/1 left disallowed 1",
		"/a /b /c page  2",
		"/moved /fine page  1",
		"/old /new page  1",
		"/to-later /not-yet unseen  1",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if r.URLs != 10 || r.Loops != 1 || r.Dead != 2 || r.Long != 1 {
		t.Errorf("%+v", r)
	}
}

// TestEndless holds that chains without end come to one here.
func TestEndless(t *testing.T) {
	c := &crawl{state: everything().state}
	for i := range 3 * maxHops {
		c.page("/"+strconv.Itoa(i), output.Page{Status: 302, Source: "redirect", Location: strconv.Itoa(i + 1)})
	}
	c.page("/self", output.Page{Status: 302, Source: "link", Location: "self"})
	r := c.make(t).Redirects
	if r.Loops != 1 || r.Dead != 1 || r.Chains.Total != 2 || r.Chains.Rows[1].End != endNever || r.Chains.Rows[1].Hops != maxHops {
		t.Errorf("%s", asJSON(t, r))
	}
}

func TestBroken(t *testing.T) {
	home, fine := example+"/", example+"/fine"
	want := []Broken{
		{URL: example + "/gone", Status: 404, Links: 2, From: []string{home, fine}, Via: home, Source: "link"},
		{URL: example + "/down", Detail: "connection refused", Links: 1, From: []string{home}, Via: home, Source: "link"},
		{URL: example + "/error", Status: 500, From: []string{}, Via: example + "/to-error", Source: "redirect"},
	}
	c := everything()
	if diff := cmp.Diff(want, c.make(t).Broken.Rows); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	c.links = nil // only the first way to each is known then
	want[0], want[1] = want[1], want[0]
	want[1].Links, want[1].From = 1, []string{home}
	if diff := cmp.Diff(want, c.make(t).Broken.Rows); diff != "" {
		t.Errorf("without links.jsonl (-want +got):\n%s", diff)
	}
}

// TestDuplicates holds that a page is a copy of the one that was fetched first, whichever
// line comes first, and which copies say so.
func TestDuplicates(t *testing.T) {
	c := &crawl{state: everything().state}
	const hash = "00000000000000ff"
	c.page("/second", output.Page{Source: "link", Hash: hash, Canonical: "/first"})
	c.page("/first", output.Page{Source: "link", Hash: hash, Canonical: "/first"})
	c.page("/third", output.Page{Source: "link", Hash: hash, Canonical: "/third"})
	c.page("/fourth", output.Page{Source: "link", Hash: hash})
	c.page("/other", output.Page{Source: "link", Hash: "1"})
	c.page("/empty-1", output.Page{Source: "link"})
	c.page("/empty-2", output.Page{Source: "link"})
	c.pages[1].FetchedAt = at(1)
	want := Duplicates{Copies: 3, Declared: 1, Groups: List[CopiesOfOne]{Total: 1, Rows: []CopiesOfOne{
		{example + "/first", 3, 1, []string{example + "/fourth", example + "/second", example + "/third"}},
	}}}
	if diff := cmp.Diff(want, c.make(t).Duplicates); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestRows holds that lists end where they should and counts do not.
func TestRows(t *testing.T) {
	c := &crawl{state: everything().state}
	for i := range 50 {
		path := "/" + strconv.Itoa(100+i)
		c.page(path, output.Page{Source: "link", Status: 404})
		c.reject("/no"+path, output.Rejection{Reason: output.Nofollow, Source: "link"})
		hash := fmt.Sprintf("%016x", i)
		c.page("/original"+path, output.Page{Source: "link", Hash: hash})
		c.page("/copy"+path, output.Page{Source: "link", Hash: hash, Millis: int64(100 + i)})
		c.page("/moved"+path, output.Page{Status: 301, Source: "link", Location: path})
	}
	r, err := Make([]string{c.write(t)}, &Options{Rows: 3})
	if err != nil {
		t.Fatal(err)
	}
	for name, l := range map[string]struct{ rows, total int }{
		"broken":     {len(r.Broken.Rows), r.Broken.Total},
		"chains":     {len(r.Redirects.Chains.Rows), r.Redirects.Chains.Total},
		"nofollow":   {len(r.Rejected.Reasons[0].URLs.Rows), r.Rejected.Reasons[0].URLs.Total},
		"duplicates": {len(r.Duplicates.Groups.Rows), r.Duplicates.Groups.Total},
	} {
		if l.rows != 3 || l.total != 50 {
			t.Errorf("%s: %+v", name, l)
		}
	}
	if b := r.Broken.Rows; b[0].URL != example+"/100" || b[2].URL != example+"/102" {
		t.Errorf("not the first: %s", asJSON(t, b))
	}
	if s := r.Slowest.Rows; s[0].Millis != 149 || s[2].Millis != 147 {
		t.Errorf("not the slowest: %s", asJSON(t, s))
	}
	for _, g := range r.Duplicates.Groups.Rows {
		if !strings.Contains(g.URL, "/original/") || len(g.Examples) != 1 || !strings.Contains(g.Examples[0], "/copy/") {
			t.Errorf("%+v", g)
		}
	}
}

// TestFilesThatAreNotThere holds that only crawl.json has to be.
func TestFilesThatAreNotThere(t *testing.T) {
	dir := everything().write(t)
	names, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil || len(names) < 6 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
		r, err := Make([]string{dir}, nil)
		if err != nil {
			t.Fatalf("without %s: %v", name, err)
		}
		if err := r.WriteHTML(new(bytes.Buffer)); err != nil {
			t.Fatalf("without %s: %v", name, err)
		}
	}
	r, err := Make([]string{dir}, nil)
	if err != nil || r.Summary.Pages != 0 || len(r.Robots.Hosts.Rows) != 2 { // these stand in robots/ too
		t.Errorf("%+v, %v", r.Summary, err)
	}
	if err := os.Remove(filepath.Join(dir, "crawl.json")); err != nil {
		t.Fatal(err)
	}
	if _, err := Make([]string{dir}, nil); !errors.Is(err, output.ErrNone) {
		t.Errorf("without %s: %v", "crawl.json", err)
	}
}

// A report is made of all lines that can be read. It says which cannot, and that all it says
// of sitemaps may be wrong for that.
func TestDamagedLinesAreLeftOut(t *testing.T) {
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
		r, err := Make([]string{dir}, nil)
		if err != nil {
			t.Fatal(err)
		}
		note := name + " is damaged: line 1 cannot be read (invalid character 'o' in literal null (expecting 'u')); all other lines can be read: what is lost is missing in this report"
		if diff := cmp.Diff(append([]string{note}, whole.Notes...), r.Notes); diff != "" {
			t.Errorf("%s: notes (-want +got):\n%s", name, diff)
		}
		for _, k := range r.Sitemaps.Kinds {
			if !slices.Contains(k.Inconclusive, "1 file has lost something of what the crawl wrote") {
				t.Errorf("%s: %s is not in doubt: %q", name, k.Kind, k.Inconclusive)
			}
		}
		if r.Summary.Pages != whole.Summary.Pages || r.Summary.Rejected != whole.Summary.Rejected || r.Broken.Total != whole.Broken.Total {
			t.Errorf("%s: %+v", name, r.Summary)
		}
		if r, err := Make([]string{everything().write(t), dir}, nil); err != nil || !slices.Contains(r.Notes, dir+": "+note) {
			t.Errorf("%s, of two directories: %v", name, err)
		}
	}
}

func TestDamagedStateFile(t *testing.T) {
	whole, damaged := everything().write(t), everything().write(t)
	if err := os.WriteFile(filepath.Join(damaged, "crawl.json"), []byte("{}\nnonsense\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dirs := range [][]string{{damaged}, {whole, damaged}} {
		if _, err := Make(dirs, nil); err == nil || !strings.Contains(err.Error(), filepath.Join(damaged, "crawl.json")) {
			t.Errorf("%d directories: Make = %v", len(dirs), err)
		}
	}
}

// TestWhileTheCrawlGoesOn holds that both readings see the same.
func TestWhileTheCrawlGoesOn(t *testing.T) {
	dir := everything().write(t)
	m := begun(t, dir)
	if err := m.learn(); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(filepath.Join(dir, "pages.jsonl"), os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteString(`{"url":"` + example + `/late","status":404}` + "\n")
	}
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	m.conclude()
	if err := m.name(); err != nil {
		t.Fatal(err)
	}
	if r := m.report(); r.Broken.Total != 3 || r.Summary.Pages != len(everything().pages) {
		t.Errorf("%d broken of %d pages", r.Broken.Total, r.Summary.Pages)
	}
}

// TestSchema holds that SCHEMA.md names every field.
func TestSchema(t *testing.T) {
	schema, err := os.ReadFile("SCHEMA.md")
	if err != nil {
		t.Fatal(err)
	}
	var fields []string
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for name, value := range v {
				fields = append(fields, name)
				walk(value)
			}
		case []any:
			for _, value := range v {
				walk(value)
			}
		}
	}
	stopped := everything()
	stopped.state["ended"] = Ending{"interrupted", 3}
	for _, r := range []*Report{everything().make(t), together(t, everything(), stopped, worker(func(*crawl) {}))} {
		var report any
		if err := json.Unmarshal([]byte(asJSON(t, r)), &report); err != nil {
			t.Fatal(err)
		}
		walk(report)
	}
	slices.Sort(fields)
	fields = slices.Compact(fields)
	if len(fields) < 80 {
		t.Errorf("only %d fields", len(fields))
	}
	for _, name := range fields {
		if !strings.Contains(string(schema), "`"+name+"`") {
			t.Errorf("SCHEMA.md does not explain %q", name)
		}
	}
	for _, k := range kinds {
		if !strings.Contains(string(schema), "`"+k.name+"`") {
			t.Errorf("SCHEMA.md does not explain the kind %q", k.name)
		}
	}
}

// TestNothing holds that of a crawl that came to nothing no good is said.
func TestNothing(t *testing.T) {
	c := &crawl{state: map[string]any{"ended": Ending{"interrupted", 3}}}
	r := c.make(t)
	var page strings.Builder
	if err := r.WriteHTML(&page); err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Findings {
		if f.Level == Good {
			t.Errorf("%+v", f)
		}
	}
	for _, words := range []string{"No page was fetched.", "No URL was asked for.", "No sitemap lists a page. <span"} {
		if !strings.Contains(page.String(), words) {
			t.Errorf("the page does not say %q", words)
		}
	}
	for _, words := range []string{`id="chart-depths"`, "No URL answered with an error", `class="card good"`} {
		if strings.Contains(page.String(), words) {
			t.Errorf("the page has %q", words)
		}
	}
}
