package report

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// Each line counts once. A link of a page to itself does not count, but its own use as an asset does.
func TestReferencesOfAPageToItself(t *testing.T) {
	gone, home, fine := example+"/gone", example+"/", example+"/fine"
	for name, tt := range map[string]struct {
		line output.Links
		want Finding
	}{
		"link":           {output.Links{URL: gone, To: []output.Link{{URL: gone}}}, Finding{Pages: 2, FoundOn: []string{home, fine}}},
		"asset":          {output.Links{URL: gone, Resources: []output.Link{{URL: gone, Kind: "img"}}}, Finding{Pages: 3, FoundOn: []string{home, fine, gone}}},
		"link and asset": {output.Links{URL: gone, To: []output.Link{{URL: gone}}, Resources: []output.Link{{URL: gone, Kind: "img"}}}, Finding{Pages: 3, FoundOn: []string{home, fine, gone}}},
	} {
		t.Run(name, func(t *testing.T) {
			c := everything()
			c.links = append(c.links, tt.line)
			tt.want.URL, tt.want.Detail = gone, "status 404"
			if diff := cmp.Diff(tt.want, FindingsOf(c.make(t), "broken-link").Rows[0]); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A URL with more pages than a row names has the first ones, also beyond a block of references.
func TestReferencesNameTheFirstPages(t *testing.T) {
	r := newReferences()
	const lines = 3 * referenceBlock
	for i := range lines {
		r.begin(fmt.Sprintf("page %06d", lines-i))
		for _, url := range []string{"a", "b", "a"} {
			r.addLink(keyOf(url))
		}
	}
	from := map[key]*topRows[string]{keyOf("a"): newExamples(), keyOf("never"): newExamples()}
	r.name(from)
	if n := r.count(keyOf("a")); n != lines || len(r.pages) != lines {
		t.Errorf("%d lines refer to a, %d pages are kept, want %d", n, len(r.pages), lines)
	}
	first, never := from[keyOf("a")].list().Rows, from[keyOf("never")].list().Rows
	if len(first) != maxExamples || first[0] != "page 000001" || first[9] != "page 000010" || len(never) > 0 {
		t.Errorf("%q, %q", first, never)
	}
}

// Beyond a limit, links.jsonl is read again, and names the same pages.
func TestOmittedReferencesAreReadAgain(t *testing.T) {
	for name, c := range map[string]*crawl{"everything": everything(), "hostile": hostileCrawl()} {
		t.Run(name, func(t *testing.T) {
			dir := c.write(t)
			findings := func(limit int) []Findings {
				m, err := newModel(t.Context(), []string{dir}, nil)
				if err != nil {
					t.Fatal(err)
				}
				m.references.limit = limit
				if err := errors.Join(m.load(), m.find()); err != nil {
					t.Fatal(err)
				}
				if m.references.omitted != (limit < maxReferences) {
					t.Errorf("limit %d: references are omitted: %v", limit, m.references.omitted)
				}
				return m.findings()
			}
			want := findings(maxReferences)
			for _, limit := range []int{0, 1} {
				if diff := cmp.Diff(want, findings(limit)); diff != "" {
					t.Errorf("limit %d (-kept +read again):\n%s", limit, diff)
				}
			}
		})
	}
}

// If there are more URLs than rows, those of most pages are listed, and then the first ones: also of URLs
// that no file has but links.jsonl.
func TestRowsOfLinksAloneAreTheFirst(t *testing.T) {
	c := &crawl{state: everything().state}
	c.state["config"].(map[string]any)["check"] = "assets"
	c.page("/", output.Page{Source: "start"})
	c.linked("/more", "")
	var uses []output.Link
	for i := range 30 {
		uses = append(uses, output.Link{URL: fmt.Sprintf("http://example.com/%02d.png", 29-i), Kind: "img"})
	}
	c.links = []output.Links{{URL: example + "/", Resources: uses}, {URL: example + "/more", Resources: uses[:1]}}
	r, err := Generate(t.Context(), []string{c.write(t)}, &Options{Rows: 3})
	if err != nil {
		t.Fatal(err)
	}
	f := FindingsOf(r, "mixed-content")
	want := []Finding{
		{URL: "http://example.com/29.png", Pages: 2, FoundOn: []string{example + "/", example + "/more"}},
		{URL: "http://example.com/00.png", Pages: 1, FoundOn: []string{example + "/"}},
		{URL: "http://example.com/01.png", Pages: 1, FoundOn: []string{example + "/"}},
	}
	if diff := cmp.Diff(want, f.Rows); diff != "" || f.Total != 30 {
		t.Errorf("%d in total (-want +got):\n%s", f.Total, diff)
	}
}

// The URLs that only links.jsonl has are counted by their keys. Only those of rows are kept.
func TestURLsOfLinksAloneAreNotKept(t *testing.T) {
	const rows = 3
	c := &crawl{state: everything().state}
	c.page("/", output.Page{Source: "start"})
	var uses []output.Link
	for i := range 30 {
		uses = append(uses, output.Link{URL: fmt.Sprintf("http://example.com/%02d.png", 29-i), Kind: "img"})
	}
	c.links = []output.Links{{URL: example + "/", Resources: uses}}
	m, err := newModel(t.Context(), []string{c.write(t)}, &Options{Rows: rows})
	if err != nil {
		t.Fatal(err)
	}
	kept := func() (total, most int) {
		for _, l := range m.lists {
			if l.ID == "mixed-content" {
				return l.rows.total, cap(l.rows.rows)
			}
		}
		return 0, 0
	}
	if err := m.load(); err != nil {
		t.Fatal(err)
	}
	if total, most := kept(); total != 0 || most != 0 {
		t.Errorf("loaded: %d URLs, memory for %d", total, most)
	}
	if err := m.nameLinks(); err != nil {
		t.Fatal(err)
	}
	if total, most := kept(); total != len(uses) || most > 4*rows {
		t.Errorf("%d URLs, memory for %d", total, most)
	}
}
