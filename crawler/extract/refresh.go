package extract

import "strings"

// refreshTarget runs the shared declarative refresh steps of HTML on the value of a Refresh header
// or of a meta element such as `5; url=/next`. It is not ok if a browser ignores the value. An empty
// reference is the page itself.
func refreshTarget(content string) (ref string, ok bool) {
	rest := strings.TrimLeft(content, asciiSpace)
	after := strings.TrimLeft(rest, "0123456789")
	if after == rest && !strings.HasPrefix(rest, ".") {
		return "", false
	}
	rest = strings.TrimLeft(after, "0123456789.")
	if rest == "" {
		return "", true
	}
	if !strings.ContainsRune(";,"+asciiSpace, rune(rest[0])) {
		return "", false
	}
	rest = strings.TrimLeft(rest, asciiSpace)
	if rest != "" && (rest[0] == ';' || rest[0] == ',') {
		rest = strings.TrimLeft(rest[1:], asciiSpace)
	}
	if rest != "" && rest[0]|0x20 == 'u' {
		value, ok := refreshValue(rest)
		if !ok { // not url=
			return trimReference(rest), true
		}
		rest = value
	}
	if rest != "" && (rest[0] == '"' || rest[0] == '\'') {
		rest, _, _ = strings.Cut(rest[1:], rest[:1])
	}
	return trimReference(rest), true
}

// refreshValue returns what follows url= in a text.
func refreshValue(text string) (value string, ok bool) {
	const name = "url"
	if len(text) < len(name) || lowerASCII([]byte(text[:len(name)])) != name {
		return "", false
	}
	value, ok = strings.CutPrefix(strings.TrimLeft(text[len(name):], asciiSpace), "=")
	return strings.TrimLeft(value, asciiSpace), ok
}
