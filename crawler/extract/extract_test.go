package extract

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	tests := []struct {
		name string
		in   string
		want Document
	}{
		{"empty", "", Document{}},
		{"title", "<title> A\n  B &amp; C </title>", Document{Title: "A B & C"}},
		{"only the first title", "<title>page</title><svg><title>drawing</title></svg>", Document{Title: "page"}},
		{"an empty title takes nothing after it", "<title></title><p>text</p>", Document{}},
		{"a drawing's titles are not the page's", `<svg><title/></svg><a href=y></a><title>page</title>`,
			Document{Title: "page", Links: []Link{{URL: "y"}}}},
		{"noscript is for those who run none", `<noscript><meta name=robots content=none><a href="/n"></a></noscript>`,
			Document{Links: []Link{{URL: "/n"}}, Meta: []Meta{{"robots", "none"}}}},
		{"links in order", `<a href="/a">a</a><area href=b><iframe src=" c "></iframe>`,
			Document{Links: []Link{{URL: "/a"}, {URL: "b"}, {URL: "c"}}}},
		{"upper case, single quotes, entities", `<A HREF='/x?a=1&amp;b=2' REL="nofollow UGC">`,
			Document{Links: []Link{{URL: "/x?a=1&b=2", Rel: "nofollow UGC"}}}},
		{"an anchor without href is no link", `<a name="x">here</a>`, Document{}},
		{"an empty href is a link to the page itself", `<a href="">`, Document{Links: []Link{{}}}},
		{"src of a link, href of an iframe mean nothing", `<a src="/no"></a><iframe href="/no"></iframe>`, Document{}},
		{"no links in comments and scripts", `<!-- <a href="/no"> --><script>"<a href='/no'>"</script><style>a{}</style>`, Document{}},
		{"no links in a textarea", `<textarea><a href="/no"></textarea><a href=/yes>`, Document{Links: []Link{{URL: "/yes"}}}},
		{"first base", `<base href="/dir/"><base href="/other/">`, Document{Base: "/dir/"}},
		{"canonical", `<link rel="Canonical" href="/one"><link rel=stylesheet href="/no.css">`, Document{Canonical: "/one"}},
		{"alternates are left alone", `<link rel=alternate hreflang=de href="/de"><link rel="alternate canonical" href="/one">`, Document{Canonical: "/one"}},
		{"next and prev", `<link rel=next href="/2"><link rel=prev href="/0">`,
			Document{Links: []Link{{URL: "/2", Rel: "next"}, {URL: "/0", Rel: "prev"}}}},
		{"robots meta", `<meta name=" Robots" content="noindex"><meta name="politecrawl" content="nofollow"><meta charset=utf-8>`,
			Document{Meta: []Meta{{"robots", "noindex"}, {"politecrawl", "nofollow"}}}},
		{"meta refresh", `<meta http-equiv="Refresh" content="5; URL='/next'"><meta http-equiv=refresh content="5">`,
			Document{Links: []Link{{URL: "/next"}}}},
		{"broken off", `<title>cut</title><a href="/a">a</a><a href="/b`, Document{Title: "cut", Links: []Link{{URL: "/a"}}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(&tt.want, Parse([]byte(tt.in))); diff != "" {
				t.Errorf("Parse(%q) (-want +got):\n%s", tt.in, diff)
			}
		})
	}
}

func TestLongTitleIsCutAtACharacter(t *testing.T) {
	doc := Parse([]byte("<title>x" + strings.Repeat("é", maxTitle) + "</title>"))
	if len(doc.Title) > maxTitle || !strings.HasSuffix(doc.Title, "é") {
		t.Errorf("title has %d bytes and ends %q", len(doc.Title), doc.Title[len(doc.Title)-4:])
	}
}

// FuzzParse compares Parse with the tokenizer alone.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"", "<", "<title>", `<a href="/a">`, `<meta http-equiv=refresh content=";url=">`,
		"<title>\xff\xfe</title><base href=x><a href=\x00>", `<iframe src=a src=b href=c>`,
		`<svg><title/><a href=x/></svg><script><!--<script></script>--></script><A HREF=y>`,
		`<!--x--><!-- -- > --!><a href='a&amp;b' rel="next"/><link rel="x canonical" href=" c ">`,
		"<noscript><style></noscript></style><textarea></textarea ><plaintext><a href=z>",
	} {
		f.Add([]byte(seed))
	}
	for _, seed := range lookPlain {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		checkParse(t, body)
		if doc := Parse(body); len(doc.Title) > maxTitle {
			t.Errorf("title of %d bytes", len(doc.Title))
		}
	})
}
