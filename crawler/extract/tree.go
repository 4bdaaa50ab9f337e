package extract

import (
	"bytes"
	"io"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxTags bounds the size of a tree: a node takes 150 bytes or so, and a tag leads to
// three at the most. A page of 10 MiB written by people has 300,000.
const maxTags = 400_000

// Elements that only format text have a rule of their own in HTML. Those that were
// not closed before their paragraph ended are opened again in every one that follows:
//
//	<p><b><i>one</p><p>two</p>
//
// has two more elements than it has tags, and with five hundred such tags, each with
// another attribute, a page of 300 KB makes a tree of 3 GB. A crawler has no use for
// the rule, nor for the one that ends a drawing at such a tag. So these tags get another
// name on their way to the parser, by which they are elements like any other, and their
// own again in the tree. (The rule stays for a, of which there is only one to be opened
// again.)
const disguise = "\ue000" // begins no tag, and ends no name of one that anybody has seen

// readPageTree reads an HTML page by its tree; nil: that might be too large.
func readPageTree(page *Page, doc Document, on *Handlers) *Document {
	trees <- struct{}{}
	defer func() { <-trees }()
	root, ok := parsePage(doc.Text)
	if !ok {
		return nil
	}
	return readTree(page, &doc, on, root)
}

// readTree reads the tree of a page.
func readTree(page *Page, doc *Document, on *Handlers, root *html.Node) *Document {
	c := newCollector(page, doc, on, findBase(root))
	for n := range root.ChildNodes() {
		c.walk(n)
	}
	c.finish()
	return doc
}

// findBase returns the first base element that has href.
func findBase(n *html.Node) (base baseElement) {
	for n := range n.ChildNodes() {
		if n.Type != html.ElementNode || n.Namespace == "" && n.Data == "template" {
			continue
		}
		if n.Namespace == "" && n.Data == "base" {
			for _, a := range n.Attr {
				if a.Namespace == "" && a.Key == "href" {
					return baseElement{found: true, ref: a.Val}
				}
			}
		}
		if base = findBase(n); base.found {
			return base
		}
	}
	return base
}

// walk reads a node and what it contains.
func (c *collector) walk(n *html.Node) {
	switch n.Type {
	case html.TextNode:
		if c.silent == 0 {
			c.visible([]byte(strings.ReplaceAll(n.Data, "&", "&amp;")))
		}
		return
	case html.ElementNode:
	default:
		return
	}
	e, shadow := unknown, false
	switch n.Namespace {
	case "":
		e = elementOf([]byte(n.Data))
	case "svg":
		e = elementOf([]byte(strings.ToLower(n.Data)))
	}
	if e.tag == tagTemplate && n.Namespace == "" {
		if shadow = isShadowRoot(n); !shadow {
			c.boundary(e)
			return
		}
		c.shadow++
	}
	c.attrs = attributes{}
	for _, a := range n.Attr {
		switch {
		case a.Namespace == "":
			c.attrs.set([]byte(a.Key), []byte(a.Val))
		case a.Namespace == "xlink" && a.Key == "href":
			c.attrs.set([]byte("xlink:href"), []byte(a.Val))
		case a.Namespace == "xml" && a.Key == "lang" && e.tag == tagHTML: // of XHTML; it counts more than lang
			c.attrs.lang = []byte(a.Val)
		}
	}
	c.svg, c.head = n.Namespace == "svg", n.Parent != nil && n.Parent.Namespace == "" && n.Parent.Data == "head"
	c.start(e)
	silent := e.kind&rawText != 0 && (e.tag != tagPlaintext || n.Namespace != "")
	switch {
	case e.tag == tagTitle && n.Namespace == "":
		c.titleText(childText(n))
	case e.tag == tagStyle:
		c.styleText([]byte(childText(n)))
	}
	if silent {
		c.silent++
	}
	for child := range n.ChildNodes() { // in SVG and XML, all elements may contain others
		c.walk(child)
	}
	if silent {
		c.silent--
	}
	c.end(e)
	if shadow {
		c.shadow--
	}
}

// childText returns the text in an element, without that of elements in it.
func childText(n *html.Node) string {
	var b strings.Builder
	for child := range n.ChildNodes() {
		if child.Type == html.TextNode {
			b.WriteString(child.Data)
		}
	}
	return b.String()
}

// isShadowRoot reports whether a template element is the shadow root of its parent, so that browsers
// show its content (HTML standard, 13.2.6.4.4).
func isShadowRoot(template *html.Node) bool {
	host := template.Parent
	mode := func(n *html.Node) bool {
		return n.Type == html.ElementNode && n.Data == "template" && slices.ContainsFunc(n.Attr, func(a html.Attribute) bool {
			return a.Key == "shadowrootmode" && (strings.EqualFold(a.Val, "open") || strings.EqualFold(a.Val, "closed"))
		})
	}
	if host == nil || host.Type != html.ElementNode || host.Namespace != "" || !mode(template) {
		return false
	}
	for before := template.PrevSibling; before != nil; before = before.PrevSibling {
		if mode(before) {
			return false
		}
	}
	switch host.Data {
	case "article", "aside", "blockquote", "body", "div", "footer", "h1", "h2", "h3", "h4", "h5", "h6", "header", "main", "nav", "p", "section", "span":
		return true
	}
	return strings.Contains(host.Data, "-")
}

// Limits of the trees that pages are read with. A page of 10 MiB written by people has 300,000 tags,
// and a formatting element that is not closed may be repeated in every paragraph that follows.
const (
	maxPageTags  = 100_000
	maxPageNodes = 1_000_000
)

// trees limits the trees that exist at a time: a tree is many times larger than its page.
var trees = make(chan struct{}, runtime.GOMAXPROCS(0))

// parsePage returns the tree of a page. It returns false if the tree might be too large or too deep.
func parsePage(page []byte) (root *html.Node, ok bool) {
	tags, formats, open := 0, 0, 0
	for at := bytes.IndexByte(page, '<'); at >= 0; {
		tags++
		switch end := formatting(page[at:]); {
		case end == 0:
		case page[at+1] == '/':
			open = max(open-1, 0)
		default:
			open++
			formats = max(formats, open)
		}
		next := bytes.IndexByte(page[at+1:], '<')
		if at += 1 + next; next < 0 {
			break
		}
	}
	if tags > maxPageTags || tags*(3+formats) > maxPageNodes {
		return nil, false
	}
	root, err := html.ParseWithOptions(bytes.NewReader(dropTemplates(page)), html.ParseOptionEnableScripting(false))
	return root, err == nil
}

// dropTemplates returns a page without the template elements in the HTML parts of drawings and formulas.
// They are not shown, but the parser would ignore the rest of the page after one of them.
func dropTemplates(page []byte) []byte {
	lower := bytes.ToLower(page)
	if !bytes.Contains(lower, []byte("<template")) || !bytes.Contains(lower, []byte("<svg")) && !bytes.Contains(lower, []byte("<math")) {
		return page
	}
	kept := make([]byte, 0, len(page))
	z := html.NewTokenizer(bytes.NewReader(page))
	var open []string // the elements of SVG and MathML around the place
	templates := 0    // how many template elements are open that are left out
	for {
		kind := z.Next()
		raw := slices.Clone(z.Raw())
		tag, _ := z.TagName()
		name, e := string(tag), unknown
		if name != "" {
			e = elementOf(tag)
		}
		inHTML := len(open) == 0 || slices.Contains(htmlParts, open[len(open)-1])
		switch kind {
		case html.ErrorToken:
			return append(kept, raw...)
		case html.StartTagToken:
			if e.kind&rawText != 0 && !inHTML || e.tag == tagNoscript {
				z.NextIsNotRawText()
			}
			switch {
			case templates > 0 && name == "template", name == "template" && inHTML && len(open) > 0:
				templates++
			case templates > 0:
			case inHTML && (name == "svg" || name == "math"), !inHTML && e.kind&breaksOut == 0:
				open = append(open, name)
			case !inHTML: // it ends the drawing
				for len(open) > 0 && !slices.Contains(htmlParts, open[len(open)-1]) {
					open = open[:len(open)-1]
				}
			}
		case html.EndTagToken:
			if templates > 0 && name == "template" {
				templates--
				continue
			}
			for at := len(open) - 1; at >= 0 && templates == 0; at-- {
				if open[at] == name {
					open = open[:at]
					break
				}
			}
		}
		if templates == 0 {
			kept = append(kept, raw...)
		}
	}
}

// htmlParts are the elements of SVG and MathML that contain HTML (HTML standard, 13.2.6).
var htmlParts = []string{"foreignobject", "desc", "title", "mi", "mo", "mn", "ms", "mtext", "annotation-xml"}

// tree reads a page for [Rules]. It is not whole when it has more tags than a tree may have.
func tree(page *Document) (root *html.Node, whole bool, err error) {
	if page.xml {
		root, _ = parseXML(page.Text) // up to where it is malformed
		return root, true, nil
	}
	in := &disguised{page: page.Text}
	root, err = html.ParseWithOptions(in, html.ParseOptionEnableScripting(false))
	if err != nil {
		return nil, false, err
	}
	for n := range root.Descendants() {
		undisguise(n)
	}
	return root, in.tags <= maxTags, nil
}

// disguised is a page with other names of some tags. It replaces bytes without parsing, so it
// also changes names in comments, scripts and values, which are restored afterwards.
type disguised struct {
	page []byte // not read yet
	tags int    // start tags so far
	rest []byte // part of a name, to be read before page
}

// Read implements io.Reader.
func (d *disguised) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		if len(d.rest) == 0 {
			d.next()
		}
		if len(d.rest) == 0 {
			break
		}
		k := copy(p[n:], d.rest)
		d.rest = d.rest[k:]
		n += k
	}
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// next sets rest to the next piece of the page, which ends before a tag, or before the
// end of the name of one that is to be disguised. It is empty at the end.
func (d *disguised) next() {
	if len(d.page) == 0 {
		return
	}
	if d.page[0] != '<' {
		d.give(bytes.IndexByte(d.page, '<'))
		return
	}
	if d.tags++; d.tags > maxTags {
		d.page = nil
		return
	}
	if end := formatting(d.page); end > 0 {
		d.rest = append(append(make([]byte, 0, end+len(disguise)), d.page[:end]...), disguise...)
		d.page = d.page[end:]
		return
	}
	end := bytes.IndexByte(d.page[1:], '<')
	if end >= 0 {
		end++
	}
	d.give(end)
}

// give sets rest to the first bytes of the page, all when there is no end to them.
func (d *disguised) give(end int) {
	if end < 0 {
		end = len(d.page)
	}
	d.rest, d.page = d.page[:end], d.page[end:]
}

// formatting returns where the name ends of the tag that b begins with, when it is that
// of an element which formats text; 0: it is not.
func formatting(b []byte) int {
	start := 1
	if len(b) > 1 && b[1] == '/' {
		start++
	}
	end := start
	for end < len(b) && !isSpace(b[end]) && b[end] != '/' && b[end] != '>' {
		if end++; end-start > len("strike") {
			return 0
		}
	}
	if end == len(b) { // incomplete
		return 0
	}
	switch strings.ToLower(string(b[start:end])) {
	case "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u":
		return end
	}
	return 0
}

// undisguise puts right what disguise has changed of a node.
func undisguise(n *html.Node) {
	switch n.Type {
	case html.ElementNode:
		if name, ok := strings.CutSuffix(n.Data, disguise); ok {
			n.Data, n.DataAtom = name, atom.Lookup([]byte(name))
		}
		for i := range n.Attr {
			// In <p</b> the name is that of an attribute.
			n.Attr[i].Key, n.Attr[i].Val = strings.ReplaceAll(n.Attr[i].Key, disguise, ""), plainly(n.Attr[i].Val)
		}
	case html.TextNode, html.CommentNode:
		n.Data = plainly(n.Data)
	}
}

// plainly returns a text in which something may have been taken for a tag.
func plainly(text string) string {
	if !strings.Contains(text, disguise) {
		return text
	}
	var b strings.Builder
	for {
		before, after, found := strings.Cut(text, disguise)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		// The page may have the character itself; icons are drawn with it.
		if open := strings.LastIndexByte(before, '<'); open < 0 || formatting([]byte(before[open:]+">")) != len(before)-open {
			b.WriteString(disguise)
		}
		text = after
	}
}
