package extract

import (
	"bytes"
	"io"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxTags bounds the size of a tree for [Rules]: a node takes 150 bytes or so, and a tag leads to
// three at the most. A page of 10 MiB written by people has 300,000.
const maxTags = 400_000

// disguise follows the names of tags that only format text, on their way to the parser, so that they are
// elements like any other. They have their own names again in the tree. HTML has a rule for them: those that were
// not closed before their paragraph ended are opened again in every one that follows.
//
//	<p><b><i>one</p><p>two</p>
//
// has two more elements than it has tags. With five hundred such tags, each with another attribute, a page of
// 300 KB makes a tree of 3 GB. A crawler has no use for the rule, nor for the one that ends a drawing at such a
// tag. (The rule stays for a: only one a can be opened again.)
const disguise = "\ue000" // begins no tag, and ends no name of one that anybody has seen

// tree reads a page for [Rules]. It is not whole when it has more tags than a tree may have.
func tree(page *Document) (root *html.Node, whole bool, err error) {
	if page.xml {
		root, _ = parseXML(page.Text, false) // up to where it is malformed
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
	page  []byte // not read yet
	tags  int    // number of < so far
	roots int    // tags of html and body elements so far
	rest  []byte // part of a name, to be read before page
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

// next sets rest to the next piece of the page. A piece ends before a tag, or before the
// end of the name of a tag to disguise. It is empty at the end.
func (d *disguised) next() {
	if len(d.page) == 0 {
		return
	}
	if d.page[0] != '<' {
		d.give(bytes.IndexByte(d.page, '<'))
		return
	}
	if hasName(d.page, "html") || hasName(d.page, "body") {
		d.roots++
	}
	if d.tags++; d.tags > maxTags || d.roots > maxRoots {
		d.tags, d.page = maxTags+1, nil
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

// formatting returns the end of the name of the tag at the start of b, or 0 if the element does
// not format text.
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
