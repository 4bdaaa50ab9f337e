package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// TestCut: pages that were not read to their end are counted and listed, with the limit.
func TestCut(t *testing.T) {
	c := &crawl{state: everything().state}
	c.page("/", output.Page{Source: "start", Bytes: 500})
	c.page("/long", output.Page{Source: "link", Bytes: 1000, Truncated: "max-body"})
	c.page("/packed", output.Page{Source: "link", Bytes: 2000, Truncated: "ratio"})
	r := c.make(t)
	var got []string
	for _, p := range r.Cut.Rows {
		got = append(got, p.URL+" "+p.Truncated)
	}
	if diff := cmp.Diff([]string{example + "/packed ratio", example + "/long max-body"}, got); diff != "" || r.Cut.Total != 2 {
		t.Errorf("%d in all (-want +got):\n%s", r.Cut.Total, diff)
	}
	said := false
	for _, f := range r.Findings {
		said = said || f.Topic == OnPages && f.Count == 2 && strings.HasPrefix(f.Text, "2 pages are cut short by a limit")
	}
	var page bytes.Buffer
	if err := r.WriteHTML(&page); err != nil {
		t.Fatal(err)
	}
	text := page.String()
	if !said || !strings.Contains(text, "Pages that were not read to their end") || !strings.Contains(text, ", cut (max-body)") {
		t.Errorf("it is not said; findings %+v", r.Findings)
	}
}
