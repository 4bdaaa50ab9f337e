package extract

import (
	"slices"
	"strings"
	"testing"
)

func stylesheetResources(text string) (resources []string) {
	ReadStylesheet(Page{URL: "http://example.com/", Body: []byte(text)}, func(r Resource) {
		if r.Imported {
			r.Ref = "import " + r.Ref
		}
		resources = append(resources, r.Ref)
	})
	return resources
}

func TestStylesheet(t *testing.T) {
	for _, tt := range []struct {
		text string
		want []string
	}{
		{`a{background:url(1.png)}b{background:URL( "2.png" )}c{background:url('3.png')}`, []string{"1.png", "2.png", "3.png"}},
		{`@import "a.css"; @import url(b.css) screen; @IMPORT 'c.css' layer(x);`, []string{"import a.css", "import b.css", "import c.css"}},
		{`@import "a.css" layer(b) supports(background: url(x)) screen; a{b:url(c)}`, []string{"import a.css", "c"}},
		{`@import url(a)screen;@import'b';@\69mport url("c");@import "d"`, []string{"import a", "import b", "import c", "import d"}},
		{`<!-- @charset "x"; @layer y; @foo z; @import "a"; -->`, []string{"import a"}},
		{`a{} @import "b";`, nil},
		{`@media x{@import "a"} @font-face{} @import "b"; c{@import "d"; e:url(f)}`, []string{"f"}},
		{`@namespace "x"; @import "a"; b{c:url(d)}`, []string{"d"}},
		{`x; @import "a"; b{c:url(d)}`, []string{"d"}},
		{`@import src("a"); @import image-set("b"); @import "c" "d";`, []string{"import c"}},
		{`@supports (background:url(a;)) and (b:image-set("c" 1x)) {d{e:url(f)}}`, []string{"f"}},
		{`a{b:image-set("c.png" 1x, url(d.png) 2x, 'e.png' type("image/png") 3x), "no"}`, []string{"c.png", "d.png", "e.png"}},
		{`a{b:-WEBKIT-image-set( 'c' 1x )}d{e:\69mage-set("f")}g{h:image-set("i`, []string{"c", "f", "i"}},
		{`a{b:image-set(linear-gradient("no") 1x, ("no"), ["no"], "c" calc(1x * (2)))}d{content:"no"}`, []string{"c"}},
		{`a{b:image-set("data:image/png,x" 1x, "" 2x, "#d" 3x)}`, nil},
		{`a{b:src("no")}c{d:image("no")}e{f:cross-fade("no", url(g))}h{i:\75 rl("j")}`, []string{"g", "j"}},
		{`@font-face{src:local("no"), local(no), url(a.woff2) format("woff2") tech("no")}`, []string{"a.woff2"}},
		{"a{b:url( \u00a0c\u2003 )}d{e:url('\t\u3000f\u0085\x1f')}g{h:url(\ni\f)}", []string{"\u00a0c\u2003", "\u3000f\u0085", "i"}},
		{"a{b:url('c\\\r\nd\\\fe\\\nf')}g{h:url(\"\\61\r\ni\")}j{k:url('l\\", []string{"cdef", "ai", "l"}},
		{"a{b:url(c\x00d)}", []string{"c\ufffdd"}},
		{`a{b:url("c)d`, []string{"c)d"}},
		{`a{b:url(c\)`, []string{"c)"}},
		{`a{b:url("c\"d")}e{f:url(g\)h)}`, []string{`c"d`, "g)h"}},
		{`a{b:url("no" crossorigin(anonymous))}c{d:url(e)}`, []string{"e"}},
		{`/* url(no) @import "no"; */ a{content:"url(no)"}`, nil},
		{`a{background:url(data:image/png;base64,AA==)}b{filter:url(#f)}c{background:url()}d{background:url("")}`, nil},
		{`@font-face{src:url(a.woff2) format("woff2"),url("a.woff") format('woff')}`, []string{"a.woff2", "a.woff"}},
		{`@namespace url(http://www.w3.org/1999/xhtml); @namespace svg "http://www.w3.org/2000/svg"; a{b:url(c)}`, []string{"c"}},
		{`@-moz-document url(http://a/) { a{b:url(c)} }`, []string{"c"}},
		{`a{b:url(a\ b\(c\).png)}c{d:url("\61 b\"c")}`, []string{`a b(c).png`, `ab"c`}},
		{`@media print{a{b:url(c)}} @charset "utf-8"; d{e:url(f)}`, []string{"c", "f"}},
		{"a{b:url(x y)}c{d:url(\"x\ny\")}e{f:url(g", []string{"g"}},
		{"a{b:url(1)}\x00c{d:url(2)}", []string{"1", "2"}},
		{`a{--x: url(1)}`, []string{"1"}},
	} {
		if got := stylesheetResources(tt.text); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.text, got, tt.want)
		}
	}
}

// FuzzParts reads any text as a page, a stylesheet, a srcset and a refresh: whatever is found is a part of it.
func FuzzParts(f *testing.F) {
	for _, seed := range append([]string{
		"<script></sc</script><img src='", `@import "a"; b{c:url( 'd\61' )} @namespace url(e);`, "url(\\\n\"\x00url(x",
		"a 1x, b 2.5e1x,d", ",, a (b,c) 1x,d,", "a 1w 1h, b -0x", "a\v\x00,b", "0;url='a'b", " .5 , U R L = a", "1;ur\"l", "1\x00;a",
	}, lookPlain...) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		size := 0
		for run := range VisibleParts([]byte(text)) {
			if size += len(run); len(run) == 0 || size > len(text) {
				t.Errorf("page %q: the visible part %q, %d bytes so far", text, run, size)
			}
		}
		for _, ref := range stylesheetResources(text) {
			if !isResource([]byte(strings.TrimPrefix(ref, "import "))) {
				t.Errorf("stylesheet %q: %q", text, ref)
			}
		}
		rest := text
		for ref := range srcsetURLs(text) {
			_, after, found := strings.Cut(rest, ref)
			if !found || ref == "" || strings.ContainsAny(ref, asciiSpace) || strings.Trim(ref, ",") != ref {
				t.Errorf("srcset %q: %q", text, ref)
			}
			rest = after
		}
		ref, ok := refreshTarget(text)
		start := strings.TrimLeft(text, asciiSpace)
		hasTime := start != "" && (start[0] == '.' || isDigit(start[0]))
		if !strings.Contains(text, ref) || !ok && ref != "" || ok && !hasTime || ref != trimReference(ref) {
			t.Errorf("refresh %q: %q, %t", text, ref, ok)
		}
	})
}
