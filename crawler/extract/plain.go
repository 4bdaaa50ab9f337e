package extract

import (
	"bytes"
	"io"
)

// The tokenizer looks at every byte, and puts every attribute of every tag into a
// map. On most pages most bytes are text, and most tags are plain: a name and
// attributes in lower case, one white space or more before each attribute, and
// values in quotes or without white space. About these there is no doubt where
// they end and what they say.

// plain reads on, at a place between two tokens, up to the first thing that is
// left to the tokenizer.
func (p *parser) plain() {
	p.rest.given = 0
	page := p.rest.page
	for n := 1; n > 0; page = page[n:] {
		at := bytes.IndexByte(page, '<')
		if at < 0 {
			p.visible(page)
			page = nil
			break
		}
		if at > 0 {
			p.visible(page[:at])
			page = page[at:]
		}
		n = p.plainMarkup(page)
	}
	p.rest.page = page
}

// plainMarkup reads what begins with the < that b begins with, and returns its
// length; 0: it is not plain.
func (p *parser) plainMarkup(b []byte) int {
	if len(b) < len("<a>") {
		return 0
	}
	switch c := b[1]; {
	case isLower(c):
		return p.plainStartTag(b)
	case c == '/':
		return p.plainEndTag(b)
	case c == '!':
		return plainComment(b)
	case c == '?', 'A' <= c && c <= 'Z':
		return 0
	default:
		p.visible(b[:1])
		return 1 // a < in the text
	}
}

// skip skips the text of an element without markup, up to its end tag: the tokenizer would copy
// a script of some MB through its buffer. It does not skip a script with a comment, since a
// comment can contain an end tag.
func (p *parser) skip(name []byte) {
	if len(p.tokens.Buffered()) > 0 {
		return
	}
	if end := rawEnd(p.rest.page, name); string(name) != "script" || !bytes.Contains(p.rest.page[:end], []byte("<!--")) {
		p.rest.page, p.rest.given = p.rest.page[end:], 0
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
func (p *parser) plainEndTag(b []byte) int {
	end := nameEnd(b, len("</"))
	if !isLower(b[2]) || end == len(b) || b[end] != '>' {
		return 0
	}
	p.endTag(b[len("</"):end])
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
func (p *parser) plainStartTag(b []byte) int {
	at := nameEnd(b, len("<"))
	name := b[len("<"):at]
	if isRawText(name) {
		return 0
	}
	read := p.reads(name)
	if read {
		p.attrs = attributes{}
	}
	for {
		gap := at
		for at < len(b) && isSpace(b[at]) {
			at++
		}
		switch rest := b[at:]; {
		case len(rest) > 0 && rest[0] == '>':
			p.element(name, false)
			return at + 1
		case len(rest) > 1 && rest[0] == '/' && rest[1] == '>':
			p.element(name, true)
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
			p.attrs.set(key, value)
		}
		at += n
	}
}

// plainAttribute reads an attribute and returns its length; 0: it is not plain.
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

// hasEscapes tells whether the value of an attribute may stand for something else
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

// source hands the page to the tokenizer, a piece at a time that ends with the
// next >, since there, as a rule, a tag ends: the tokenizer is then between two
// tokens and holds nothing back. Within one token the pieces double, so that long
// ones are not moved in the tokenizer's buffer again and again.
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
