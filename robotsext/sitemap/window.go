package sitemap

import (
	"bytes"
	"io"
	"unicode"
	"unicode/utf8"
)

// windowSize is the number of bytes of a body in memory, and the limit of a tag's length.
const windowSize = 64 << 10

// window is the part of a body that is in memory: buf[pos:end] was read and is not yet
// parsed.
type window struct {
	r        io.Reader
	buf      []byte
	pos, end int

	base      int64 // offset of buf[0] in the body
	line      int   // line of buf[lined]
	lineStart int64 // offset of the first byte of this line
	lined     int   // line breaks before this position are counted; at most pos
	afterCR   bool  // the byte before lined is a CR, so an LF does not count

	marked   int   // position of the mark in buf, or -1 if its place is known
	markedAt place // place of the mark

	err error // error of r
}

func newWindow(r io.Reader) *window {
	return &window{r: r, buf: make([]byte, windowSize), line: 1}
}

// place is a position in the body, decompressed and decoded to UTF-8.
type place struct {
	offset int64 // in bytes
	line   int   // from 1
	column int   // in bytes, from 1
}

// rest returns the bytes in memory that are not yet parsed.
func (w *window) rest() []byte { return w.buf[w.pos:w.end] }

// mark remembers the current position for markPlace.
func (w *window) mark() { w.marked = w.pos }

// markPlace returns the place of the last mark.
func (w *window) markPlace() place {
	if w.marked >= 0 {
		w.markedAt, w.marked = w.locate(w.marked), -1
	}
	return w.markedAt
}

// here returns the current place.
func (w *window) here() place {
	w.markPlace()
	return w.locate(w.pos)
}

// locate returns the place of buf[at], which must not be before the place of the last call.
// It counts only the bytes since then. A line ends in LF, CR LF or CR, as in XML.
func (w *window) locate(at int) place {
	if passed := w.buf[w.lined:at]; len(passed) > 0 {
		breaks := bytes.Count(passed, lf)
		if returns := bytes.Count(passed, cr); returns > 0 {
			breaks += returns - bytes.Count(passed, crlf)
		}
		if w.afterCR && passed[0] == '\n' {
			w.lineStart = w.base + int64(w.lined) + 1
			breaks--
		}
		if breaks > 0 {
			w.lineStart = w.base + int64(w.lined+bytes.LastIndexAny(passed, "\r\n")+1)
		}
		w.line += breaks
		w.afterCR = passed[len(passed)-1] == '\r'
		w.lined = at
	}
	offset := w.base + int64(at)
	return place{offset: offset, line: w.line, column: int(offset-w.lineStart) + 1}
}

var lf, cr, crlf = []byte("\n"), []byte("\r"), []byte("\r\n")

// fill reads more of the body, after dropping parsed bytes. It reports false if reading
// failed or ended, with the reason in w.err, or if the window is full, with w.err nil.
func (w *window) fill() bool {
	if w.err != nil {
		return false
	}
	if w.end == len(w.buf) || w.pos == w.end {
		if w.pos == 0 && w.end == len(w.buf) {
			return false
		}
		w.here()
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

// skipSpace skips white space and reports whether anything follows.
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

// skipBlank skips white space, including Unicode white space, and reports whether anything
// follows.
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

// trim removes XML white space at both ends of a name. Values are trimmed of Unicode white
// space, which editors and templates add.
func trim(b []byte) []byte {
	for len(b) > 0 && isSpace(b[0]) {
		b = b[1:]
	}
	for len(b) > 0 && isSpace(b[len(b)-1]) {
		b = b[:len(b)-1]
	}
	return b
}
