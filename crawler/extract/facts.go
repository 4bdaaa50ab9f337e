package extract

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
)

const (
	// maxLinkText is the maximum length of the text of a link, in bytes.
	maxLinkText = 200

	// maxHeadingText and maxLinkSource limit how many bytes of the page are read for the first
	// h1 and for the text of a link, before white space is collapsed.
	maxHeadingText = 8 << 10
	maxLinkSource  = 1 << 10

	// maxInside limits how many links of a page wait for the text of the link around them.
	maxInside = 100
)

// Hreflang is another version of the page: <link rel=alternate hreflang=de href="/de">.
type Hreflang struct {
	Lang string // as written, white space trimmed
	URL  string // as written, white space trimmed; may be relative
}

// visible adds visible text of the page, in which entities are not decoded.
func (p *parser) visible(text []byte) {
	if p.templates == 0 {
		p.words.add(text)
		if p.heading.open {
			p.heading.add(text, maxHeadingText)
		}
	}
	if p.linkText.open {
		p.linkText.add(text, maxLinkSource)
	}
}

// boundary ends a word at a start or end tag, unless the element only formats text.
func (p *parser) boundary(name []byte, end bool) {
	if isInline(name) {
		return
	}
	p.words.in = 0
	if p.heading.open {
		p.heading.add(space, maxHeadingText)
		if p.endsHeading(name, end) {
			p.endHeading()
		}
	}
	if p.linkText.open {
		p.linkText.add(space, maxLinkSource)
	}
}

// endsHeading reports whether a tag ends the open h1. Like in a browser, the tag of any heading
// does, and the end tag of an element around the h1. The parser does not know the elements around
// it: it takes an end tag for theirs if nothing in the h1 is open.
func (p *parser) endsHeading(name []byte, end bool) bool {
	switch string(name) {
	case "h1", "h2", "h3", "h4", "h5", "h6":
		return true
	case "td", "th", "tr", "tbody", "tfoot", "thead", "caption": // the next one ends them too
		return p.inHeading == 0
	case "dd", "dt", "li": // often without an end tag
		return end && p.inHeading == 0
	case "address", "article", "aside", "blockquote", "button", "center", "details", "dialog", "dir", "div", "dl", "fieldset",
		"figcaption", "figure", "footer", "header", "hgroup", "main", "menu", "nav", "object", "ol", "pre", "search", "section",
		"summary", "table", "template", "ul":
		if end {
			p.inHeading--
		} else {
			p.inHeading++
		}
	}
	return p.inHeading < 0
}

var space = []byte{' '}

// isInline reports whether an element only formats text, so that a word may go on after its tag.
func isInline(name []byte) bool {
	if len(name) == 1 {
		switch name[0] {
		case 'a', 'b', 'i', 'q', 's', 'u':
			return true
		}
		return false
	}
	switch string(name) {
	case "abbr", "acronym", "bdi", "bdo", "big", "blink", "cite", "code", "data", "del", "dfn", "em", "font",
		"ins", "kbd", "mark", "nobr", "samp", "small", "span", "strike", "strong", "sub", "sup", "time",
		"tt", "var", "wbr":
		return true
	}
	return false
}

// startHeading counts an h1, and starts the text of the first.
func (p *parser) startHeading() {
	if p.templates > 0 {
		return
	}
	p.doc.H1Count++
	if !p.hasHeading {
		p.hasHeading, p.heading.open = true, true
	}
}

// endHeading ends the first h1.
func (p *parser) endHeading() {
	if p.heading.open {
		p.doc.H1 = p.text.keep(p.heading.end(maxTitle))
	}
}

// endLink reports the last link, whose text has ended.
func (p *parser) endLink() {
	if p.linkText.open {
		p.lastLink.Text = p.text.keep(p.linkText.end(maxLinkText))
		p.on.Link(p.linkBase, p.lastLink)
		for _, link := range p.inside {
			p.on.Link(link.base, link.Link)
		}
		p.inside = p.inside[:0]
	}
}

// finish ends what is still open at the end of the page.
func (p *parser) finish() *Document {
	p.endHeading()
	p.endLink()
	p.doc.Words = p.words.n
	return p.doc
}

// A passage collects the text of an element.
type passage struct {
	open bool
	text []byte // as in the page, with one space for each white space of ASCII
}

// add adds text, up to a number of bytes.
func (t *passage) add(text []byte, most int) {
	for _, c := range text {
		switch n := len(t.text); {
		case n >= most:
			return
		case !isSpace(c):
			t.text = append(t.text, c)
		case n > 0 && t.text[n-1] != ' ':
			t.text = append(t.text, ' ')
		}
	}
}

// end returns at most this many bytes of the text, with entities decoded and white space
// collapsed, and empties the passage.
func (t *passage) end(most int) []byte {
	text := t.text
	t.open, t.text = false, text[:0]
	if slices.ContainsFunc(text, func(c byte) bool { return c == '&' || c == '\v' || c >= utf8.RuneSelf }) {
		return []byte(oneLine(html.UnescapeString(string(text)), most))
	}
	return clip(bytes.TrimSuffix(text, space), most)
}

// oneLine collapses the white space of a text, and cuts it after a number of bytes.
func oneLine(text string, most int) string {
	return string(clip([]byte(strings.Join(strings.Fields(text), " ")), most))
}

// clip shortens a text to a number of bytes, at a character.
func clip(text []byte, most int) []byte {
	if len(text) <= most {
		return text
	}
	return bytes.ToValidUTF8(text[:most], nil)
}

// A wordCounter counts words: the parts of a text between white space or control characters, after
// decoding entities.
type wordCounter struct {
	n  int
	in uint8 // 1: the text so far ends in a word
}

// add counts the words of a text. A word may continue in the next text. Eight bytes at a time,
// since the text is most of a page.
func (w *wordCounter) add(text []byte) {
	n, in := w.n, w.in
	for len(text) > 0 {
		for len(text) >= 8 {
			// Of each byte of x, only the high bit counts. None of the differences borrows from
			// the next byte, except after a zero byte of amp.
			x := binary.LittleEndian.Uint64(text)
			amp := x ^ '&'*ones
			if (x|(amp-ones)&^amp)&high != 0 {
				break
			}
			words := ((x | high) - (' '+1)*ones) & high
			n += bits.OnesCount64(words &^ (words<<8 | uint64(in)<<7))
			in = uint8(words >> 63)
			text = text[8:]
		}
		if size := len(text); 0 < size && size < 8 && cap(text) >= 8 {
			keep := uint64(1)<<(8*size) - 1 // what follows the text counts as spaces
			x := binary.LittleEndian.Uint64(text[:8])&keep | ' '*ones&^keep
			amp := x ^ '&'*ones
			if (x|(amp-ones)&^amp)&high == 0 {
				words := ((x | high) - (' '+1)*ones) & high
				n += bits.OnesCount64(words &^ (words<<8 | uint64(in)<<7))
				in = uint8(words >> (8*size - 1) & 1)
				break
			}
		}
		for i := 0; i < 8 && len(text) > 0; i++ {
			c := text[0]
			if isSpecial(c) {
				w.n, w.in = n, in
				text = text[w.special(text):]
				n, in = w.n, w.in
				continue
			}
			word := uint8(0)
			if c > ' ' {
				word = 1
			}
			n += int(word &^ in)
			in = word
			text = text[1:]
		}
	}
	w.n, w.in = n, in
}

const (
	ones = 0x0101010101010101
	high = 0x8080808080808080
)

// isSpecial reports whether a byte may begin an entity, or a white space character that is not in
// ASCII: U+0085, U+00A0, U+1680, U+2000 to U+205F, U+3000.
func isSpecial(c byte) bool { return c == '&' || c == 0xc2 || 0xe1 <= c && c <= 0xe3 }

// special counts the entity or the character that text begins with, and returns its length.
func (w *wordCounter) special(text []byte) (size int) {
	if text[0] != '&' {
		r, size := utf8.DecodeRune(text)
		w.char(r)
		return size
	}
	size = 1
	for size < len(text) && (text[size] == '#' || isDigit(text[size]) || isLower(text[size]|0x20)) {
		size++
	}
	if size < len(text) && text[size] == ';' {
		size++
	}
	switch entity := text[:size]; string(entity) {
	case "&", "&lt;", "&gt;", "&amp;", "&quot;", "&#39;":
		w.char('&')
	case "&nbsp;":
		w.char(' ')
	default:
		for _, r := range html.UnescapeString(string(entity)) {
			w.char(r)
		}
	}
	return size
}

func (w *wordCounter) char(r rune) {
	switch {
	case r <= ' ', unicode.IsSpace(r):
		w.in = 0
	case w.in == 0:
		w.n, w.in = w.n+1, 1
	}
}
