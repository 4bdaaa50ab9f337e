package extract

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"regexp"
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
	URL  string // absolute, without a fragment
}

// visible adds visible text of the page, in which entities are not decoded.
func (c *collector) visible(text []byte) {
	c.words.add(text)
	if c.heading.open {
		c.heading.add(text, maxHeadingText)
	}
	if c.linkText.open {
		c.linkText.add(text, maxLinkSource)
	}
}

// boundary ends a word at a start or end tag, unless the element only formats text.
func (c *collector) boundary(e *element) {
	if e.kind&inline != 0 {
		return
	}
	c.words.in = 0
	if c.heading.open {
		c.heading.add(space, maxHeadingText)
	}
	if c.linkText.open {
		c.linkText.add(space, maxLinkSource)
	}
}

var space = []byte{' '}

// startHeading counts an h1, and starts the text of the first.
func (c *collector) startHeading() {
	c.doc.H1Count++
	c.mark(&c.doc.Lines.H1)
	switch {
	case c.headings > 0: // inside the first
		c.headings++
	case !c.hasHeading:
		c.hasHeading, c.heading.open, c.headings = true, true, 1
	}
}

// endHeading ends the first h1.
func (c *collector) endHeading() {
	if c.heading.open {
		c.doc.H1 = c.text.keep(c.heading.end(maxTitle))
	}
}

// endLink reports the last link when its text has ended.
func (c *collector) endLink() {
	if c.linkText.open {
		c.lastLink.Text = c.text.keep(c.linkText.end(maxLinkText))
		c.on.Link(c.lastLink)
		for _, link := range c.inside {
			c.on.Link(link)
		}
		c.inside = c.inside[:0]
	}
}

// image counts an img element that has no alt attribute and needs one.
func (c *collector) image() {
	a := &c.attrs
	decorative := equalFold(a.role, "presentation") || equalFold(a.role, "none") || equalFold(a.ariaHidden, "true")
	if a.alt == nil && !decorative {
		c.doc.ImagesWithoutAlt++
	}
}

// altText returns the alt attribute of an element, shortened as the text of a link is.
func (c *collector) altText() string {
	var alt passage
	alt.collapse(c.attrs.alt, maxLinkSource)
	return c.text.keep(alt.end(maxLinkText))
}

// maxNoscriptWords is how many words a page may have that shows nothing outside noscript.
const maxNoscriptWords = 300

// readWithoutNoscript reads a page again if only its noscript elements may have what browsers show, or
// images without alt. Where scripts run, the content of noscript is text up to its end tag: tags that
// end it early elsewhere, such as an img in the head, are a part of it.
func readWithoutNoscript(page *Page, decoded, doc *Document) {
	mayNeedScripts := doc.hasScripts && !doc.NeedsScripts && doc.Words <= maxNoscriptWords
	if doc.xml || !mayNeedScripts && doc.ImagesWithoutAlt == 0 || !noscriptTag.Match(doc.Text) {
		return
	}
	text := make([]byte, 0, len(doc.Text))
	z := html.NewTokenizer(bytes.NewReader(doc.Text))
	for inside := false; ; {
		kind := z.Next()
		if !inside || kind != html.TextToken {
			text = append(text, z.Raw()...)
		}
		if kind == html.ErrorToken {
			break
		}
		inside = false
		if kind == html.StartTagToken {
			name, _ := z.TagName()
			inside = elementOf(name).tag == tagNoscript
		}
	}
	bare := *decoded
	bare.Text = text
	rest := readDecoded(page, bare, &Handlers{Link: func(Link) {}, Restart: func() {}}, false)
	doc.ImagesWithoutAlt, doc.NeedsScripts = rest.ImagesWithoutAlt, rest.NeedsScripts
}

var noscriptTag = regexp.MustCompile("<(?i:noscript)")

// finish ends what is still open at the end of the page.
func (c *collector) finish() {
	c.resolver()
	c.endHeading()
	c.endLink()
	c.doc.Words = c.words.n
	c.doc.NeedsScripts = c.doc.hasScripts && !c.shows && c.words.n == 0
}

// A passage collects the text of an element.
type passage struct {
	open bool
	text []byte // with one space for white space of ASCII and control characters
}

// add adds text, in which entities are not decoded, up to a number of bytes.
func (t *passage) add(text []byte, most int) {
	for len(text) > 0 && len(t.text) < most {
		n := bytes.IndexByte(text, '&')
		if n == 0 {
			var decoded string
			decoded, n = entity(text)
			t.collapse([]byte(decoded), most)
		} else {
			if n < 0 {
				n = len(text)
			}
			t.collapse(text[:n], most)
		}
		text = text[n:]
	}
}

// collapse adds text as it is, but for its white space and control characters, which Chromium shows as
// white space too.
func (t *passage) collapse(text []byte, most int) {
	for _, c := range text {
		switch n := len(t.text); {
		case n >= most:
			return
		case c > ' ' && c != 0x7f || c == '\v':
			t.text = append(t.text, c)
		case n > 0 && t.text[n-1] != ' ':
			t.text = append(t.text, ' ')
		}
	}
}

// end returns at most this many bytes of the text, with white space of Unicode collapsed too, and
// empties the passage.
func (t *passage) end(most int) []byte {
	text := t.text
	t.open, t.text = false, text[:0]
	if slices.ContainsFunc(text, func(c byte) bool { return c == '\v' || c >= utf8.RuneSelf }) {
		return []byte(oneLine(string(text), most))
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
	decoded, size := entity(text)
	for _, r := range decoded {
		w.char(r)
	}
	return size
}

// entity decodes the entity that text begins with, and returns its length. A & that begins none stands
// for itself.
func entity(text []byte) (decoded string, size int) {
	size = 1
	for size < len(text) && (text[size] == '#' || isDigit(text[size]) || isLower(text[size]|0x20)) {
		size++
	}
	if size < len(text) && text[size] == ';' {
		size++
	}
	switch entity := text[:size]; string(entity) {
	case "&amp;":
		return "&", size
	case "&lt;":
		return "<", size
	case "&gt;":
		return ">", size
	case "&quot;":
		return `"`, size
	case "&nbsp;":
		return "\u00a0", size
	default:
		return html.UnescapeString(string(entity)), size
	}
}

func (w *wordCounter) char(r rune) {
	switch {
	case r <= ' ', unicode.IsSpace(r):
		w.in = 0
	case w.in == 0:
		w.n, w.in = w.n+1, 1
	}
}
