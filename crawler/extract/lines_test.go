package extract

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// readLines reads a page with Handlers.Lines. It returns "reference:line" of everything, sorted.
func readLines(page Page) string {
	var found []string
	add := func(what string, line int) { found = append(found, fmt.Sprintf("%s:%d", what, line)) }
	doc := Read(page, &Handlers{
		Lines:    true,
		Link:     func(l Link) { add(l.Ref, l.Line) },
		Resource: func(r Resource) { add(r.Ref, r.Line) },
		Restart:  func() { found = nil },
	})
	for i, m := range doc.Meta {
		add(m.Name, doc.Lines.Meta[i])
	}
	for i, h := range doc.Hreflang {
		add(h.Lang, doc.Lines.Hreflang[i])
	}
	for what, line := range map[string]int{"head": doc.Lines.Head, "title": doc.Lines.Title, "h1": doc.Lines.H1, "first description": doc.Lines.Description, "canonical": doc.Lines.Canonical} {
		if line > 0 {
			add(what, line)
		}
	}
	slices.Sort(found)
	return strings.Join(found, " ")
}

func TestLines(t *testing.T) {
	for _, tt := range []struct{ name, page, want string }{
		{"links", "<p>\n<a href=b>b</a>\n<a\nhref='a'>a</a>", "a:3 b:2"},
		{"link in a link", "\n<a href=a>\n<img src=i>\n</a>", "a:2 i:3"},
		{"tags for the tokenizer", "<!doctype html>\n\n<A HREF=a>\n&amp;<a href='a&amp;b'>\n<!-- \n-- > --><a href=c>", "a&b:4 a:3 c:6"},
		{"references of one element", "\n<img\nsrc=a\nsrcset='b 1x,\nc 2x'>", "a:2 b:2 c:2"},
		{"head", "<html>\n<head>\n<title>\nT</title>\n<meta name=description content=d>\n<link rel=canonical href=/>\n<link rel=alternate hreflang=de href=d>\n<body>\n<h1>H</h1>\n<h1>H</h1>", "canonical:6 de:7 description:5 first description:5 h1:9 head:2 title:3"},
		{"empty description", "\n<meta name=description content=''>", "first description:2"},
		{"canonical that counts", "<link rel=canonical href='http://:x'>\n<link rel=canonical href=/>\n<link rel=canonical href=/>", "canonical:2"},
		{"refresh", "\n<meta http-equiv=refresh content='0; url=a'>", "a:2"},
		{"base after a link", "\n<a href=a>\n<base href=/b/>\n<a href=c>", "a:2 c:4"},
		{"misplaced elements", "<table>\n<a href=a>\n</table>\n<p><b>\n<p><a href=b>\n<a href=c>", "a:2 b:5 c:6"},
		{"text of scripts", "<script>\n'<a href=no>'\n</script>\n<a href=a>\n<script><!-- \n--></script>\n<a href=b>", "a:4 b:7"},
		{"style", "<style>\na { background: url(a) }\n\n/* \n */ b { background: url(b) }</style>\n<a href=c>", "a:2 b:5 c:6"},
		{"short style", "\n<style\n>a{}</style>\n<style>\n<!-- a { background: url(a) }\n --></style><a href=b>", "a:5 b:6"},
		{"style attribute", "\n<p style='background: url(a)'>\n<p style='&#10;background: url(b)'>", "a:2 b:3"},
		{"style in a drawing", "<svg>\n<style>a { fill: url(a) }</style>\n<image href=b></svg>", "a:2 b:3"},
		{"Windows", "\r\n<a href=a>\r\n<style>\r\n@import 'b';\r\n</style>", "a:2 b:4"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := readLines(Page{URL: "http://example.com/", Header: utf8Header, Body: []byte(tt.page)}); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

func TestLinesOfXHTML(t *testing.T) {
	page := Page{
		URL: "http://example.com/", Header: http.Header{"Content-Type": {"application/xhtml+xml"}},
		Body: []byte("<!DOCTYPE html [<!ENTITY e '\n'>]>\n<html xmlns='http://www.w3.org/1999/xhtml'>&e;\n<head>\n<style>\na { background: url(a) }</style></head><a\nhref='b'/>\n<a href='c'/></html>"),
	}
	if got, want := readLines(page), "a:6 b:6 c:8 head:4"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestLinesOfStylesheet(t *testing.T) {
	var got []string
	text := "@import 'a';\r\n/*\n*/ b {\n background: url(\nb) }\x00\nc { background: image-set('c' 1x,\n'd' 2x) }"
	ReadStylesheet(Page{URL: "http://example.com/", Body: []byte(text)}, func(r Resource) { got = append(got, fmt.Sprintf("%s:%d", r.Ref, r.Line)) })
	if want := []string{"a:1", "b:4", "c:6", "d:7"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// Without Handlers.Lines, nothing has a line: callers write what they are called with.
func TestNoLinesUnlessAsked(t *testing.T) {
	r := readWith([]byte("<head>\n<title>T</title><a href=a>a</a><style>\na { background: url(b) }</style>"), false)
	if len(r.Links) != 1 || r.Links[0].Line != 0 || len(r.Resources) != 1 || r.Resources[0].Line != 0 || !reflect.ValueOf(r.Doc.Lines).IsZero() {
		t.Errorf("%+v", r)
	}
}
