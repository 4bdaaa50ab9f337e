package compare_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/politecrawl/politecrawl/crawler/compare"
	"github.com/politecrawl/politecrawl/crawler/report"
)

func TestPageEscapesTextsOfSites(t *testing.T) {
	hostile := "/a?<script>alert(1)</script>\"'\u202e"
	old := of(page("/"), page(hostile), page("javascript:alert(2)"))
	c := compare.Compare(open(t, old.write(t)), open(t, of(page("/", noindex), page("/b", status(404))).write(t)))
	var b bytes.Buffer
	if err := c.WriteHTML(&b); err != nil {
		t.Fatal(err)
	}
	doc, err := html.Parse(&b)
	if err != nil {
		t.Fatal(err)
	}
	var links, text []string
	for n := range doc.Descendants() {
		switch {
		case n.Type == html.TextNode:
			text = append(text, n.Data)
		case n.Data == "script":
			t.Error("the page has a script")
		case n.Data == "a":
			for _, a := range n.Attr {
				if a.Key == "href" {
					links = append(links, a.Val)
				}
			}
		}
	}
	all := strings.Join(text, "\n")
	for _, want := range []string{"New findings", "broken-link", "page-noindex", "page-vanished", "<script>alert(1)</script>", "javascript:alert(2)"} {
		if !strings.Contains(all, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.ContainsRune(all, '\u202e') {
		t.Error("the page has a bidirectional control character")
	}
	for _, link := range links {
		if !strings.HasPrefix(link, "https://example.com/") {
			t.Errorf("link to %q", link)
		}
	}
}

// A column without a text is left out, and the crawls of one minute can be told apart.
func TestPageLeavesOutEmptyColumns(t *testing.T) {
	old := of(page("/"), page("/a"))
	c := compare.Compare(open(t, old.write(t)), open(t, of(page("/", noindex)).write(t)))
	c.Old.StartedAt = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	c.Changes = []report.Findings{{Rule: report.Rule{ID: "none"}, Rows: []report.Finding{{URL: "https://example.com/"}}}, {
		Rule: report.Rule{ID: "some"}, Rows: []report.Finding{{URL: "https://example.com/"}, {URL: "https://example.com/a", Detail: "d", FoundOn: []string{"https://example.com/b"}}},
	}}
	c.Findings = nil
	var b bytes.Buffer
	if err := c.WriteHTML(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"2026-01-02 03:04:05 UTC", "<thead><tr><th>URL</th></tr></thead>",
		"<thead><tr><th>URL</th><th>Detail</th><th>Pages</th></tr></thead>",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in %s", want, &b)
		}
	}
	doc, err := html.Parse(&b)
	if err != nil {
		t.Fatal(err)
	}
	for row := range doc.Descendants() { // each has as many cells as its head
		if row.Data != "tr" {
			continue
		}
		cells, heads := 0, 0
		for range row.ChildNodes() {
			cells++
		}
		for n := range row.Parent.Parent.Descendants() {
			if n.Data == "thead" {
				for range n.FirstChild.ChildNodes() {
					heads++
				}
			}
		}
		if cells != heads {
			t.Errorf("%d cells below %d titles", cells, heads)
		}
	}
}
