package extract

import (
	"bytes"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
)

// readPageTree reads an HTML page by its tree. It returns nil if that might be too large.
func readPageTree(page *Page, decoded Document, on *Handlers) *Document {
	trees <- struct{}{}
	defer func() { <-trees }()
	root, ok := parsePage(decoded.Text)
	if !ok {
		return nil
	}
	doc, _ := collect(page, decoded, on, baseElement{}, treeReader(root)) // what the tokens show as base may be none
	return doc
}

// treeReader reads the tree of a page.
func treeReader(root *html.Node) func(*collector) (sure bool) {
	return func(c *collector) bool {
		for n := range root.ChildNodes() {
			c.walk(n)
		}
		return true
	}
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
		case a.Namespace == lineNamespace:
			c.line, _ = strconv.Atoi(a.Val)
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
		c.styleText([]byte(childText(n)), true)
	case c.module:
		c.scriptText([]byte(childText(n)))
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

// childText returns the text in an element, without the text of elements in it.
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

// Limits of the trees that pages are read with. Larger pages are read by their tokens.
const (
	maxPageTags  = 100_000 // number of <
	maxPageNodes = 1_000_000

	// maxRoots limits the tags of html and body elements. The parser compares each with the attributes of all.
	maxRoots = 20

	// maxFormatTag limits the length of a tag that is compared with others.
	maxFormatTag = 500
)

// trees limits the trees that exist at a time: a tree is many times larger than its page.
var trees = make(chan struct{}, runtime.GOMAXPROCS(0))

// parsePage returns the tree of a page. It returns false if the tree might be too large or too deep.
func parsePage(page []byte) (root *html.Node, ok bool) {
	tags, roots, formats := 0, 0, 0
	known := make(map[string]bool) // tags of formatting elements
	for at := bytes.IndexByte(page, '<'); at >= 0; {
		rest := page[at:]
		next := bytes.IndexByte(rest[1:], '<') + 1
		tags++
		if hasName(rest, "html") || hasName(rest, "body") {
			roots++
		}
		// Every paragraph may have another copy of each formatting element that is open before it: three
		// copies of each that differs from the others.
		if end := formatting(rest); end > 0 && rest[1] != '/' {
			switch tag := plainTag.Find(rest[:min(len(rest), maxFormatTag)]); {
			case tag == nil:
				formats++
			case len(tag) <= next && isEndTag(rest[next:], rest[1:end]), known[string(tag)]:
			default:
				known[string(tag)] = true
				formats += 3
			}
		}
		if next == 0 {
			break
		}
		at += next
	}
	if roots > maxRoots || tags > maxPageTags || tags*(3+formats) > maxPageNodes {
		return nil, false
	}
	page, ok = dropTemplates(page)
	if !ok {
		return nil, false
	}
	root, err := html.ParseWithOptions(bytes.NewReader(page), html.ParseOptionEnableScripting(false))
	return root, err == nil
}

// isEndTag reports whether b begins with the end tag of a formatting element.
func isEndTag(b, name []byte) bool {
	end := len("</") + len(name)
	return formatting(b) == end && bytes.EqualFold(b[:end], append([]byte("</"), name...))
}

// plainTag matches a start tag whose attributes are certain.
var plainTag = regexp.MustCompile(`^<[a-zA-Z]+(\s+[a-zA-Z-]+(\s*=\s*("[^"]*"|'[^']*'|[^\s"'=<>\x60/]+))?)*\s*/?>`)

// dropTemplates returns a page without the template elements in the HTML parts of drawings and formulas.
// They are not shown, but the parser would ignore the rest of the page after one of them. It returns
// false if elements are nested too deeply.
func dropTemplates(page []byte) (kept []byte, ok bool) {
	lower := bytes.ToLower(page)
	if !bytes.Contains(lower, []byte("<template")) || !bytes.Contains(lower, []byte("<svg")) && !bytes.Contains(lower, []byte("<math")) {
		return page, true
	}
	kept = make([]byte, 0, len(page))
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
			return append(kept, raw...), true
		case html.SelfClosingTagToken:
			if name == "template" && inHTML && len(open) > 0 { // the slash means nothing there
				templates++
			}
		case html.StartTagToken:
			if e.kind&rawText != 0 && !inHTML || e.tag == tagNoscript {
				z.NextIsNotRawText()
			}
			switch {
			case templates > 0 && name == "template", name == "template" && inHTML && len(open) > 0:
				templates++
			case templates > 0:
			case inHTML && (name == "svg" || name == "math"), !inHTML && e.kind&breaksOut == 0:
				if open = append(open, name); len(open) > maxDepth {
					return nil, false
				}
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
