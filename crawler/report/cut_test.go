package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// TestCut: every page that a limit cut something off is counted and listed, with the limits.
func TestCut(t *testing.T) {
	c := &crawl{state: everything().state}
	c.page("/", output.Page{Source: "start", Bytes: 500})
	c.page("/long", output.Page{Source: "link", Bytes: 1000, Truncated: "max-body"})
	c.page("/packed", output.Page{Source: "link", Bytes: 2000, Truncated: "ratio", CutBy: []string{"ratio", "max-links"}, LinksLeft: 1234})
	c.page("/links", output.Page{Source: "link", Bytes: 800, LinksLeft: 1, CutBy: []string{"link-bytes"}})
	c.page("/before", output.Page{Source: "link", Bytes: 700, LinksLeft: 1}) // of a version without CutBy
	c.page("/fields", output.Page{Source: "link", Bytes: 600, CutBy: []string{"field-tags"}})
	r := c.make(t)
	var got []string
	for _, p := range r.Cut.Rows {
		got = append(got, p.URL+" "+strings.Join(p.CutBy, "+"))
	}
	want := []string{
		example + "/packed ratio+max-links", example + "/long max-body", example + "/links link-bytes", example + "/before max-links",
		example + "/fields field-tags",
	}
	if diff := cmp.Diff(want, got); diff != "" || r.Cut.Total != len(want) {
		t.Errorf("%d in all (-want +got):\n%s", r.Cut.Total, diff)
	}
	limits := []Count{{"max-links", 2}, {"field-tags", 1}, {"link-bytes", 1}, {"max-body", 1}, {"ratio", 1}}
	if diff := cmp.Diff(List[Count]{len(limits), limits}, r.CutBy); diff != "" {
		t.Errorf("by limit (-want +got):\n%s", diff)
	}
	said := false
	for _, f := range r.Findings {
		said = said || f.Topic == topicPages && f.Count == len(want) &&
			f.Text == "5 pages are cut short by a limit (max-links: 2, field-tags: 1, link-bytes: 1, max-body: 1, ratio: 1)"
	}
	var page bytes.Buffer
	if err := r.WriteHTML(&page); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"Pages that a limit cut something off", ", cut (max-body)", ", cut (ratio, max-links), 1,234 links left"} {
		if !strings.Contains(page.String(), text) {
			t.Errorf("the page does not say %q", text)
		}
	}
	if !said {
		t.Errorf("it is not said; findings %+v", r.Findings)
	}
}
