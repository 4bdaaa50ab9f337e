package robotstxt

import "strings"

// span is the stretch [lo, hi) of a text or a list.
type span struct{ lo, hi int32 }

func (s span) of(text string) string { return text[s.lo:s.hi] }

// lines walks the lines of a text. A line ends with CR, LF or CRLF, mixed
// freely, and with nothing else (ROB-FMT-02).
type lines struct {
	text  string
	at    int  // where the next line begins
	lf    int  // the last LF found, or the end of the text: looked for again only when passed
	n     int  // number of the line last returned, from 1
	done  bool // the last line, which needs no end, was returned
	hasCR bool // else no line need be searched for one
}

func newLines(text string) lines {
	return lines{text: text, lf: -1, hasCR: strings.IndexByte(text, '\r') >= 0}
}

// next returns the next line without its end.
func (l *lines) next() (line span, ok bool) {
	if l.done {
		return span{}, false
	}
	l.n++
	start := l.at
	if l.lf < start {
		l.lf = start + indexOr(l.text[start:], '\n', len(l.text)-start)
	}
	end := l.lf
	l.at = end + 1
	if l.hasCR {
		if i := strings.IndexByte(l.text[start:end], '\r'); i >= 0 {
			if start+i+1 < end || end == len(l.text) {
				l.at = start + i + 1 // the CR stands alone
			}
			end = start + i
		}
	}
	l.done = l.at > len(l.text)
	return span{int32(start), int32(end)}, true
}

const bom = "\xEF\xBB\xBF"

// trimBOM drops a UTF-8 byte order mark at the very start, also one that was
// cut short (ROB-FMT-05, ROB-FMT-06). In a text that is UTF-8 throughout a part of
// one is the beginning of another character.
func trimBOM(text string, whole bool) string {
	if whole {
		return strings.TrimPrefix(text, bom)
	}
	n := 0
	for n < len(bom) && n < len(text) && text[n] == bom[n] {
		n++
	}
	return text[n:]
}

// cutLimit applies the size limit. A line that the limit cuts in two goes
// altogether, since half a rule means something else (ROB-FMT-15).
func cutLimit(body []byte, limit int, d decision) (kept []byte, cut bool) {
	if len(body) <= limit {
		return body, false
	}
	end := limit
	if next := body[limit]; next != '\n' && next != '\r' && !d.has(googleCut) {
		for end > 0 && body[end-1] != '\n' && body[end-1] != '\r' {
			end--
		}
	}
	return body[:end], true
}

// record is a line taken apart.
type record struct {
	name    string
	value   span // in the text; without a colon, the whole line
	colon   bool
	control bool // the value holds a control character
}

// splitLine separates field and value: the first colon does, a comment and
// white space at the ends are no part of either (ROB-FMT-07, ROB-FMT-08).
func splitLine(text string, line span) (r record) {
	s := line.of(text)
	at := 0
	for at < len(s) && at < 24 && s[at] != ':' && s[at] != '#' {
		at++
	}
	if at == 24 { // hardly a field, and perhaps far to the end
		at = indexOr(s, ':', len(s))
		at = indexOr(s[:at], '#', at)
	}
	if at == len(s) || s[at] == '#' {
		r.value = trimSpan(text, span{line.lo, line.lo + int32(at)})
		return r
	}
	r.name, r.colon = trimSpace(s[:at]), true
	at++
	for at < len(s) && isSpace(s[at]) {
		at++
	}
	value := s[at:]
	end := cleanLen(value)
	for ; end < len(value) && value[end] != '#'; end++ {
		r.control = r.control || value[end] < ' ' && value[end] != '\t'
	}
	start := line.lo + int32(at)
	r.value = trimSpan(text, span{start, start + int32(end)})
	r.control = r.control && hasControl(r.value.of(text)) // it may have been trimmed
	return r
}

// indexOr is strings.IndexByte, or n where that finds nothing.
func indexOr(s string, b byte, n int) int {
	if i := strings.IndexByte(s, b); i >= 0 {
		return i
	}
	return n
}

// cleanLen returns the length of a beginning of s that holds no octet up to '#',
// that is neither white space nor controls nor comments. It looks at eight
// octets at a time: subtracting 0x24 from one that is less borrows into its
// highest bit.
func cleanLen(s string) int {
	const each = 0x0101010101010101
	n := 0
	for ; n+8 <= len(s); n += 8 {
		w := s[n : n+8]
		x := uint64(w[0]) | uint64(w[1])<<8 | uint64(w[2])<<16 | uint64(w[3])<<24 |
			uint64(w[4])<<32 | uint64(w[5])<<40 | uint64(w[6])<<48 | uint64(w[7])<<56
		if (x-0x24*each)&^x&(0x80*each) != 0 {
			break
		}
	}
	for n < len(s) && s[n] > '#' {
		n++
	}
	return n
}

// splitWords separates a line whose colon was forgotten, which Google accepts
// when it is exactly two words (ROB-FMT-12).
func splitWords(text string, line span) (r record, ok bool) {
	s := line.of(text)
	end := strings.IndexAny(s, " \t")
	if end < 0 {
		return r, false
	}
	value := strings.TrimLeft(s[end:], " \t")
	if strings.ContainsAny(value, " \t") {
		return r, false
	}
	r.name = s[:end]
	r.value = trimSpan(text, span{line.hi - int32(len(value)), line.hi})
	r.control = hasControl(r.value.of(text))
	return r, true
}

// hasControl reports whether s holds a control character that no value may
// have. TAB is white space, DEL is in the grammar of RFC 9309 (ROB-FMT-17).
func hasControl(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' && s[i] != '\t' {
			return true
		}
	}
	return false
}

// isSpace reports whether b is trimmed from the ends of lines, fields and
// values. No Unicode space is (ROB-FMT-09).
func isSpace(b byte) bool {
	return b == ' ' || '\t' <= b && b <= '\r'
}

func trimSpace(s string) string {
	return trimSpan(s, span{0, int32(len(s))}).of(s)
}

func trimSpan(text string, s span) span {
	for s.lo < s.hi && isSpace(text[s.lo]) {
		s.lo++
	}
	for s.lo < s.hi && isSpace(text[s.hi-1]) {
		s.hi--
	}
	return s
}
