package compare_test

import (
	"bytes"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/politecrawl/politecrawl/crawler/compare"
	"github.com/politecrawl/politecrawl/crawler/output"
)

func TestPageEscapesTextsOfSites(t *testing.T) {
	hostile := "/a?<script>alert(1)</script>\"'\u202e"
	old := site{pages: []output.Page{page("/"), page(hostile), page("javascript:alert(2)")}}
	c := compare.Compare(open(t, old.write(t)), open(t, site{pages: []output.Page{page("/", noindex), page("/b", status(404))}}.write(t)))
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
