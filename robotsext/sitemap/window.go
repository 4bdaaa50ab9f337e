package sitemap

import (
	"bytes"
	"io"
	"unicode"
	"unicode/utf8"
)

// windowSize is how much of a body is in memory at a time, and so also the
// longest tag that can be read.
const windowSize = 64 << 10

// A window is the part of a body that is in memory: buf[pos:end] is read and
// not yet used up.
type window struct {
	r        io.Reader
	buf      []byte
	pos, end int

	base    int64 // offset of buf[0] in the body
	line    int   // line of buf[lined]
	lined   int   // line breaks before it are counted; never beyond pos
	afterCR bool  // there is a CR before it, whose LF is not counted again

	err error // of r, once there is one
}

func newWindow(r io.Reader) *window {
	return &window{r: r, buf: make([]byte, windowSize), line: 1}
}

// rest returns what is in memory and not yet used up.
func (w *window) rest() []byte { return w.buf[w.pos:w.end] }

// offset returns the number of bytes of the body before the current one.
func (w *window) offset() int64 { return w.base + int64(w.pos) }

// lineHere returns the number of the current line. A line ends in LF, CR LF or
// CR, as in XML. Counting is put off until somebody asks, and then is done for
// what was passed since.
func (w *window) lineHere() int {
	passed := w.buf[w.lined:w.pos]
	if len(passed) == 0 {
		return w.line
	}
	w.line += bytes.Count(passed, lf)
	if returns := bytes.Count(passed, cr); returns > 0 {
		w.line += returns - bytes.Count(passed, crlf)
	}
	if w.afterCR && passed[0] == '\n' {
		w.line--
	}
	w.afterCR = passed[len(passed)-1] == '\r'
	w.lined = w.pos
	return w.line
}

var lf, cr, crlf = []byte("\n"), []byte("\r"), []byte("\r\n")

// fill reads more of the body behind what is in memory, making room by
// dropping what is used up. It reports false if there is no more, for which
// w.err has the reason, or if the window is full, where w.err is nil.
func (w *window) fill() bool {
	if w.err != nil {
		return false
	}
	if w.end == len(w.buf) || w.pos == w.end {
		if w.pos == 0 && w.end == len(w.buf) {
			return false
		}
		w.lineHere()
		w.base += int64(w.pos)
		w.end = copy(w.buf, w.buf[w.pos:w.end])
		w.pos, w.lined = 0, 0
	}
	for range 100 {
		n, err := w.r.Read(w.buf[w.end:])
		w.end += n
		if err != nil {
			w.err = err
		}
		if n > 0 {
			return true
		}
		if err != nil {
			return false
		}
	}
	w.err = &Finding{Kind: Unreadable, Err: io.ErrNoProgress}
	return false
}

// skipSpace drops white space and reports whether anything is behind it.
func (w *window) skipSpace() bool {
	for {
		for w.pos < w.end && isSpace(w.buf[w.pos]) {
			w.pos++
		}
		if w.pos < w.end {
			return true
		}
		if !w.fill() {
			return false
		}
	}
}

// skipBlank drops white space, that of Unicode too, and reports whether anything is
// behind it.
func (w *window) skipBlank() bool {
	for w.skipSpace() {
		for !utf8.FullRune(w.rest()) && w.fill() {
		}
		r, n := utf8.DecodeRune(w.rest())
		if !unicode.IsSpace(r) {
			return true
		}
		w.pos += n
	}
	return false
}

// isSpace reports whether c is white space in XML.
func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

// trim drops white space as XML has it at both ends: that of names. Values lose
// Unicode white space too, which editors and templates put around them.
func trim(b []byte) []byte {
	for len(b) > 0 && isSpace(b[0]) {
		b = b[1:]
	}
	for len(b) > 0 && isSpace(b[len(b)-1]) {
		b = b[:len(b)-1]
	}
	return b
}
