package extract

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// checkParse compares Parse with the tokenizer alone.
func checkParse(t *testing.T, body []byte) {
	t.Helper()
	want := reference(bytes.NewReader(body))
	if got := Parse(body); !equal(got, want) {
		t.Errorf("Parse(%q) differs from the tokenizer (-want +got):\n%s", body, cmp.Diff(want, got))
	}
}

func equal(a, b *Document) bool {
	return a.H1 == b.H1 && a.Description == b.Description && a.Lang == b.Lang && a.Words == b.Words && slices.Equal(a.Hreflang, b.Hreflang) &&
		a.Title == b.Title && a.Base == b.Base && a.Canonical == b.Canonical &&
		slices.Equal(a.Links, b.Links) && slices.Equal(a.Meta, b.Meta)
}

// pieces are parts from which markup of every kind can be combined.
var pieces = []string{
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
}

func TestWhatLooksPlain(t *testing.T) {
	for _, page := range lookPlain {
		checkParse(t, []byte(page))
	}
}

func TestManyLongerPages(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		var page strings.Builder
		for range 4 + random.IntN(30) {
			page.WriteString(pieces[random.IntN(len(pieces))])
		}
		checkParse(t, []byte(page.String()))
	}
}

// TestEveryElement: isRawText knows all elements after which the tokenizer reads text.
func TestEveryElement(t *testing.T) {
	for _, name := range elementNames() {
		for _, form := range []string{
			"<%s><a href=in></a></%[1]s><a href=after>", "<%s/><a href=in></%[1]s><a href=after>",
			"<svg><%s x=y><a href=in></%[1]s></svg><a href=after>", "<svg><%s/><a href=in></svg><title>t</title>",
		} {
			checkParse(t, fmt.Appendf(nil, form, name))
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
	for _, file := range realPages(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			page, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			checkParse(t, page)
			for range 30 {
				damaged := bytes.Clone(page)
				for range 1 + random.IntN(20) {
					damaged[random.IntN(len(damaged))] = damage[random.IntN(len(damage))]
				}
				checkParse(t, damaged[:random.IntN(len(damaged))])
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
	if allocs := testing.AllocsPerRun(10, func() { Parse(page) }); allocs > 25 {
		t.Errorf("%v allocations for a page of %d bytes with 30 links", allocs, len(page))
	}
}

// TestLongTokensAreNotMovedOften counts the reads of the tokenizer: small reads of a long token
// would copy its bytes each time.
func TestLongTokensAreNotMovedOften(t *testing.T) {
	for _, page := range []string{
		"<!-- -- " + strings.Repeat(">", 1<<20),
		"<script>" + strings.Repeat("a>b ", 1<<18),
		`<a title="&` + strings.Repeat("> ", 1<<19) + `" HREF=x>`,
	} {
		var s source
		s.page = []byte(page)
		reads := 0
		reference(readerFunc(func(b []byte) (int, error) { reads++; return s.Read(b) }))
		if reads > 40 {
			t.Errorf("%d reads of %.20q…", reads, page)
		}
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }
