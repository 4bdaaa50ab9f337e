package robotstxt

import (
	"strings"

	"github.com/politecrawl/politecrawl/robotsext/internal/dotsegment"
	"github.com/politecrawl/politecrawl/robotsext/internal/percent"
)

// The canonical form in which paths and rules are compared, octet by octet
// (RFC 9309 section 2.2.2, RFC 3986 section 6.2.2):
//
//   - octets that a URI must escape are %-escaped (ROB-MAT-28): control
//     characters, space, " < > \ ^ ` { | }, every octet from 0x80, and [ ];
//   - escapes of unreserved characters are decoded, all others are written in
//     upper case, and a % that begins no escape stays as it is;
//   - a literal * or $ is escaped, so that in a rule an unescaped * is a wildcard and a
//     final $ is the end of the URL.
//
// In a query, [ and ] may be unescaped, but they equal their escapes (ROB-MAT-19). The part
// of a rule after a star may match a path or a query. So they are escaped everywhere.
//
// An escape stays if decoding it would complete a stray % to another escape. So the
// canonical form of a canonical form is itself.

const (
	unreserved uint16 = 1 << iota // A-Z a-z 0-9 - . _ ~
	escaped                       // controls, space, octets from 0x80
	illegal                       // other octets that the path of a URI must escape
	hexDigit
	pathSpecial // canonicalPath must examine it
	noHost      // in the name of a host
	tokenOctet  // in a product token
	plainHost   // in a typical host name
)

// class holds the properties of each octet.
var class = func() (t [256]uint16) {
	for i := range t {
		b := byte(i)
		switch {
		case 'a' <= lower(b) && lower(b) <= 'z', '0' <= b && b <= '9', b == '-', b == '_', b == '~', b == '.':
			t[i] = unreserved
		case b <= ' ', b >= 0x7f:
			t[i] = escaped | pathSpecial
		}
		if '0' <= b && b <= '9' || 'a' <= lower(b) && lower(b) <= 'f' {
			t[i] |= hexDigit
		}
	}
	for _, b := range []byte("-_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") {
		t[b] |= tokenOctet
	}
	for _, b := range []byte("-.abcdefghijklmnopqrstuvwxyz0123456789") {
		t[b] |= plainHost
	}
	for _, b := range []byte("\"<>\\^`{|}[]") {
		t[b] |= illegal | pathSpecial
	}
	for _, b := range []byte("%*$#?.") {
		t[b] |= pathSpecial
	}
	for _, b := range []byte("\"%<>\\^`{|}\x7f") {
		t[b] |= noHost
	}
	for b := range ' ' + 1 {
		t[b] |= noHost
	}
	return t
}()

// canonicalPath returns the canonical form of the path and query of a URL. It ends at
// a fragment (ROB-MAT-13), begins with a slash (ROB-MAT-14), and has no dot segments,
// as in the URL that is requested (ROB-MAT-25). A canonical path is returned
// unchanged.
func canonicalPath(path string, d decision) string {
	if isCanonicalPath(path) {
		return path
	}
	path, _, _ = strings.Cut(path, "#")
	if d.has(googleControls) {
		path, _, _ = strings.Cut(path, "\x00")
	}
	w := escaper{
		out:     make([]byte, 0, len(path)+16),
		decode:  !d.has(googleEscapes),
		upper:   !d.has(googleURL),
		octets:  !d.has(googleURL),
		spaces:  !d.has(googleURL),
		illegal: !d.has(googleIllegal),
	}
	if path == "" || path[0] != '/' {
		w.out = append(w.out, '/')
	}
	for i := 0; i < len(path); {
		if b := path[i]; (b == '*' || b == '$') && !d.has(googleSpecials) {
			w.escape(b)
			i++
		} else {
			i += w.copy(path[i:])
		}
	}
	if d.has(googleDots) {
		return string(w.out)
	}
	out, query, hasQuery := strings.Cut(string(w.out), "?")
	out = dotsegment.Remove(out)
	if hasQuery {
		out += "?" + query
	}
	return out
}

// isCanonicalPath reports whether path is canonical.
func isCanonicalPath(path string) bool {
	if path == "" || path[0] != '/' {
		return false
	}
	query := false
	for i := 0; i < len(path); i++ {
		b := path[i]
		if class[b]&pathSpecial == 0 {
			continue
		}
		switch b {
		case '?':
			query = true
		case '.':
			if path[i-1] == '/' && !query && isDotSegment(path[i:]) {
				return false
			}
		case '%':
			switch v, ok := unhex(path[i:]); {
			case !ok:
				continue // a stray % stays as it is
			case class[v]&unreserved != 0:
				return false
			case path[i+1] >= 'a' || path[i+2] >= 'a':
				return false
			}
			i += 2
		default:
			return false
		}
	}
	return true
}

// canonicalRule returns the canonical form of a rule's path and the length that
// decides precedence. In that length a literal * or $ counts as one octet, and so does
// a bracket in the query, which may be unescaped there (ROB-MAT-03).
func canonicalRule(pattern string, d decision) (canonical string, length int) {
	plain := true
	for i := 0; i < len(pattern) && plain; i++ {
		b := pattern[i]
		plain = b != '%' && class[b]&(escaped|illegal) == 0 && (b != '$' || i == len(pattern)-1)
	}
	if plain {
		return pattern, len(pattern)
	}
	w := escaper{
		out:     make([]byte, 0, len(pattern)+16),
		decode:  !d.has(googleEscapes),
		upper:   true,
		octets:  true,
		spaces:  !d.has(googleSpaces),
		illegal: !d.has(googleIllegal),
	}
	asOne, query := 0, false
	for i := 0; i < len(pattern); {
		switch b := pattern[i]; {
		case b == '$' && i < len(pattern)-1 && !d.has(googleSpecials): // ROB-MAT-07
			w.escape('$')
			asOne++
			i++
			continue
		case b == '?':
			query = true
		case (b == '[' || b == ']') && query && w.illegal:
			asOne++
		}
		i += w.copy(pattern[i:])
	}
	return string(w.out), len(w.out) - 2*asOne
}

// escaper builds a canonical form, at most up to a given length.
type escaper struct {
	out     []byte
	decode  bool // escapes of unreserved characters
	upper   bool // write escapes in upper case
	octets  bool // escape octets from 0x80
	spaces  bool // escape white space and controls
	illegal bool // escape the other octets that a URI must escape
}

// copy appends the canonical form of the first octet or escape of s, and returns its
// length in s.
func (w *escaper) copy(s string) int {
	b := s[0]
	if b != '%' {
		if w.escapes(b) {
			w.escape(b)
		} else {
			w.out = append(w.out, b)
		}
		return 1
	}
	v, ok := unhex(s)
	switch {
	case !ok:
		w.out = append(w.out, '%')
		return 1
	case w.decode && class[v]&unreserved != 0 && !w.completesStray(v):
		w.out = append(w.out, v)
	case w.upper:
		w.escape(v)
	default:
		w.out = append(w.out, s[:3]...)
	}
	return 3
}

// escapes reports whether an octet other than % must be escaped.
func (w *escaper) escapes(b byte) bool {
	switch {
	case b > 0x7f:
		return w.octets
	case class[b]&illegal != 0:
		return w.illegal
	}
	return class[b]&escaped != 0 && w.spaces
}

// completesStray reports whether appending v would complete a stray % to an escape. A
// % that near the end is always a stray one, because escapes are appended whole.
func (w *escaper) completesStray(v byte) bool {
	n := len(w.out)
	return class[v]&hexDigit != 0 && n > 0 &&
		(w.out[n-1] == '%' || n > 1 && w.out[n-2] == '%' && class[w.out[n-1]]&hexDigit != 0)
}

func (w *escaper) escape(b byte) {
	w.out = percent.Append(w.out, b)
}

// unhex decodes the escape at the beginning of s.
func unhex(s string) (b byte, ok bool) {
	if len(s) < 3 || class[s[1]]&hexDigit == 0 || class[s[2]]&hexDigit == 0 {
		return 0, false
	}
	return digit(s[1])<<4 | digit(s[2]), true
}

func digit(b byte) byte {
	if b <= '9' {
		return b - '0'
	}
	return lower(b) - 'a' + 10
}

// isDotSegment reports whether s, the beginning of a segment, is "." or "..".
func isDotSegment(s string) bool {
	s = s[1:]
	if s != "" && s[0] == '.' {
		s = s[1:]
	}
	return s == "" || s[0] == '/' || s[0] == '?'
}
