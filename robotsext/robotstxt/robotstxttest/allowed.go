// Package robotstxttest judges robots.txt in tests.
//
// It reads a file, chooses a group and matches a URL in the plainest way that
// the rules of RFC 9309 and of this project's specification allow, without a
// thought for speed, and shares no code with package robotstxt. A test that
// wants to know whether a crawler did right asks here, so that a mistake in
// robotstxt cannot hide itself.
package robotstxttest

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
)

// Allowed reports whether a crawler with these product tokens, most specific
// first, may fetch rawURL, an absolute URL of the authority that body is the
// robots.txt of. It knows no options.
func Allowed(body []byte, tokens []string, rawURL string) bool {
	path := canonicalURL(rawURL)
	if path == "/robots.txt" {
		return true // ROB-MAT-21
	}
	best := rule{allow: true, length: -1}
	for _, r := range choose(parse(body), tokens) {
		longer := r.length > best.length
		tie := r.length == best.length && r.allow
		if (longer || tie) && r.matches(path) {
			best = r
		}
	}
	return best.allow
}

// rule is an allow or disallow line: its path as a sequence of units.
type rule struct {
	allow  bool
	path   []unit
	length int
}

// unit is one octet of a rule's path, or a wildcard.
type unit struct {
	octet     byte
	star, end bool
}

// choose returns the rules of the first token that the file names, or those of
// "*" (ROB-UA-04, ROB-UA-06, ROB-UA-08).
func choose(groups map[string][]rule, tokens []string) []rule {
	for _, t := range tokens {
		if rules, ok := groups[asciiLower(t)]; ok && t != "" {
			return rules
		}
	}
	return groups["*"]
}

// parse returns the merged rules of each agent, named in lower case.
func parse(body []byte) map[string][]rule {
	groups := map[string][]rule{}
	var current []string // the agents of the group that the line stands in
	ruleSeen := true
	for _, line := range split(body) {
		line, _, _ = strings.Cut(line, "#")
		field, value, ok := strings.Cut(line, ":")
		if !ok {
			continue
		}
		value = strings.Trim(value, " \t\v\f")
		switch field = asciiLower(strings.Trim(field, " \t\v\f")); field {
		case "user-agent":
			if ruleSeen {
				current, ruleSeen = nil, false
			}
			name := agent(value)
			if name == "" {
				break // ROB-GRP-11
			}
			if _, ok := groups[name]; !ok {
				groups[name] = nil
			}
			if !contains(current, name) {
				current = append(current, name)
			}
		case "allow", "disallow":
			ruleSeen = true // ROB-GRP-08
			if r, ok := newRule(field == "allow", value); ok {
				for _, name := range current {
					groups[name] = append(groups[name], r)
				}
			}
		}
	}
	return groups
}

// split applies the size limit and the byte order mark and returns the lines.
func split(body []byte) []string {
	const limit = 512000
	if len(body) > limit {
		whole := body[limit] == '\n' || body[limit] == '\r'
		body = body[:limit]
		if !whole { // ROB-FMT-15
			body = body[:bytes.LastIndexAny(body, "\r\n")+1]
		}
	}
	for _, octet := range []byte{0xEF, 0xBB, 0xBF} { // ROB-FMT-06
		if len(body) == 0 || body[0] != octet {
			break
		}
		body = body[1:]
	}
	text := strings.ReplaceAll(string(body), "\r\n", "\n")
	return strings.Split(strings.ReplaceAll(text, "\r", "\n"), "\n")
}

// agent returns "*", a product token in lower case, or "" for nobody
// (ROB-UA-03, ROB-UA-12).
func agent(value string) string {
	if value == "*" || len(value) > 1 && value[0] == '*' && strings.ContainsRune(" \t\v\f", rune(value[1])) {
		return "*"
	}
	return asciiLower(regexp.MustCompile(`^[A-Za-z_-]*`).FindString(value))
}

// newRule reads a path; ok is false if it has no effect (ROB-MAT-09,
// ROB-MAT-10, ROB-FMT-17).
func newRule(allow bool, value string) (r rule, ok bool) {
	if value == "" || value[0] != '/' && value[0] != '*' {
		return rule{}, false
	}
	for _, b := range []byte(value) {
		if b < 0x20 && b != '\t' {
			return rule{}, false
		}
	}
	r.allow = allow
	var text []byte // what has been read since the last wildcard, canonical
	flush := func() {
		for _, b := range text {
			r.path = append(r.path, unit{octet: b})
		}
		r.length += len(text)
		text = nil
	}
	for value != "" {
		switch b := value[0]; {
		case b == '*':
			flush()
			r.path = append(r.path, unit{star: true})
			r.length++
			value = value[1:]
		case b == '$' && len(value) == 1:
			flush()
			r.path = append(r.path, unit{end: true})
			r.length++
			value = ""
		case b == '$':
			text = append(text, "%24"...)
			r.length -= 2 // a dollar sign counts as one octet
			value = value[1:]
		default:
			text, value = canonicalOctet(text, value)
		}
	}
	flush()
	return r, true
}

// canonicalURL returns path and query as they are compared.
func canonicalURL(rawURL string) string {
	rawURL, _, _ = strings.Cut(rawURL, "#")
	if m := regexp.MustCompile(`^([^/?;]*://|//)`).FindString(rawURL); m != "" {
		rawURL = rawURL[len(m):]
		if m != "//" {
			rawURL = regexp.MustCompile(`^[^/?]*@`).ReplaceAllString(rawURL, "")
		}
	}
	start := strings.IndexAny(rawURL, "/?;")
	if start < 0 {
		return "/"
	}
	rest := rawURL[start:]
	if rest[0] != '/' {
		rest = "/" + rest
	}
	var out []byte
	for rest != "" {
		if rest[0] == '*' || rest[0] == '$' {
			out = fmt.Appendf(out, "%%%02X", rest[0])
			rest = rest[1:]
		} else {
			out, rest = canonicalOctet(out, rest)
		}
	}
	path, query, hasQuery := strings.Cut(string(out), "?")
	path = withoutDots(path)
	if hasQuery {
		path += "?" + query
	}
	return path
}

// canonicalOctet moves one octet or escape from in to out. An escape is not
// decoded where that would make up a new escape after a stray %.
func canonicalOctet(out []byte, in string) ([]byte, string) {
	if regexp.MustCompile(`^%[0-9A-Fa-f]{2}`).MatchString(in) {
		var b byte
		fmt.Sscanf(in[1:3], "%x", &b) //nolint:errcheck // two hexadecimal digits
		decoded := regexp.MustCompile(`^[A-Za-z0-9._~-]$`).MatchString(string(rune(b)))
		if decoded && !regexp.MustCompile(`%[0-9A-Fa-f]?[0-9A-Fa-f]$`).MatchString(lastTwo(out)+string(rune(b))) {
			return append(out, b), in[3:]
		}
		return fmt.Appendf(out, "%%%02X", b), in[3:]
	}
	if b := in[0]; b <= ' ' || b >= 0x7f {
		return fmt.Appendf(out, "%%%02X", b), in[1:]
	}
	return append(out, in[0]), in[1:]
}

func lastTwo(b []byte) string { return string(b[max(0, len(b)-2):]) }

// withoutDots removes dot segments (RFC 3986 section 5.2.4, ROB-MAT-25).
func withoutDots(path string) string {
	var kept []string
	segments := strings.Split(path[1:], "/")
	for i, s := range segments {
		last := i == len(segments)-1
		if s == ".." && len(kept) > 0 {
			kept = kept[:len(kept)-1]
		}
		if s != "." && s != ".." {
			kept = append(kept, s)
		} else if last {
			kept = append(kept, "")
		}
	}
	return "/" + strings.Join(kept, "/")
}

// matches compares as they are, then with the characters that need no escape in
// a query escaped on both sides (ROB-MAT-19).
func (r rule) matches(path string) bool {
	return match(r.path, path) || match(escapeRuleQuery(r.path), escapeQuery(path))
}

func escapeRuleQuery(path []unit) []unit {
	var out []unit
	query := false
	for _, u := range path {
		if query && !u.star && !u.end && strings.IndexByte(":/?@[]", u.octet) >= 0 {
			for _, b := range fmt.Appendf(nil, "%%%02X", u.octet) {
				out = append(out, unit{octet: b})
			}
			continue
		}
		query = query || !u.star && !u.end && u.octet == '?'
		out = append(out, u)
	}
	return out
}

func escapeQuery(path string) string {
	before, query, ok := strings.Cut(path, "?")
	if !ok {
		return path
	}
	return before + "?" + regexp.MustCompile(`[:/?@[\]]`).ReplaceAllStringFunc(query, func(s string) string {
		return fmt.Sprintf("%%%02X", s[0])
	})
}

// match fills in, octet by octet of the path, which beginnings of the rule fit
// what has been seen of it.
func match(rule []unit, path string) bool {
	fits := make([]bool, len(rule)+1)
	fits[0] = true
	for at := 0; ; at++ {
		for i, u := range rule { // what fits without a further octet
			if fits[i] && (u.star || u.end && at == len(path)) {
				fits[i+1] = true
			}
		}
		if fits[len(rule)] {
			return true // a rule fits every path that begins with it
		}
		if at == len(path) {
			return false
		}
		next := make([]bool, len(rule)+1)
		for i, u := range rule {
			if fits[i] && u.star {
				next[i] = true
			}
			if fits[i] && !u.star && !u.end && u.octet == path[at] {
				next[i+1] = true
			}
		}
		fits = next
	}
}

func contains(list []string, s string) bool {
	for _, t := range list {
		if t == s {
			return true
		}
	}
	return false
}

func asciiLower(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r - 'A' + 'a'
		}
		return r
	}, s)
}
