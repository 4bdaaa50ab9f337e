package extract

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// A result is everything that a reading of a page reports.
type result struct {
	Doc       *Document
	Links     []Link
	Resources []Resource
	IDs       []string
}

var utf8Header = http.Header{"Content-Type": {"text/html; charset=utf-8"}}

// readWith reads a page at http://example.com/dir/page with one of the readers.
func readWith(body []byte, onlyTree bool) result {
	var r result
	on := &Handlers{LinkTexts: true, Requisites: true}
	on.Link = func(l Link) { r.Links = append(r.Links, l) }
	on.Resource = func(s Resource) { r.Resources = append(r.Resources, s) }
	on.ID = func(id string) { r.IDs = append(r.IDs, id) }
	on.Restart = func() { r = result{} }
	r.Doc = read(&Page{URL: "http://example.com/dir/page", Header: utf8Header, Body: body}, on, onlyTree)
	return r
}

// readPage reads a page in UTF-8 at http://example.com/dir/page.
func readPage(body []byte) *Document { return readWith(body, false).withLinks() }

func (r result) withLinks() *Document {
	r.Doc.Links = r.Links
	return r.Doc
}

// checkReaders compares the reading of tokens with that of the tree.
func checkReaders(t *testing.T, body []byte) {
	t.Helper()
	got, want := readWith(body, false), readWith(body, true)
	same := reflect.DeepEqual // of errors too; cmp.Diff has the last word, but takes far longer than both readings
	if same(want, got) {
		return
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Document{}), cmp.Comparer(func(a, b error) bool { return (a == nil) == (b == nil) })); diff != "" {
		t.Errorf("the tokens of %q differ from its tree (-tree +tokens):\n%s", body, diff)
	}
}

func FuzzReaders(f *testing.F) {
	for _, page := range lookPlain {
		f.Add([]byte(page))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		checkReaders(t, bytes.ToValidUTF8(body, nil))
	})
}

// pieces are parts from which markup of every kind can be combined.
var pieces = []string{
	"<svg><style>/* < url(s) */a{b:url(t)}", "<svg><foreignObject><template/>",
	"<", "</", ">", "/>", "/", " ", "\n", "=", `"`, "'", "x", "&amp;", "\x00", "\r", "&",
	"a", "A", " href", " href=", ` href="x"`, " href='/y'", " HREF=z", "<a href=x>", "<b>", "</b>", "<p class=a>",
	"<!--", "-->", "--", "--!>", "!", "-", "<!", "<?", "]]>", "<![CDATA[", "<!doctype html>",
	"<title>", "</title>", "<script>", "</script>", "<style>", "</style>", "<textarea>", "</textarea",
	"<noscript>", "</noscript>", "<iframe src=f>", "</iframe>", "<svg>", "<svg/>", "<svg x=y/>", "</svg>", "<title/>",
	"<plaintext>", "<base href=b>", "<meta name=robots content=none>", "<link rel=canonical href=c>",
	"<meta http-equiv=refresh content='0;url=r'>",
	"<html lang=en>", "<h1>", "</h1>", "</h2>", "</a>", "<area href=y>", "<meta name=description content='d  e'>",
	"<link rel=alternate hreflang=de href=/de>", "&nbsp;", "&nbspx", "&#8195", "\u2003", "\u00e9", "word", "\v",
}

// lookPlain are pages whose markup is misleading.
var lookPlain = []string{
	`<svg x=a x=b/><title>the slash is no part of an attribute that counts</title>`,
	`<!--><a href=after-the-comment>-->`,
	`<!---><a href=after-the-comment>-->`,
	`<!-- --!><a href=after-the-comment>-->`,
	`<!-- -- ><a href=in-the-comment>-->`,
	`<a ='><a href=the-quote-is-part-of-a-name>'>`,
	`<a b= href=no>`,
	`<a b=>href=no>`,
	`<a href=><img src=a alt=><img src=b alt/><img src=c alt`,
	`<img src=a alt =""><img alt\x00 src=b><img src=c alt= ><p id=>`,
	`<a x=y/ href=yes><a href=y/>`,
	`<a href=first href=second><a HREF=first href=second><a href href=no>`,
	`<a b="<a href=no>" c='"' href="yes">`,
	`<a b='<a href=no>' c="'" href='yes'>`,
	`<a "href=no" href=yes>`,
	`<a/href=yes><a / href=yes><a href="yes"/ ><a href="yes"rel="x">`,
	"<a\fhref=\"x\ny\"\r\nrel='&lt;'>",
	`<a href="a&b"><a href="a&copy=1"><a href="a&copy;1"><a title="&" href="/plain">`,
	`<title><!--</title><a href=yes>-->`,
	`<script><!--<script></script><a href=no>--></script><a href=yes>`,
	`<noscript><style></noscript><a href=no></style><a href=yes>`,
	`<svg><style/><a href=yes></svg><style/><a href=no>`,
	`<svg></SVG ><title>page</title>`,
	`a < b <1> << <a href=yes> <`,
	`</ a><a href=yes></1><a href=yes></a b=">"><a href=no>`,
	`<?php ?><a href=yes><!x><![CDATA[<a href=yes>]]>`,

	// What ends a heading.
	`<h1>a</h1>b`,
	`<div><h1>a</div>b`,
	`<div><h1><div>a</div> b</div>c`,
	`<section><h1>a<ul><li>b</ul> c</section>d`,
	`<h1>a <span>b</span></span> c</h1>d`,
	`<h1>a<p>b</p> c</h1>d`,
	`<h1>a</form> b</h1>c`,
	`<h1>a <a href=b>b</h1>c</a>`,
	`<ul><li><h1>a</li><li>b</ul>`,
	`<table><tr><td><h1>a<td>b</table>c`,
	`<table><tr><td><h1>a</table>b`,
	`<table><tr><th><h1>a<tr><td>b</table>c`,
	`<h1><table><tr><td>a<td> b</table> c</h1>d`,
	`<h1>a<h2>b</h2>c`,
	`<h1>a</h2>b`,
	`<body><h1>a</body> b`,
	`<template><h1>a</h1></template><h1>b</h1>`,
}

func TestWhatLooksPlain(t *testing.T) {
	for _, page := range lookPlain {
		checkReaders(t, []byte(page))
	}
}

// randomPage returns a page with mostly well nested markup.
func randomPage(random *rand.Rand) []byte {
	var page []byte
	var open []string
	for range 4 + random.IntN(40) {
		switch n := random.IntN(20); {
		case n < 8 && len(open) > 0:
			page = append(page, "</"+open[len(open)-1]+">"...)
			open = open[:len(open)-1]
		case n == 8 && len(open) > 0: // without an end tag, as many elements may be
			open = open[:len(open)-1]
		case n < 15:
			name := nested[random.IntN(len(nested))]
			page = append(page, "<"+name+">"...)
			open = append(open, strings.Fields(name)[0])
		default:
			page = append(page, pieces[random.IntN(len(pieces))]...)
		}
	}
	return page
}

// nested are start tags of elements that have end tags.
var nested = []string{
	"a href=x", "a href='/y?q=&amp;' rel=nofollow", "p", "div", "span", "b", "ul", "li", "ol", "dl", "dt", "dd", "table", "tr", "td", "th", "tbody", "thead", "caption", "colgroup", "h1", "h2", "h3", "section",
	"form", "button", "select", "option", "optgroup", "ruby", "rt", "svg", "g", "title", "desc", "foreignObject", "base href=b", "template", "style", "script", "noscript", "head", "body", "html lang=en", "textarea", "object data=o", "x-a id=i", "blockquote", "pre", "center", "em", "i", "td background=t", "video src=v",
}

// TestReadersAgree compares the readers on random pages. Many of them must not need a tree.
func TestReadersAgree(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	sure := 0
	count := 20_000
	if testing.Short() {
		count = 5000
	}
	for i := range count {
		var page []byte
		if i%2 == 0 {
			page = randomPage(random)
		} else {
			for range 4 + random.IntN(30) {
				page = append(page, pieces[random.IntN(len(pieces))]...)
			}
		}
		if checkReaders(t, page); readsTokens(page) {
			sure++
		}
	}
	if sure < count/10 {
		t.Errorf("only %d of %d pages were read without a tree", sure, count)
	}
	t.Logf("%d of %d pages were read without a tree", sure, count)
}

// readsTokens reports whether a page is read without a tree.
func readsTokens(page []byte) bool {
	c := newCollector(&Page{URL: "http://example.com/"}, &Document{Text: page}, &Handlers{Link: func(Link) {}}, baseElement{})
	return c.readTokens(false)
}

// TestEveryElement: isRawText knows all elements after which the tokenizer reads text.
func TestEveryElement(t *testing.T) {
	for _, name := range elementNames() {
		for _, form := range []string{
			"<%s><a href=in></a></%[1]s><a href=after>", "<%s/><a href=in></%[1]s><a href=after>",
			"<svg><%s x=y><a href=in></%[1]s></svg><a href=after>", "<svg><%s/><a href=in></svg><title>t</title>",
		} {
			checkReaders(t, fmt.Appendf(nil, form, name))
		}
	}
}

// elementNames returns the names of all HTML elements, and some others.
func elementNames() []string {
	return strings.Fields(`a abbr acronym address applet area article aside audio b base basefont bdi bdo bgsound big
		blink blockquote body br button canvas caption center cite code col colgroup command content data datalist dd del
		details dfn dialog dir div dl dt em embed fieldset figcaption figure font footer foreignObject form frame frameset
		h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe image img input ins isindex kbd keygen label legend li link
		listing main map mark marquee math menu menuitem meta meter mi mn mo ms mtext multicol nav nextid nobr noembed
		noframes noscript object ol optgroup option output p param picture plaintext portal pre progress q rb rbc rp rt rtc
		ruby s samp script search section select shadow slot small source spacer span strike strong style sub summary sup
		svg table tbody td template textarea tfoot th thead time title tr track tt u ul var video wbr xmp x-own`)
}

// TestRealPages parses the test pages of the modules in use, complete and damaged.
func TestRealPages(t *testing.T) {
	const damage = "<>/\"'=! -&\x00\rax"
	random := rand.New(rand.NewPCG(3, 4))
	damages := 30
	if testing.Short() {
		damages = 10
	}
	for _, file := range realPages(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			page, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			checkReaders(t, page)
			for range damages {
				damaged := bytes.Clone(page)
				for range 1 + random.IntN(20) {
					damaged[random.IntN(len(damaged))] = damage[random.IntN(len(damage))]
				}
				checkReaders(t, damaged[:random.IntN(len(damaged))])
			}
		})
	}
}

func realPages(t testing.TB) []string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}",
		"golang.org/x/net", "github.com/PuerkitoBio/goquery", "github.com/andybalholm/cascadia").Output()
	if err != nil {
		t.Fatal(err)
	}
	var pages []string
	for dir := range strings.FieldsSeq(string(out)) {
		for _, pattern := range []string{"testdata/*.html", "html/testdata/*.html", "test_resources/*.html"} {
			found, err := filepath.Glob(filepath.Join(dir, pattern))
			if err != nil {
				t.Fatal(err)
			}
			pages = append(pages, found...)
		}
	}
	if len(pages) < 8 {
		t.Fatalf("only %d pages found: %q", len(pages), pages)
	}
	return pages
}

// TestPlainPagesAreCheap fails if the tokenizer, which allocates for each attribute, gets more
// tags than necessary.
func TestPlainPagesAreCheap(t *testing.T) {
	page := benchmarkPage()
	if allocs := testing.AllocsPerRun(10, func() {
		readPage(page)
	}); allocs > 70 { // the URL of each link is one
		t.Errorf("%v allocations for a page of %d bytes with 30 links", allocs, len(page))
	}
}
