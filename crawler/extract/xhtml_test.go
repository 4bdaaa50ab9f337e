package extract

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// treeOutline writes a tree like a[href=/x](text img). Only elements of XHTML have an atom: others with one have a !.
func treeOutline(n *html.Node) string {
	var b strings.Builder
	switch n.Type {
	case html.TextNode:
		return fmt.Sprintf("%q", n.Data)
	case html.ElementNode:
		if n.Namespace != "" {
			b.WriteString(n.Namespace + ":")
		}
		if b.WriteString(n.Data); (n.DataAtom != 0) != (n.Namespace == "" && atom.Lookup([]byte(n.Data)) != 0) {
			b.WriteString("!")
		}
		for _, a := range n.Attr {
			if a.Key != "xmlns" && a.Namespace != "xmlns" {
				fmt.Fprintf(&b, "[%s=%s]", strings.TrimPrefix(a.Namespace+":"+a.Key, ":"), a.Val)
			}
		}
	}
	var children []string
	for c := range n.ChildNodes() {
		children = append(children, treeOutline(c))
	}
	if len(children) > 0 && n.Type == html.ElementNode {
		return b.String() + "(" + strings.Join(children, " ") + ")"
	}
	return b.String() + strings.Join(children, " ")
}

// xhtml is a page with a body.
func xhtml(body string) string {
	return `<html xmlns="http://www.w3.org/1999/xhtml">` + body + `</html>`
}

const strict = `<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">`

// A browser was asked for each of these.
func TestParseXML(t *testing.T) {
	for _, tt := range []struct{ name, page, want string }{
		{"empty elements", xhtml(`<script src="/s.js"/><title/><style/><textarea/><iframe src="/f"/><noembed/><xmp/><a id="x"/><div/><a href="/y">y</a>`), `html(script[src=/s.js] title style textarea iframe[src=/f] noembed xmp a[id=x] div a[href=/y]("y"))`},
		{"noscript", xhtml(`<noscript><a href="/x">x</a></noscript>`), `html(noscript(a[href=/x]("x")))`},
		{"template", xhtml(`<template><a href="/x"/></template>`), `html(template(a[href=/x]))`},
		{"CDATA in a script", xhtml("<script>//<![CDATA[\nif (a<b && c) '<a href=\"/no\">'\n//]]></script>"), `html(script("//\nif (a<b && c) '<a href=\"/no\">'\n//"))`},
		{"CDATA in text", xhtml(`<p>1<![CDATA[ <a href='/no'>&lt;x</a> ]]>2</p>`), `html(p("1 <a href='/no'>&lt;x</a> 2"))`},
		{"CDATA in CDATA", xhtml(`<p><![CDATA[a<![CDATA[b]]>c</p>`), `html(p("a<![CDATA[bc"))`},
		{"elements in a script", xhtml(`<script>a<b>c</b></script>`), `html(script("a" b("c")))`},
		{"prefix", `<h:html xmlns:h="http://www.w3.org/1999/xhtml"><h:a href="/x" h:href="/no"/><a href="/no"/></h:html>`, `html(a[href=/x][other:href=/no] other:a[href=/no])`},
		{"prefix declared again", `<h:html xmlns:h="http://www.w3.org/1999/xhtml"><h:p xmlns:h="urn:x"><h:a/></h:p><h:a/></h:html>`, `html(other:p(other:a) a)`},
		{"namespace of an inner element", `<doc><a href="/no"/><a xmlns="http://www.w3.org/1999/xhtml" href="/x"><b/></a><b/></doc>`, `other:doc(other:a[href=/no] a[href=/x](b) other:b)`},
		{"no namespace", xhtml(`<a xmlns="" href="/no"><b/></a><a/>`), `html(other:a[href=/no](other:b) a)`},
		{"namespaces named like those of the tree", xhtml(`<a xmlns="svg"/><a xmlns:x="xlink" x:href="/no"/>`), `html(other:a a[other:href=/no])`},
		{"SVG and MathML", xhtml(`<svg xmlns="http://www.w3.org/2000/svg" xmlns:l="http://www.w3.org/1999/xlink"><a l:href="/x"><title/></a><foreignObject><p xmlns="http://www.w3.org/1999/xhtml"/></foreignObject></svg><m:math xmlns:m="http://www.w3.org/1998/Math/MathML"><m:mi href="/y"/></m:math>`), `html(svg:svg(svg:a[xlink:href=/x](svg:title) svg:foreignObject(p)) math:math(math:mi[href=/y]))`},
		{"xml:lang and xml:base", xhtml(`<p xml:lang="de" lang="en" xml:base="/x/"/>`), `html(p[xml:lang=de][lang=en][xml:base=/x/])`},
		{"upper case", xhtml(`<A HREF="/no"/><a Href="/no"/>`), `html(A[HREF=/no] a[Href=/no])`},
		{"references", xhtml(`<a href="/x&apos;&amp;&#x79;&quot;">&lt;b&gt;</a>`), `html(a[href=/x'&y"]("<b>"))`},
		{"white space in an attribute", xhtml("<a href='a\nb\tc\r\nd'/><a href='a&#10;b'/>"), "html(a[href=a b c d] a[href=a\nb])"},
		{"processing instructions", `<?xml-stylesheet href="s.css"?>` + xhtml(`<title>a<?foo <a href='/no'> ?>b</title>`), `html(title("ab"))`},
		{"comments", `<!-- x -->` + xhtml(`<title>a<!-- <a href='/no'> -->b</title>`) + "<!-- x -->\n", `html(title("ab"))`},
		{"XML declaration", "\ufeff<?xml version='1.1' encoding=\"windows-1251\" standalone='yes' ?>\n" + xhtml(`é`), `html("é")`},
		{"stylesheet before a DOCTYPE", `<?xml-stylesheet href="s.css"?>` + strict + xhtml(`&eacute;`), `html("é")`},
		{"HTML entities", strict + xhtml(`<a href="/&eacute;">&nbsp;&ZeroWidthSpace;&NotEqualTilde;&semi;&LT;&AMP;&notit;</a>`), "html(a[href=/é](\"\\u00a0\\u200b≂̸;<&\"))"},
		{"HTML entities in quotes", strict + xhtml(`<a href="&QUOT;&quot;"/>`), `html(a[href=""])`},
		{"entities of another DTD", `<!DOCTYPE html SYSTEM "about:legacy-compat">` + xhtml(`<a href="/x&nbsp;y">&foo;</a>`), `html(a[href=/xy])`},
		{"entities of the page", `<!DOCTYPE html [<!ENTITY dir "/found"><!ENTITY dir "/no"><!ENTITY all '[&dir;"]'>]>` + xhtml(`<a href="&dir;ity">&all;</a><a href="&all;"/>`), `html(a[href=/foundity]("[/found\"]") a[href=[/found"]])`},
		{"references in entities", `<!DOCTYPE html [<!ENTITY a "&#38;#60;&#38;amp;&#x41;">]>` + xhtml(`&a;`), `html("<&A")`},
		{"elements in entities", `<!DOCTYPE html [<!ENTITY l "<a href='&x;'>&x;</a>"><!ENTITY x "y">]>` + xhtml(`1&l;2`), `html("1" a[href=y]("y") "2")`},
		{"entities in comments and CDATA", `<!DOCTYPE html [<!ENTITY x "no">]>` + xhtml(`<!-- &x; --><![CDATA[&x;]]><?foo &x;?>`), `html("&x;")`},
		{"external entities", `<!DOCTYPE html [<!ENTITY x SYSTEM "file:///etc/passwd"><!ENTITY % y SYSTEM "y.dtd"> %y; <!-- <!ENTITY z "no"> --><!ENTITY z "z">]>` + xhtml(`&x;&y;&z;`), `html("z")`},
		{"default attributes", `<!DOCTYPE html [<!ATTLIST a href CDATA "/x">]>` + xhtml(`<a/>`), `html(a)`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			root, err := parseXML([]byte(tt.page), false)
			if got := treeOutline(root); got != tt.want || err != nil {
				t.Errorf("%s:\n got %s, %v\nwant %s", tt.page, got, err, tt.want)
			}
		})
	}
}

// What comes before an error counts.
func TestParseXMLErrors(t *testing.T) {
	for _, tt := range []struct{ page, want, message string }{
		{``, ``, "line 1: there is no element"},
		{"\ufeff\n<!-- -->\n", ``, "line 3: there is no element"},
		{`text`, ``, "line 1: text outside the root element"},
		{`<![CDATA[ ]]><a/>`, ``, "line 1: text outside the root element"},
		{`&#32;<a/>`, ``, "line 1: text outside the root element"},
		{xhtml("<a>1</a>\n<a>2</b>"), `html(a("1") "\n" a)`, "line 2: element <a> closed by </b>"},
		{xhtml("<a>1") + "\n", `html(a)`, "line 1: element <a> closed by </html>"},
		{"<a><b>1</b><b>2\n", `other:a(other:b("1") other:b("2\n"))`, "line 2: unexpected end of the page"},
		{`<a><b/><b href="/x`, `other:a(other:b)`, "line 1: unexpected end of the page"},
		{`<a><b/><b href=/x /></a>`, `other:a(other:b)`, "line 1: unquoted or missing attribute value in element"},
		{`<a><b/><b x/></a>`, `other:a(other:b)`, "line 1: attribute name without = in element"},
		{`<a><b/><b x="<"/></a>`, `other:a(other:b)`, "line 1: unescaped < inside quoted string"},
		{`<a><b/><b x="1" x="2"/></a>`, `other:a(other:b)`, "line 1: attribute x of <b> is there twice"},
		{`<a xmlns:p="u" xmlns:q="u"><b/><b p:x="1" q:x="2"/></a>`, `other:a(other:b)`, "line 1: attribute x of <b> is there twice"},
		{`<a><b/><b x="1"y="2"/></a>`, `other:a(other:b)`, "line 1: no white space between the attributes of <b>"},
		{`<a><b/><b p:x="1"/></a>`, `other:a(other:b)`, "line 1: prefix p of an attribute of <b> is not declared"},
		{`<a><b xmlns:p="u"/><p:b/>` + "\n<b></a>", `other:a(other:b other:b "\n" other:b)`, "line 1: prefix p of <p:b> is not declared"},
		{`<a><p:b>1</p:b><b/></a>`, `other:a(other:b("1") other:b)`, "line 1: prefix p of <p:b> is not declared"},
		{`<a>1 & 2</a>`, `other:a`, "line 1: entity & (no semicolon) is not defined"},
		{`<a><b>1&lt;&nbsp;</b></a>`, `other:a(other:b)`, "line 1: entity &nbsp; is not defined"},
		{`<!DOCTYPE html><a><b/>&nbsp;</a>`, `other:a(other:b)`, "line 1: entity &nbsp; is not defined"},
		{`<!DOCTYPE html [<!ENTITY a "x">` + "\n]>\n<a>&a;<b/>\n&b;</a>", `other:a("x" other:b)`, "line 4: entity &b; is not defined"},
		{`<!DOCTYPE html [<!ENTITY a "<b/>">]><a><b/><c x="&a;"/></a>`, `other:a(other:b)`, "line 1: unescaped < inside quoted string"},
		{`<!DOCTYPE html [<!ENTITY a "&b;"><!ENTITY b "&a;">]><c><d/>&a;</c>`, `other:c(other:d)`, "line 1: entities stand for too much text"},
		{`<a>]]></a>`, `other:a`, "line 1: unescaped ]]> not in CDATA section"},
		{"<a><b/>\x01</a>", `other:a(other:b)`, "line 1: illegal character code U+0001"},
		{"<a><b/>\xff</a>", `other:a(other:b)`, "line 1: invalid UTF-8"},
		{`<a><b/><!-- -- --></a>`, `other:a(other:b)`, `line 1: invalid sequence "--" not allowed in comments`},
		{"<a>\n</a>\n<b/>", `other:a("\n")`, "line 3: a second root element <b>"},
		{`<a/>text`, `other:a`, "line 1: text outside the root element"},
		{"<a/>\n", `other:a`, ""},
		{`<!doctype html><a/>`, ``, "line 1: malformed or misplaced DOCTYPE"},
		{`<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01//EN"><a/>`, ``, "line 1: malformed or misplaced DOCTYPE"},
		{`<!DOCTYPE a><!DOCTYPE a><a/>`, ``, "line 1: malformed or misplaced DOCTYPE"},
		{`<a><!DOCTYPE a></a>`, `other:a`, "line 1: malformed or misplaced DOCTYPE"},
		{"\n<?xml version=\"1.0\"?><a/>", ``, "line 2: XML declaration not at the start of the document"},
		{`<a><?xml version="2.0"?></a>`, `other:a`, "line 1: XML declaration not at the start of the document"},
		{`<a><?xml version="1.0" encoding="koi8-r"?></a>`, `other:a`, "line 1: XML declaration not at the start of the document"},
		{`<?xml version="2.0"?><a/>`, ``, "line 1: malformed XML declaration"},
		{`<?xml encoding="utf-8"?><a/>`, ``, "line 1: malformed XML declaration"},
		{"<?xml version='1.0'\n?>\n<a>\n</b>", `other:a`, "line 4: element <a> closed by </b>"},
	} {
		root, err := parseXML([]byte(tt.page), false)
		message := ""
		if syntax, ok := errors.AsType[*xml.SyntaxError](err); ok {
			message = fmt.Sprintf("line %d: %s", syntax.Line, syntax.Msg)
		}
		if got := treeOutline(root); got != tt.want || message != tt.message {
			t.Errorf("%q:\n got %s, %q (%v)\nwant %s, %q", tt.page, got, message, err, tt.want, tt.message)
		}
	}
}

func TestParseXMLLimits(t *testing.T) {
	bomb := `<!DOCTYPE a [<!ENTITY e0 "0123456789">`
	for i := range 12 {
		bomb += fmt.Sprintf("<!ENTITY e%d %q>", i+1, strings.Repeat(fmt.Sprintf("&e%d;", i), 10))
	}
	many := 500_000
	if testing.Short() {
		many /= 10
	}
	began := time.Now()
	for _, tt := range []struct {
		name, page string
		nodes      int // at least
		message    string
	}{
		{"deep", strings.Repeat("<a>", 10_000), maxDepth, "nested more than 512 deep"},
		{"many", "<a>" + strings.Repeat("<b/>", maxTags+1), maxTags, "too many tags"},
		{"entities in entities", bomb + `]><a><b/>&e12;</a>`, 2, "too much text"},
		{"empty entities in entities", strings.Replace(bomb, "0123456789", "", 1) + `]><a><b/>&e12;</a>`, 2, "too much text"},
		{"one long entity", `<!DOCTYPE a [<!ENTITY e "` + strings.Repeat("x", 1<<19) + `">]><a><b/>` + strings.Repeat("&e;", 1000) + `</a>`, 2, "too much text"},
		{"many comments", "<a>" + strings.Repeat("x<!---->", 5000) + "</a>", 2, ""},
		{"many attributes", "<a " + strings.Repeat("x='' y='' ", 2000) + "/>", 0, "there twice"},
		{"references without an end", strict + "<a>" + strings.Repeat("&x", many), 1, "not defined"},
		{"comments without an end", strict + "<a>" + strings.Repeat("<!-", many), 1, "invalid sequence"},
	} {
		root, err := parseXML([]byte(tt.page), false)
		if n := nodesOf(root); n < tt.nodes || n > tt.nodes+2 || (err == nil) != (tt.message == "") || err != nil && !strings.Contains(err.Error(), tt.message) {
			t.Errorf("%s: %d nodes, %v; want %d, %q", tt.name, n, err, tt.nodes, tt.message)
		}
	}
	if took := time.Since(began); took > time.Minute {
		t.Errorf("hostile pages take %v", took)
	}
}

// FuzzParseXML: what is not well formed for encoding/xml is not for parseXML, and a page without an
// error has the elements that encoding/xml finds.
func FuzzParseXML(f *testing.F) {
	for _, seed := range []string{
		xhtml(`<a href='/x&amp;y' title="z">a<![CDATA[b]]>c<!-- d --><?e f?></a>`), "<?xml version='1.0'?>\n<a><b/>\r\n</a>", strict + xhtml(`&eacute;`),
		`<!DOCTYPE a [<!ENTITY b "<c d='e'/>&#38;">]><a>&b;</a>`, `<p:a xmlns:p='u' p:b='c'/>`, `<a b="'"c='"'/>`, `<a></b>`, `<a/>b`, "\ufeff<a/>",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, page []byte) {
		root, err := parseXML(page, true)
		if bytes.Contains(page, []byte("<!DOCTYPE")) || bytes.HasPrefix(bytes.TrimPrefix(page, []byte("\ufeff")), []byte("<?xml")) {
			return // encoding/xml does not know its entities, or all versions
		}
		var elements int
		var wellFormed bool
		for d := xml.NewDecoder(bytes.NewReader(bytes.TrimPrefix(page, []byte("\ufeff")))); ; {
			token, err := d.Token()
			if err != nil {
				wellFormed = err == io.EOF
				break
			}
			if _, ok := token.(xml.StartElement); ok {
				elements++
			}
		}
		got := 0
		for n := range root.Descendants() {
			if n.Type == html.ElementNode {
				got++
			}
		}
		if !wellFormed && err == nil || err == nil && got != elements || got > elements {
			t.Errorf("%q: %d elements, %v; encoding/xml finds %d, well formed: %t", page, got, err, elements, wellFormed)
		}
	})
}
