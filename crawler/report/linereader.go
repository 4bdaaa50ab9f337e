package report

import (
	"bytes"
	"encoding/binary"
	"strconv"
	"strings"
)

// A lineReader is what is left of a line. After a mismatch, nothing is left.
type lineReader string

// skip skips a text, and reports whether it was there.
func (r *lineReader) skip(text string) bool {
	rest, ok := strings.CutPrefix(string(*r), text)
	if ok {
		*r = lineReader(rest)
	}
	return ok
}

// after returns the string that follows a text with its opening quote, and skips both.
func (r *lineReader) after(text string) string {
	rest, found := strings.CutPrefix(string(*r), text)
	*r = ""
	if end := strings.IndexByte(rest, '"'); found && end >= 0 {
		*r = lineReader(rest[end+1:])
		return rest[:end]
	}
	return ""
}

// has reports whether a text follows.
func (r *lineReader) has(text string) bool { return strings.HasPrefix(string(*r), text) }

// copied is like after, for a string that is kept longer than the line.
func (r *lineReader) copied(text string) string { return strings.Clone(r.after(text)) }

// optional is like copied, for a string that may be missing. Only an empty one is.
func (r *lineReader) optional(text string) string {
	if !r.has(text) {
		return ""
	}
	return r.copied(text)
}

// number returns the number that follows a text, and skips both.
func (r *lineReader) number(text string) int {
	rest, found := strings.CutPrefix(string(*r), text)
	*r = ""
	digits := strings.TrimLeft(rest, "0123456789")
	digits = rest[:len(rest)-len(digits)]
	n, err := strconv.Atoi(digits)
	if !found || err != nil || digits[0] == '0' && len(digits) > 1 {
		return 0
	}
	*r = lineReader(rest[len(digits):])
	return n
}

// skipHeaders skips the headers, if they follow. Their values often have escaped quotes.
func (r *lineReader) skipHeaders() {
	if !r.skip(`,"headers":{`) {
		return
	}
	for first := true; !r.skip("}"); first = false {
		if *r == "" || !first && !r.skip(",") {
			*r = ""
			return
		}
		r.skipString(`"`)
		r.skipString(`:"`)
	}
}

// skipString skips a text with an opening quote, and the string that follows.
func (r *lineReader) skipString(text string) {
	rest, found := strings.CutPrefix(string(*r), text)
	*r = ""
	for found {
		at := strings.IndexAny(rest, `"\`)
		if at < 0 || at+1 == len(rest) {
			return
		}
		if rest[at] == '"' {
			*r = lineReader(rest[at+1:])
			return
		}
		if next := rest[at+1]; next != '"' && next != '\\' { // another escape
			return
		}
		rest = rest[at+2:]
	}
}

// plain reports whether a text has no escapes and no control characters but a line end, so that a
// quote ends each string.
func plain(line []byte) bool { return bytes.IndexByte(line, '\\') < 0 && noControl(line) }

// noControl reports whether a text has no control characters but a line end.
func noControl(line []byte) bool {
	line = bytes.TrimSuffix(line, []byte("\n"))
	const ones, high = 0x0101010101010101, 0x8080808080808080
	for ; len(line) >= 8; line = line[8:] {
		if x := binary.LittleEndian.Uint64(line); (x-ones*' ')&^x&high != 0 { // a byte is less than a space
			return false
		}
	}
	for _, c := range line {
		if c < ' ' {
			return false
		}
	}
	return true
}
