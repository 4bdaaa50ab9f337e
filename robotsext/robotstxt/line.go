package robotstxt

import "strings"

// lines walks the lines of a body. A line ends with CR, LF or CRLF, mixed
// freely, and with nothing else (ROB-FMT-02).
type lines struct {
	rest  string
	n     int  // number of the line last returned, from 1
	done  bool // the last line, which needs no end, was returned
	hasCR bool // else no line need be searched for one
}

func newLines(body string) lines {
	return lines{rest: body, hasCR: strings.IndexByte(body, '\r') >= 0}
}

// next returns the next line without its end.
func (l *lines) next() (line string, ok bool) {
	if l.done {
		return "", false
	}
	l.n++
	end := strings.IndexByte(l.rest, '\n')
	if end < 0 {
		end = len(l.rest)
	}
	skip := 1
	if l.hasCR {
		if cr := strings.IndexByte(l.rest[:end], '\r'); cr >= 0 {
			if cr+1 == end && end < len(l.rest) {
				skip = 2
			}
			end = cr
		}
	}
	line = l.rest[:end]
	if end+skip > len(l.rest) {
		l.done = true
		return line, true
	}
	l.rest = l.rest[end+skip:]
	return line, true
}

const bom = "\xEF\xBB\xBF"

// trimBOM drops a UTF-8 byte order mark at the very start, also one that was
// cut short (ROB-FMT-05, ROB-FMT-06).
func trimBOM(body string) string {
	n := 0
	for n < len(bom) && n < len(body) && body[n] == bom[n] {
		n++
	}
	return body[n:]
}

// cutLimit applies the size limit. A line that the limit cuts in two goes
// altogether, since half a rule means something else (ROB-FMT-15).
func cutLimit(body []byte, limit int) (kept []byte, cut bool) {
	if limit < 0 || len(body) <= limit {
		return body, false
	}
	end := limit
	if next := body[limit]; next != '\n' && next != '\r' {
		for end > 0 && body[end-1] != '\n' && body[end-1] != '\r' {
			end--
		}
	}
	return body[:end], true
}

// isSpace reports whether b is trimmed from the ends of lines, fields and
// values. No Unicode space is (ROB-FMT-09).
func isSpace(b byte) bool {
	return b == ' ' || '\t' <= b && b <= '\r'
}

func trimSpace(s string) string {
	for len(s) > 0 && isSpace(s[0]) {
		s = s[1:]
	}
	for len(s) > 0 && isSpace(s[len(s)-1]) {
		s = s[:len(s)-1]
	}
	return s
}

// splitLine separates field and value: the first colon does, a comment and
// white space at the ends are no part of either (ROB-FMT-07, ROB-FMT-08).
// Without a colon, value is the whole line. control reports whether the value
// holds a control character; TAB is white space, and DEL is in the grammar of
// RFC 9309 (ROB-FMT-17).
func splitLine(line string) (field, value string, colon, control bool) {
	start := 0
	for ; start < len(line) && line[start] != '#'; start++ {
		if line[start] == ':' {
			field, colon = trimSpace(line[:start]), true
			start++
			break
		}
	}
	if !colon {
		return "", trimSpace(line[:start]), false, false
	}
	end := start
	for ; end < len(line); end++ {
		if b := line[end]; b <= '#' {
			if b == '#' {
				break
			}
			control = control || b < ' ' && b != '\t'
		}
	}
	value = trimSpace(line[start:end])
	return field, value, true, control && hasControl(value)
}

// hasControl looks again, at what is left without the white space at the ends.
func hasControl(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' && s[i] != '\t' {
			return true
		}
	}
	return false
}

// splitWords separates a line whose colon was forgotten, which Google accepts
// when it is exactly two words (ROB-FMT-12).
func splitWords(line string) (field, value string) {
	i := strings.IndexAny(line, " \t")
	if i < 0 {
		return "", ""
	}
	value = strings.TrimLeft(line[i:], " \t")
	if strings.ContainsAny(value, " \t") {
		return "", ""
	}
	return line[:i], trimSpace(value)
}
