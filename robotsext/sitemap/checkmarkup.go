package sitemap

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// document checks a document. It leaves text sitemaps alone.
func (c *checker) document() {
	c.next()
	if c.c == '\uFEFF' {
		c.next()
		c.at.column = 1
	}
	c.origin = c.at.offset
	var odd place
	for unicode.IsSpace(c.c) {
		if !isBlank(c.c) && odd.line == 0 {
			odd = c.at
		}
		c.next()
	}
	if c.c != '<' {
		return
	}
	if odd.line > 0 {
		c.fail(odd, "", "remove it", "text before the root element")
	}
	for c.c != noChar {
		if c.c == '<' {
			c.markup()
		} else {
			c.text()
		}
	}
	if len(c.open) > 0 || !c.rooted {
		c.truncated()
	}
}

func (c *checker) markup() {
	start := c.at
	switch c.next(); c.c {
	case '!':
		c.next()
		c.declaration(start)
	case '?':
		c.next()
		c.instruction(start)
	case '/':
		c.next()
		c.endTag(start)
	default:
		c.startTag(start)
	}
}

// text checks text up to the next tag.
func (c *checker) text() {
	var stray place // of the first character that is no white space
	for brackets := 0; c.c != '<' && c.c != noChar; {
		at, r := c.at, c.c
		if stray.line == 0 && !isBlank(r) {
			stray = at
			if !c.inside(at, "text") {
				return
			}
		}
		switch {
		case r == '&':
			c.reference()
			brackets = 0
			continue
		case r == ']':
			brackets++
		case r == '>' && brackets >= 2:
			at.offset, at.column = at.offset-2, at.column-2
			c.fail(at, "", "write ]]&gt; for ]]>", "']]>' in text")
		default:
			brackets = 0
		}
		c.next()
	}
	if stray.line > 0 && !c.ended {
		c.strayText(stray)
	}
}

// inside reports whether the root element is open; it fails if not.
func (c *checker) inside(at place, what string) bool {
	switch {
	case len(c.open) > 0:
		return true
	case c.rooted:
		c.fail(at, TrailingContent, "remove everything after the end tag of the root element", what+" after the root element")
	default:
		c.fail(at, "", "remove it", what+" before the root element")
	}
	return false
}

// reference checks a reference. After a document type it accepts any entity, which may be
// declared there.
func (c *checker) reference() {
	start, inValue := c.at, c.keep
	if !inValue {
		c.capture()
	}
	n := len(c.raw)
	for c.next(); (c.c == '#' || isNameChar(c.c)) && len(c.raw)-n < maxReference; {
		c.next()
	}
	ended := c.accept(";")
	text := c.raw[n:]
	c.keep = inValue
	if ended {
		if r, size := reference(text); size > 0 && isChar(r) {
			return
		}
		if name := string(text[1 : len(text)-1]); c.doctype && validName(name) && !strings.Contains(name, ":") {
			return
		}
	}
	fix := "write &amp; for &"
	switch {
	case c.c == noChar && !ended:
		c.truncated()
	case bytes.HasPrefix(text, []byte("&#")):
		fix = "write the number of a character that XML allows"
	case ended:
		fix = "write the character itself, or &amp; for &"
	}
	c.fail(start, BadReference, fix, "'&' that does not begin a reference")
}

// declaration checks a comment, a CDATA section or a document type.
func (c *checker) declaration(start place) {
	switch c.c {
	case '-':
		if c.next(); c.accept("-") {
			c.comment()
			return
		}
	case '[':
		if c.accept("[CDATA[") {
			if c.inside(start, "CDATA") {
				c.skipTo("]]>")
			}
			return
		}
	case 'D':
		if !c.rooted && !c.doctype && c.accept("DOCTYPE") {
			c.doctype = true
			if !isBlank(c.c) && c.c != noChar {
				c.fail(start, "", "remove it", "a document type without a name")
			}
			c.skipDoctype()
			return
		}
	}
	if c.c == noChar {
		c.truncated()
	}
	c.fail(start, Doctype, "remove it, or write &lt; for <", "'<!' that does not begin a comment, CDATA or a document type at its place")
}

// comment checks the rest of a comment.
func (c *checker) comment() {
	for c.c != noChar {
		at := c.at
		if !c.accept("-") {
			c.next()
			continue
		}
		if c.accept("-") {
			if c.accept(">") {
				return
			}
			if c.c != noChar {
				c.fail(at, "", "write a single hyphen", "'--' in a comment")
			}
		}
	}
	c.truncated()
}

// skipDoctype skips the rest of a document type in the way of the scanner.
func (c *checker) skipDoctype() {
	for depth := 1; depth > 0 && c.c != noChar; {
		switch r := c.c; r {
		case '"', '\'':
			c.next()
			for c.c != r && c.c != noChar {
				c.next()
			}
		case '>':
			depth--
		case '<':
			c.next()
			switch {
			case c.accept("?"):
				c.skipTo("?>")
				continue
			case c.accept("!--"):
				c.skipTo("-->")
				continue
			}
			depth++
			continue
		}
		if c.next(); depth == 0 {
			return
		}
	}
	c.truncated()
}

func isNameChar(r rune) bool {
	return r >= utf8.RuneSelf || r > 0 && isNameStart(byte(r)) || r >= '0' && r <= '9' || r == '-' || r == '.'
}

// name reads a name. It returns "" if there is none, and fails if it is invalid.
func (c *checker) name() string {
	at := c.at
	if !isNameChar(c.c) {
		return ""
	}
	c.capture()
	for isNameChar(c.c) {
		c.next()
	}
	name := string(c.captured())
	if !c.ended && !validName(name) {
		c.fail(at, "", "begin it with a letter, and use letters, digits, '-', '.' and '_'", "the name "+cut([]byte(name))+" is invalid")
	}
	return name
}

// validName reports whether a name is valid.
func validName(name string) bool {
	for i, r := range name {
		if r >= utf8.RuneSelf && !unicode.Is(nameStart, r) && (i == 0 || !unicode.Is(nameMore, r)) {
			return false
		}
	}
	return name != "" && isNameStart(name[0])
}

// nameStart are the characters outside ASCII that can begin a name, and nameMore others that
// can follow (XML 1.0, fifth edition, 2.3). Most parsers follow the fourth edition, which has
// none beyond U+D7A3.
var (
	nameStart = &unicode.RangeTable{R16: []unicode.Range16{
		{0xC0, 0xD6, 1}, {0xD8, 0xF6, 1}, {0xF8, 0x2FF, 1}, {0x370, 0x37D, 1}, {0x37F, 0x1FFF, 1}, {0x200C, 0x200D, 1},
		{0x2070, 0x218F, 1}, {0x2C00, 0x2FEF, 1}, {0x3001, 0xD7A3, 1},
	}}
	nameMore = &unicode.RangeTable{R16: []unicode.Range16{{0xB7, 0xB7, 1}, {0x300, 0x36F, 1}, {0x203F, 0x2040, 1}}}
)
