package extract

import (
	"bytes"
	"io"

	"golang.org/x/net/html"
)

// A tokenReader reads the tokens of a page. It alternates between two readers of rest: the tokenizer
// of x/net/html, when it is called for a token, and plain, between two tokens. The tokenizer looks at
// every byte, and puts every attribute of every tag into a map. On most pages most bytes are text,
// and most tags are plain: a name and attributes in lower case, one white space or more before each
// attribute, and values in quotes or without white space. About these there is no doubt where they
// end and what they say.
type tokenReader struct {
	*collector
	rest    source
	tokens  *html.Tokenizer
	raw     *element // the content of this one is the next token; nil if it is not text alone
	lenient bool     // the page has no tree, so it is read on where the tree would decide
	unsure  bool     // the tree decides
	openElements
}

// readTokens reads a page by its tokens. It returns false, at any place, if the tree of the page
// decides what its tags mean.
func (c *collector) readTokens(lenient bool) (sure bool) {
	text := c.doc.Text
	r := &tokenReader{collector: c, lenient: lenient, rest: source{page: text}, openElements: openElements{stack: make([]openElement, 0, usualDepth)}}
	if r.tokens = html.NewTokenizer(&r.rest); bytes.IndexByte(text, 0) >= 0 {
		r.doubt() // the tree has a NUL in some places
	}
	for !r.unsure {
		if r.raw == nil && len(r.tokens.Buffered()) == 0 {
			if r.plain(); r.unsure {
				break
			}
		}
		raw := r.raw
		r.raw = nil
		kind := r.tokens.Next()
		if raw != nil {
			r.rawContent(raw, kind)
			if kind == html.TextToken {
				continue
			}
		}
		switch kind {
		case html.ErrorToken:
			return true
		case html.TextToken:
			r.addText(r.tokens.Raw())
		case html.StartTagToken:
			r.startTag(false)
		case html.SelfClosingTagToken:
			r.startTag(true)
		case html.EndTagToken:
			name, _ := r.tokens.TagName()
			r.close(name)
		case html.CommentToken:
			if r.in(inSVG) {
				r.doubt() // it may be CDATA, and splits a style sheet
			}
		}
	}
	return false
}

// startTag reads the tag that the tokenizer is at.
func (r *tokenReader) startTag(closed bool) {
	name, more := r.tokens.TagName()
	e := elementOf(name)
	if e.tag == tagNoscript || e.kind&rawText != 0 && r.in(inSVG) { // the tokenizer would read its content as text
		r.tokens.NextIsNotRawText()
	}
	r.moveTo(r.left() + len(r.tokens.Raw()))
	r.attrs = attributes{}
	if r.reads(e) {
		for more {
			var key, value []byte
			key, value, more = r.tokens.TagAttr()
			r.attrs.set(key, value)
		}
	}
	r.open(e, name, closed)
}

// left returns how many bytes of the page follow the token.
func (r *tokenReader) left() int { return len(r.rest.page) + len(r.tokens.Buffered()) }

// reads reports whether the attributes of an element are read.
func (r *tokenReader) reads(e *element) bool {
	return e.kind&linking != 0 || r.on.ID != nil || r.on.Resource != nil
}

// rawContent reads the content of an element that has text without markup, at a token that is its
// text or, if it is empty, its end tag.
func (r *tokenReader) rawContent(e *element, kind html.TokenType) {
	text := kind == html.TextToken
	switch {
	case r.in(inTemplate):
	case e.tag == tagTitle && text:
		r.titleText(string(r.tokens.Text()))
	case e.tag == tagTitle:
		r.titleText("")
	case e.tag == tagStyle && text:
		r.moveTo(r.left() + len(r.tokens.Raw()))
		r.styleText(r.tokens.Raw(), true)
	case r.module && text:
		r.scriptText(r.tokens.Raw())
	}
}

// startRawText prepares to read the content of an element that has text without markup. It skips a
// long one, since the tokenizer would copy a script of some MB through its buffer. It does not skip a
// script with a comment, since a comment can contain an end tag.
func (r *tokenReader) startRawText(e *element) {
	r.raw = e
	if len(r.tokens.Buffered()) > 0 || e.tag == tagPlaintext {
		return
	}
	end := rawEnd(r.rest.page, []byte(e.name))
	switch content := r.rest.page[:end]; {
	case r.in(inTemplate):
	case e.tag == tagTitle && end <= maxTitleText, e.name == "script" && bytes.Contains(content, []byte("<!--")):
		return
	case e.tag == tagTitle:
		r.titleText(html.UnescapeString(string(content[:maxTitleText])))
	case e.tag == tagStyle:
		r.moveTo(len(r.rest.page))
		r.styleText(content, true)
	case r.module:
		r.scriptText(content)
	}
	r.rest.page, r.rest.given = r.rest.page[end:], 0
}

// plain reads on, at a place between two tokens, up to the first thing that is
// left to the tokenizer.
func (r *tokenReader) plain() {
	r.rest.given = 0
	page := r.rest.page
	for n := 1; n > 0 && !r.unsure; page = page[n:] {
		at := bytes.IndexByte(page, '<')
		if at < 0 {
			r.addText(page)
			page = nil
			break
		}
		if at > 0 {
			r.addText(page[:at])
			page = page[at:]
		}
		n = r.plainMarkup(page)
	}
	r.rest.page = page
}

// plainMarkup reads the markup at the start of b, and returns its length, or 0 if
// it is not plain.
func (r *tokenReader) plainMarkup(b []byte) int {
	if len(b) < len("<a>") {
		return 0
	}
	switch c := b[1]; {
	case isLower(c):
		return r.plainStartTag(b)
	case c == '/':
		return r.plainEndTag(b)
	case c == '!' && !r.in(inSVG):
		return plainComment(b)
	case c == '!':
		return 0
	case c == '?', 'A' <= c && c <= 'Z':
		return 0
	default:
		r.addText(b[:1])
		return 1 // a < in the text
	}
}

// rawEnd returns where the end tag of an element begins that has no markup in it: the end
// of the page when there is none.
func rawEnd(page, name []byte) int {
	for at := 0; ; at += len("</") {
		next := bytes.Index(page[at:], []byte("</"))
		if next < 0 {
			return len(page)
		}
		at += next
		tag := page[at+len("</"):]
		if len(tag) <= len(name) || !bytes.EqualFold(tag[:len(name)], name) {
			continue
		}
		if c := tag[len(name)]; isSpace(c) || c == '/' || c == '>' {
			return at
		}
	}
}

// plainEndTag reads </name>.
func (r *tokenReader) plainEndTag(b []byte) int {
	end := nameEnd(b, len("</"))
	if !isLower(b[2]) || end == len(b) || b[end] != '>' {
		return 0
	}
	r.close(b[len("</"):end])
	return end + 1
}

// plainComment reads <!-- --> without a further -- in it. A comment that begins
// with > or -> has ended.
func plainComment(b []byte) int {
	text, ok := bytes.CutPrefix(b, []byte("<!--"))
	if !ok || len(text) == 0 || text[0] == '>' || text[0] == '-' {
		return 0
	}
	end := bytes.Index(text, []byte("--"))
	if end < 0 || !bytes.HasPrefix(text[end:], []byte("-->")) {
		return 0
	}
	return len("<!--") + end + len("-->")
}

// plainStartTag reads <name key="value" key='value' key=value key> or, with a
// slash, <name/>. An element whose text is not markup is the tokenizer's.
func (r *tokenReader) plainStartTag(b []byte) int {
	at := nameEnd(b, len("<"))
	name := b[len("<"):at]
	e := elementOf(name)
	if e.kind&rawText != 0 && !r.in(inSVG) {
		return 0
	}
	r.moveTo(len(b))
	read := r.reads(e)
	if read {
		r.attrs = attributes{}
	}
	for {
		gap := at
		for at < len(b) && isSpace(b[at]) {
			at++
		}
		switch rest := b[at:]; {
		case len(rest) > 0 && rest[0] == '>':
			r.open(e, name, false)
			return at + 1
		case len(rest) > 1 && rest[0] == '/' && rest[1] == '>':
			r.open(e, name, true)
			return at + 2
		case at == gap:
			return 0
		}
		key, value, n := plainAttribute(b[at:])
		if n == 0 {
			return 0
		}
		if read {
			if hasEscapes(value) {
				return 0
			}
			r.attrs.set(key, value)
		}
		at += n
	}
}

// plainAttribute reads an attribute and returns its length, or 0 if it is not plain.
// The length is less than that of b: something follows.
func plainAttribute(b []byte) (key, value []byte, n int) {
	end := nameEnd(b, 0)
	if end == 0 || end == len(b) {
		return nil, nil, 0
	}
	if b[end] != '=' {
		return b[:end], b[end:end], end
	}
	rest := b[end+1:]
	if len(rest) == 0 {
		return nil, nil, 0
	}
	if quote := rest[0]; quote == '"' || quote == '\'' {
		size := bytes.IndexByte(rest[1:], quote)
		if size < 0 {
			return nil, nil, 0
		}
		return b[:end], rest[1 : 1+size], end + size + len(`=""`)
	}
	size := 0
	for size < len(rest) && !isSpace(rest[size]) && rest[size] != '>' {
		size++
	}
	// In <svg key=a/> the slash is the value's, but not for every reader.
	if size == 0 || size == len(rest) || rest[size-1] == '/' {
		return nil, nil, 0
	}
	return b[:end], rest[:size], end + 1 + size
}

// nameEnd returns where the name of a tag or an attribute that begins at start
// ends.
func nameEnd(b []byte, start int) int {
	for start < len(b) && (isLower(b[start]) || isDigit(b[start]) || b[start] == '-' || b[start] == ':' || b[start] == '_') {
		start++
	}
	return start
}

func isLower(c byte) bool { return 'a' <= c && c <= 'z' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f' }

// hasEscapes reports whether the value of an attribute may stand for something else
// than its bytes: & begins an entity, CR is a line feed, NUL a replacement
// character.
func hasEscapes(value []byte) bool {
	for _, c := range value {
		if c == '&' || c == '\r' || c == 0 {
			return true
		}
	}
	return false
}

// source hands the page to the tokenizer in pieces. A piece ends with the next >,
// usually the end of a tag: the tokenizer is then between two tokens, with an
// empty buffer. Within one token the size of the pieces doubles, so the buffer
// does not move a long token again and again.
type source struct {
	page  []byte // what is left of it
	given int    // how much was handed out since the last place between two tokens
}

// Read is for the tokenizer.
func (s *source) Read(b []byte) (int, error) {
	if len(s.page) == 0 {
		return 0, io.EOF
	}
	b = b[:min(len(b), len(s.page))]
	n := min(s.given, len(b))
	if end := bytes.IndexByte(s.page[n:len(b)], '>'); end >= 0 {
		n += end + 1
	} else {
		n = len(b)
	}
	copy(b, s.page[:n])
	s.page = s.page[n:]
	s.given += n
	return n, nil
}
