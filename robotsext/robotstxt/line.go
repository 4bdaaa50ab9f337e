package robotstxt

import (
	"bytes"
	"strings"
)

// span is the range [lo, hi) of a text or a list.
type span struct{ lo, hi int32 }

func (s span) of(text string) string { return text[s.lo:s.hi] }

// first returns the first n elements of the range.
func (s span) first(n int) span { return span{s.lo, s.lo + int32(n)} }

// record is a parsed line.
type record struct {
	field   field
	name    span // of the field as written; valid only for unknown fields
	value   span // without a colon, the whole line
	colon   bool
	control bool // the value has a control character
}

// lines parses the lines of a text in one pass. A line ends with CR, LF or CRLF, also mixed
// (ROB-FMT-02).
type lines struct {
	text   string
	google decision
	html   bool // skip lines that begin with a tag
	at     int  // start of the next line
	n      int  // number of the last line returned, from 1
}

// next returns the next line that is neither empty nor a comment.
func (l *lines) next(r *record) bool {
	for l.at < len(l.text) {
		l.n++
		switch l.text[l.at] {
		case '\n':
			l.at++
		case '#', '\r':
			l.at = lineEnd(l.text, l.at)
		default:
			text := l.text
			if l.google != 0 {
				text = text[:l.googleEnd()]
			}
			start := skipBlanks(text, l.at)
			if l.html && start < len(text) && text[start] == '<' {
				l.at = lineEnd(l.text, start)
				continue
			}
			l.at = lineEnd(l.text, r.split(text, start))
			return true
		}
	}
	return false
}

// googleEnd returns the position in the next line where Google's parser stops.
func (l *lines) googleEnd() int {
	end := l.at
	for end = indexControl(l.text, end); end < len(l.text); end = indexControl(l.text, end+1) {
		if b := l.text[end]; b == '\n' || b == '\r' || b == 0 && l.google.has(googleControls) {
			break
		}
	}
	if l.google.has(googleLines) {
		return min(end, l.at+googleLineLimit)
	}
	return end
}

// lineEnd returns where the line after position i begins.
func lineEnd(text string, i int) int {
	if i < len(text) && text[i] == '\n' { // the most frequent case
		return i + 1
	}
	return searchLineEnd(text, i)
}

func searchLineEnd(text string, i int) int {
	for i = indexControl(text, i); i < len(text); i = indexControl(text, i+1) {
		switch text[i] {
		case '\n':
			return i + 1
		case '\r':
			if i+1 < len(text) && text[i+1] == '\n' {
				return i + 2
			}
			return i + 1
		}
	}
	return i
}

// split parses the line at start, after white space, and returns the end of the line or
// the start of a comment. The first colon separates field and value, and white space
// around them is removed (ROB-FMT-07, ROB-FMT-08).
func (r *record) split(text string, start int) (end int) {
	field, colon := fieldAt(text, start)
	colon = skipBlanks(text, colon)
	if field == fieldOther || colon == len(text) || text[colon] != ':' {
		colon = nameEnd(text, start)
		r.name = trimEnd(text, start, colon)
		if colon == len(text) || text[colon] != ':' {
			r.field, r.value, r.colon, r.control = fieldOther, r.name, false, false
			return colon
		}
		field = parseField(r.name.of(text))
	}
	r.field, r.colon, r.control = field, true, false
	start = skipBlanks(text, colon+1)
	for end = indexControlOr(text, start, '#'); end < len(text); end = indexControlOr(text, end+1, '#') {
		b := text[end]
		if b == '\n' || b == '\r' || b == '#' {
			break
		}
		r.control = r.control || b != '\t'
	}
	r.value = trimEnd(text, start, end)
	if r.control {
		r.control = hasControl(r.value.of(text)) // the character may have been trimmed
	}
	return end
}

// nameEnd returns the end of the field name at start: the position of a colon, of a
// comment, or of the end of the line.
func nameEnd(text string, start int) int {
	end := indexControlOr(text, start, ':')
	for end < len(text) && text[end] != ':' && text[end] != '\n' && text[end] != '\r' {
		end = indexControlOr(text, end+1, ':')
	}
	if i := strings.IndexByte(text[start:end], '#'); i >= 0 {
		return start + i
	}
	return end
}

const bom = "\xEF\xBB\xBF"

// trimBOM removes a UTF-8 byte order mark at the start, even an incomplete one
// (ROB-FMT-05, ROB-FMT-06).
func trimBOM(text string) string {
	n := 0
	for n < len(bom) && n < len(text) && text[n] == bom[n] {
		n++
	}
	return text[n:]
}

// cutLimit applies the size limit. It drops a line that the limit cuts, because half a
// rule would have another meaning (ROB-FMT-15).
func cutLimit(body []byte, limit int, d decision) (kept []byte, cut bool) {
	if len(body) <= limit {
		return body, false
	}
	end := limit
	if next := body[limit]; next != '\n' && next != '\r' && !d.has(googleCut) {
		end = bytes.LastIndexAny(body[:limit], "\r\n") + 1
	}
	return body[:end], true
}

// splitWords parses a line of exactly two words without a colon, which Google accepts
// (ROB-FMT-12).
func (r *record) splitWords(text string) bool {
	line := r.value.of(text)
	end := strings.IndexAny(line, " \t")
	if end < 0 {
		return false
	}
	value := strings.TrimLeft(line[end:], " \t")
	if strings.ContainsAny(value, " \t") {
		return false
	}
	r.name.hi = r.name.lo + int32(end)
	r.field = parseField(r.name.of(text))
	r.value.lo = int32(skipBlanks(text[:r.value.hi], int(r.value.hi)-len(value)))
	r.control = hasControl(r.value.of(text))
	return true
}

// hasControl reports whether s has a control character that is invalid in values. TAB is
// white space, and RFC 9309 allows DEL (ROB-FMT-17).
func hasControl(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return r < ' ' && r != '\t' })
}

// isSpace reports whether b is trimmed from the ends of lines, fields and values. Other
// Unicode spaces are not trimmed (ROB-FMT-09).
func isSpace(b byte) bool {
	return b == ' ' || '\t' <= b && b <= '\r'
}

// isBlank is isSpace without CR and LF.
func isBlank(b byte) bool {
	return b <= ' ' && (b == ' ' || b == '\t' || b == '\v' || b == '\f')
}

// skipBlanks returns the position of the first octet from i on that is not blank.
func skipBlanks(text string, i int) int {
	for i < len(text) && isBlank(text[i]) {
		i++
	}
	return i
}

// trimEnd returns the range [lo, hi) of a line without white space at its end.
func trimEnd(text string, lo, hi int) span {
	for hi > lo && isBlank(text[hi-1]) {
		hi--
	}
	return span{int32(lo), int32(hi)}
}

// space are the octets for which isSpace reports true.
const space = " \t\n\v\f\r"

func trimSpace(s string) string { return strings.Trim(s, space) }
