package sitemap

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"unicode/utf8"
)

// checker reads a document in the way of an XML parser (XML 1.0 and Namespaces in XML), next
// to the lenient scanner. It stops at the first fault. It does not read a DTD, and its memory
// does not grow with the document. It may be up to a window ahead of the scanner.
type checker struct {
	src     io.Reader
	charset string // of the body; "" if unknown
	resume  func() (struct{}, bool)
	stop    func()
	wait    func(struct{}) bool

	chunk []byte // read and not yet checked
	eof   bool   // src ended
	ended bool   // the check ended, by a fault or a limit

	c     rune  // the current character, or noChar
	size  int   // its length in bytes
	at    place // its place
	keep  bool  // the characters are kept in raw
	raw   []byte
	limit int64 // offset at which the check gives up; 0: none

	origin  int64 // offset of the document, after a byte order mark
	decl    bool  // it has an XML declaration
	doctype bool
	rooted  bool // the root element began
	open    []openElement
	names   int               // bytes of the names of open elements
	uris    map[string]string // namespace by prefix
	shadows []shadow          // declarations to restore
	attrs   map[string]bool   // names of the attributes of a tag

	vocabulary
	findings []Finding // not yet reported
	fault    *fault    // why the check stopped; nil if reported or none
}

// noChar is the character after the last one.
const noChar rune = -1

// fault is a reason why an XML parser rejects the document.
type fault struct {
	Finding
	as Kind // kind of the lenient finding about the same fault, if there is one
}

// openElement is an open element, and the number of declarations outside of it.
type openElement struct {
	name    string
	shadows int
	role    role
}

// shadow is the declaration of a prefix that another one hides.
type shadow struct {
	prefix, uri string
	declared    bool
}

// maxShadows limits the declarations of open elements.
const maxShadows = 4096

func newChecker(src io.Reader, charset string) *checker {
	c := &checker{src: src, charset: charset, uris: map[string]string{"xml": xmlNamespace}, attrs: map[string]bool{}}
	c.at = place{line: 1, column: 1}
	c.resume, c.stop = iter.Pull(func(wait func(struct{}) bool) {
		c.wait = wait
		c.document()
	})
	return c
}

// Read reads the body for the scanner, and checks it.
func (c *checker) Read(p []byte) (int, error) {
	n, err := c.src.Read(p)
	c.chunk, c.eof = p[:n], err == io.EOF
	c.resume()
	return n, err
}

// fail ends the check with a fault. It is not inlined, because its many calls would make
// programs larger by 26 KB.
//
//go:noinline
func (c *checker) fail(at place, as Kind, fix, what string) {
	if !c.ended {
		f := Finding{Kind: Malformed, Err: errors.New(what), Fix: fix}
		f.setPlace(at)
		c.fault = &fault{Finding: f, as: as}
	}
	c.giveUp()
}

// giveUp ends the check.
func (c *checker) giveUp() { c.ended, c.c = true, noChar }

// truncated ends the check at the end of the document.
//
//go:noinline
func (c *checker) truncated() {
	c.fail(c.at, Truncated, "", "it ends before the end tag of the root element")
}

// more reports whether there is a byte to read.
func (c *checker) more() bool {
	for len(c.chunk) == 0 && !c.ended && !c.eof {
		if !c.wait(struct{}{}) {
			c.giveUp()
		}
	}
	return len(c.chunk) > 0 && !c.ended
}

// next goes to the next character.
func (c *checker) next() {
	afterCR := c.c == '\r'
	c.at.offset += int64(c.size)
	c.at.column += c.size
	if c.keep && c.size > 0 {
		c.raw = utf8.AppendRune(c.raw, c.c)
	}
	if c.c == '\n' || afterCR {
		c.at.line++
		c.at.column = 1
	}
	c.c, c.size = noChar, 0
	if c.ended || !c.more() {
		return
	}
	if c.limit > 0 && c.at.offset > c.limit {
		c.giveUp()
		return
	}
	if b := c.chunk[0]; b < utf8.RuneSelf {
		c.c, c.size, c.chunk = rune(b), 1, c.chunk[1:]
	} else {
		c.decode()
	}
	if afterCR && c.c == '\n' {
		c.at.line-- // CR LF is one line break
	}
	c.checkChar()
}

// capture keeps the characters from the current one on, up to captured.
func (c *checker) capture()         { c.raw, c.keep = c.raw[:0], true }
func (c *checker) captured() []byte { c.keep = false; return c.raw }

// decode reads a character outside ASCII.
func (c *checker) decode() {
	var buf [utf8.UTFMax]byte
	n := 0
	for n < len(buf) && c.more() && (n == 0 || !utf8.RuneStart(c.chunk[0])) && !utf8.FullRune(buf[:n]) {
		buf[n], c.chunk = c.chunk[0], c.chunk[1:]
		n++
	}
	c.c, c.size = utf8.DecodeRune(buf[:n])
}

// checkChar fails on bytes that are not in the declared encoding, and on characters that no
// XML document can have.
func (c *checker) checkChar() {
	r, utf16 := c.c, strings.HasPrefix(c.charset, "utf-16")
	switch {
	case r >= ' ' && r < utf8.RuneSelf || r == '\n' || r == '\t' || r == '\r' || c.ended:
	case r >= utf8.RuneSelf && (c.charset == "us-ascii" || c.charset == "ascii"):
		c.fail(c.at, BadLoc, `declare encoding="UTF-8"`, "a byte that is not ASCII, the declared encoding")
	case r == utf8.RuneError && (c.size == 1 || utf16),
		r >= utf8.RuneSelf && r < 0xA0 && (c.charset == "windows-1252" || c.charset == "cp1252"):
		c.fail(c.at, BadLoc, "write the file in the encoding that it declares; the default is UTF-8",
			"bytes that are not "+strings.ToUpper(c.charset))
	case !isChar(r):
		as := BadLoc
		if c.rooted && len(c.open) == 0 {
			as = TrailingContent
		}
		c.fail(c.at, as, "remove it", fmt.Sprintf("the character %U", r))
	}
}

// isChar reports whether an XML document may have the character.
func isChar(r rune) bool {
	return r >= ' ' && r < 0xD800 || r == '\n' || r == '\t' || r == '\r' || r >= 0xE000 && r <= 0xFFFD || r > 0xFFFF && r <= utf8.MaxRune
}

func isBlank(r rune) bool { return r == ' ' || r == '\n' || r == '\t' || r == '\r' }

// blanks skips white space, and reports whether there was any.
func (c *checker) blanks() bool {
	start := c.at.offset
	for isBlank(c.c) {
		c.next()
	}
	return c.at.offset > start
}

// accept skips text if the document continues with it. Else it stops at the difference.
func (c *checker) accept(text string) bool {
	for _, r := range text {
		if c.c != r {
			return false
		}
		c.next()
	}
	return true
}

// skipTo skips everything up to the end of the mark, which repeats no character but its
// first.
func (c *checker) skipTo(mark string) {
	for c.c != noChar {
		if c.c != rune(mark[0]) {
			c.next()
			continue
		}
		run := 0
		for ; c.c == rune(mark[0]); run++ {
			c.next()
		}
		same := len(mark) - len(strings.TrimLeft(mark, mark[:1]))
		if run >= same && c.accept(mark[same:]) {
			return
		}
	}
	c.truncated()
}
