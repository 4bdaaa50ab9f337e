// Package robotstxttest is a second implementation of robots.txt verdicts, for tests.
//
// It parses a file, chooses a group and matches a URL in the simplest way that RFC 9309
// allows, without regard to speed. It shares no code with package robotstxt, so a test that
// compares the two finds mistakes in either. Use it to check that a crawler obeys a
// robots.txt: call Allowed for each URL that the crawler has requested.
package robotstxttest

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Allowed reports whether a crawler with these product tokens, most specific first, may fetch
// rawURL. Tokens are as robotstxt.ProductToken returns them: Allowed compares them unchanged. Body is the robots.txt of rawURL, which must be absolute. Allowed
// follows ../testdata/spec.md and has no options.
func Allowed(body []byte, tokens []string, rawURL string) bool {
	path := canonicalURL(rawURL)
	if path == "/robots.txt" {
		return true // ROB-MAT-21
	}
	allowed, longest := true, -1
	for _, line := range choose(parse(body), tokens) {
		rule, length := canonicalRule(line.value)
		if length < longest || length == longest && allowed || !matches(rule, path) {
			continue // ROB-MAT-03, ROB-MAT-04
		}
		allowed, longest = line.allow, length
	}
	return allowed
}

// line is an Allow or Disallow line that has an effect.
type line struct {
	allow bool
	value string
}

// choose returns the lines of the first token that the file names, or else the lines of "*"
// (ROB-UA-04, ROB-UA-06, ROB-UA-08).
func choose(groups map[string][]line, tokens []string) []line {
	for _, t := range tokens {
		if lines, ok := groups[asciiLower(t)]; ok {
			return lines
		}
	}
	return groups["*"]
}

// parse returns the merged lines of each agent, named in lower case.
func parse(body []byte) map[string][]line {
	groups := map[string][]line{}
	var agents []string // of the current group
	ruleSeen := true    // the current group has a rule, so the next agent begins another group
	for _, text := range split(body) {
		text, _, _ = strings.Cut(text, "#")
		field, value, colon := strings.Cut(text, ":")
		field, value = asciiLower(strings.Trim(field, space)), strings.Trim(value, space)
		switch {
		case !colon:
		case field == "user-agent":
			if ruleSeen {
				agents, ruleSeen = nil, false
			}
			for _, name := range names(value) { // ROB-GRP-11: there may be none
				if !slices.Contains(agents, name) {
					agents = append(agents, name)
					groups[name] = append(groups[name], []line{}...)
				}
			}
		case field == "allow" || field == "disallow":
			ruleSeen = true // ROB-GRP-08: even if the value is invalid
			for _, name := range agents {
				if usable(value) {
					groups[name] = append(groups[name], line{field == "allow", value})
				}
			}
		}
	}
	return groups
}

const space = " \t\v\f" // ROB-FMT-09

// split applies the size limit, drops a byte order mark and returns the lines.
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

var (
	globalAgent = regexp.MustCompile(`^\*([ \t\v\f]|$)`)
	product     = regexp.MustCompile(`^[A-Za-z_-]+`)
	whole       = regexp.MustCompile(`^([0-9.]*[A-Za-z_-][A-Za-z0-9._-]*)([ \t\v\f/*]|$)`)
)

// names returns "*", or the names of the crawlers that a value names, in lower case
// (ROB-UA-03, ROB-UA-11, ROB-UA-12).
func names(value string) []string {
	if globalAgent.MatchString(value) {
		return []string{"*"}
	}
	var names []string
	if name := product.FindString(value); name != "" {
		names = append(names, asciiLower(name))
	}
	if m := whole.FindStringSubmatch(value); m != nil {
		names = append(names, asciiLower(m[1]))
	}
	return names
}

// usable reports whether a rule with this path has an effect (ROB-MAT-09,
// ROB-MAT-10, ROB-FMT-17).
func usable(value string) bool {
	for _, b := range []byte(value) {
		if b < 0x20 && b != '\t' {
			return false
		}
	}
	return strings.HasPrefix(value, "/") || strings.HasPrefix(value, "*")
}

// canonicalRule returns the canonical form of a rule's path and its length in octets. In that
// form a star is always a wildcard, and a dollar sign is the end of the URL. In the length a
// dollar sign counts as one octet, and so does a bracket in the query.
func canonicalRule(value string) (rule string, length int) {
	var out []byte
	asOne := strings.Count(value, "$")
	if _, query, ok := strings.Cut(value, "?"); ok {
		asOne += strings.Count(query, "[") + strings.Count(query, "]")
	}
	for in := value; in != ""; {
		switch {
		case in == "$" || in[0] == '*':
			out, in = append(out, in[0]), in[1:]
		case in[0] == '$':
			out, in = append(out, "%24"...), in[1:]
		default:
			out, in = canonicalOctet(out, in)
		}
	}
	if strings.HasSuffix(value, "$") {
		asOne-- // it is already one octet
	}
	return string(out), len(out) - 2*asOne
}

var (
	beforeAuthority = regexp.MustCompile(`^(//)?[^/?;]*://|^//`)
	userinfo        = regexp.MustCompile(`^[^/?]*@`)
)

// canonicalURL returns path and query in the form that is compared.
func canonicalURL(rawURL string) string {
	in, _, _ := strings.Cut(rawURL, "#")
	if m := beforeAuthority.FindString(in); m != "" {
		in = userinfo.ReplaceAllString(in[len(m):], "")
	}
	if i := strings.IndexAny(in, "/?;"); i >= 0 {
		in = in[i:] // the authority ends here
	} else {
		in = ""
	}
	if !strings.HasPrefix(in, "/") {
		in = "/" + in
	}
	var out []byte
	for in != "" {
		if in[0] == '*' || in[0] == '$' {
			out, in = fmt.Appendf(out, "%%%02X", in[0]), in[1:]
		} else {
			out, in = canonicalOctet(out, in)
		}
	}
	path, query, hasQuery := strings.Cut(string(out), "?")
	path = withoutDots(path)
	if hasQuery {
		path += "?" + query
	}
	return path
}

// canonicalOctet moves one octet or escape from in to out. It does not decode an escape if
// that would complete a stray % to another escape.
func canonicalOctet(out []byte, in string) (newOut []byte, newIn string) {
	if isEscape(in) {
		var b byte
		_, _ = fmt.Sscanf(in[1:3], "%x", &b) // two hexadecimal digits
		last, beforeLast := octetBack(out, 1), octetBack(out, 2)
		makesEscape := isHex(b) && (last == '%' || beforeLast == '%' && isHex(last))
		if isUnreserved(b) && !makesEscape {
			return append(out, b), in[3:]
		}
		return fmt.Appendf(out, "%%%02X", b), in[3:]
	}
	if b := in[0]; b <= ' ' || b >= 0x7f || strings.IndexByte("\"<>\\^`{|}[]", b) >= 0 { // ROB-MAT-28
		return fmt.Appendf(out, "%%%02X", b), in[1:]
	}
	return append(out, in[0]), in[1:]
}

func isEscape(s string) bool {
	return len(s) >= 3 && s[0] == '%' && isHex(s[1]) && isHex(s[2])
}

func isHex(b byte) bool {
	return strings.IndexByte("0123456789abcdefABCDEF", b) >= 0
}

func isUnreserved(b byte) bool {
	return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9' || strings.IndexByte("-._~", b) >= 0
}

// octetBack returns the nth octet from the end, or 0 if there are fewer.
func octetBack(b []byte, n int) byte {
	if n > len(b) {
		return 0
	}
	return b[len(b)-n]
}

// withoutDots removes dot segments (RFC 3986 section 5.2.4, ROB-MAT-25).
func withoutDots(path string) string {
	var kept []string
	segments := strings.Split(path[1:], "/")
	for i, s := range segments {
		if s == ".." && len(kept) > 0 {
			kept = kept[:len(kept)-1]
		}
		if s != "." && s != ".." {
			kept = append(kept, s)
		} else if i == len(segments)-1 {
			kept = append(kept, "") // the slash before it stays
		}
	}
	return "/" + strings.Join(kept, "/")
}

// matches compares the canonical forms. Then it compares them with additional characters of
// the query escaped in both, because only some clients escape these (ROB-MAT-19).
func matches(rule, path string) bool {
	return match(rule, path) || match(escapeQuery(rule), escapeQuery(path))
}

func escapeQuery(s string) string {
	before, query, ok := strings.Cut(s, "?")
	if !ok {
		return s
	}
	return before + "?" + strings.NewReplacer(
		":", "%3A", "/", "%2F", "?", "%3F", "@", "%40", "'", "%27").Replace(query)
}

// match tracks, octet by octet of the path, which prefixes of the rule match the path so far.
// A rule matches every path that begins with it.
func match(rule, path string) bool {
	fits := make([]bool, len(rule)+1)
	fits[0] = true
	for at := 0; slices.Contains(fits, true); at++ {
		for i := range rule { // steps that consume no octet
			if fits[i] && (rule[i] == '*' || rule[i] == '$' && at == len(path)) {
				fits[i+1] = true
			}
		}
		if fits[len(rule)] {
			return true
		}
		if at == len(path) {
			return false
		}
		next := make([]bool, len(rule)+1)
		for i := range len(rule) {
			switch {
			case fits[i] && rule[i] == '*':
				next[i] = true
			case fits[i] && rule[i] != '$' && rule[i] == path[at]:
				next[i+1] = true
			}
		}
		fits = next
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
