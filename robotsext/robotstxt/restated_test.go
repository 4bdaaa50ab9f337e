package robotstxt

import (
	"fmt"
	"strings"
	"testing"
)

// restated judges as Google's parser does, in its own manner: it reads the file
// from top to bottom with one crawler and one path in mind, and keeps nothing
// but the best match so far. It knows no groups and no index.
type restated struct {
	tokens []string
	path   string

	named, global bool // the line stands in a group of one of the tokens, of "*"
	everNamed     bool
	ruleSeen      bool
	best          [2][2]hit // by named or global, then by Disallow or Allow
}

// hit is the match of the longest pattern so far.
type hit struct{ length, line int }

func restatedVerdict(body []byte, tokens []string, url string) (allowed bool, line int) {
	path := canonicalPath(pathAndQuery(url, allGoogle), allGoogle)
	r := &restated{tokens: tokens, path: path}
	for i := range r.best {
		r.best[i] = [2]hit{{length: -1}, {length: -1}}
	}
	text := string(body)
	for _, b := range []string{"\xEF", "\xBB", "\xBF"} {
		var ok bool
		if text, ok = strings.CutPrefix(text, b); !ok {
			break
		}
	}
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	for i, line := range strings.Split(text, "\n") {
		r.line(i+1, line[:min(len(line), 16663)])
	}
	group := 1
	if r.everNamed {
		group = 0
	}
	disallow, allow := r.best[group][0], r.best[group][1]
	if disallow.length > allow.length {
		return disallow.length == 0, disallow.line
	}
	return true, allow.line
}

func (r *restated) line(n int, line string) {
	line, _, _ = strings.Cut(line, "\x00")
	line, _, _ = strings.Cut(line, "#")
	line = trimRestated(line)
	name, value, ok := strings.Cut(line, ":")
	if !ok {
		words := strings.FieldsFunc(line, func(c rune) bool { return c == ' ' || c == '\t' })
		if len(words) != 2 {
			return
		}
		name, value = words[0], words[1]
	}
	name, value = strings.ToLower(trimRestated(name)), trimRestated(value)
	begins := func(prefixes ...string) bool {
		for _, p := range prefixes {
			if strings.HasPrefix(name, p) {
				return true
			}
		}
		return false
	}
	switch {
	case begins("user-agent", "useragent", "user agent"):
		r.agent(value)
	case begins("allow"):
		r.rule(n, 1, escapeRestated(value))
	case begins("disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw"):
		r.rule(n, 0, escapeRestated(value))
	}
}

func trimRestated(s string) string { return strings.Trim(s, " \t\n\v\f\r") }

func (r *restated) agent(value string) {
	if r.ruleSeen {
		r.named, r.global, r.ruleSeen = false, false, false
	}
	if value == "*" || len(value) > 1 && value[0] == '*' && strings.ContainsAny(value[1:2], " \t\v\f") {
		r.global = true
		return
	}
	token := ""
	for i := 0; i < len(value); i++ {
		if !strings.ContainsAny(value[i:i+1], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-") {
			break
		}
		token = value[:i+1]
	}
	for _, t := range r.tokens {
		if equalFold(t, token) {
			r.named, r.everNamed = true, true
		}
	}
}

func (r *restated) rule(n, allow int, pattern string) {
	if !r.named && !r.global {
		return
	}
	r.ruleSeen = true
	group := 1
	if r.named {
		group = 0
	}
	if fitsRestated(pattern, r.path) {
		if best := &r.best[group][allow]; len(pattern) > best.length {
			*best = hit{len(pattern), n}
		}
		return
	}
	slash := strings.LastIndex(pattern, "/")
	if allow == 1 && slash >= 0 && strings.HasPrefix(pattern[slash:], "/index.htm") {
		r.rule(n, allow, pattern[:slash+1]+"$")
	}
}

// fitsRestated tries everything.
func fitsRestated(pattern, path string) bool {
	switch {
	case pattern == "":
		return true
	case pattern == "$":
		return path == ""
	case pattern[0] == '*':
		for i := range len(path) + 1 {
			if fitsRestated(pattern[1:], path[i:]) {
				return true
			}
		}
		return false
	}
	return path != "" && pattern[0] == path[0] && fitsRestated(pattern[1:], path[1:])
}

func escapeRestated(s string) string {
	var w strings.Builder
	for i := 0; i < len(s); i++ {
		const hex = "0123456789abcdefABCDEF"
		switch {
		case s[i] == '%' && i+2 < len(s) && strings.IndexByte(hex, s[i+1]) >= 0 && strings.IndexByte(hex, s[i+2]) >= 0:
			w.WriteString(strings.ToUpper(s[i : i+3]))
			i += 2
		case s[i] >= 0x80:
			fmt.Fprintf(&w, "%%%02X", s[i])
		default:
			w.WriteByte(s[i])
		}
	}
	return w.String()
}

// judgeGoogle holds Options.GoogleParser against the restatement.
func judgeGoogle(t *testing.T, body []byte, tokens []string, url string) {
	t.Helper()
	v := checkBothWays(t, Parse(body, &Options{GoogleParser: true}), url, tokens...)
	line := 0
	if v.Rule != nil {
		line = v.Rule.Line
	}
	if allowed, at := restatedVerdict(body, tokens, url); v.Allowed != allowed || line != at {
		t.Errorf("%q\n%q for %q: got %v by line %d, want %v by line %d", body, url, tokens, v.Allowed, line, allowed, at)
	}
}

// TestRestatement holds the restatement itself against Google's parser.
func TestRestatement(t *testing.T) {
	sharedVerdicts(t, func(c sharedVerdict) {
		allowed, line := restatedVerdict(c.body, c.agents, c.url)
		if allowed != c.allowed || c.line >= 0 && line != c.line {
			t.Errorf("%s: %q may fetch %q: got %v by line %d, want %v by line %d", c.name, c.agents, c.url, allowed, line, c.allowed, c.line)
		}
	}, "spec", "quirks", "fuzz")
}

// FuzzGoogle holds Options.GoogleParser against the restatement on any bytes.
func FuzzGoogle(f *testing.F) {
	for i, body := range awkward {
		f.Add([]byte(body), "a", awkwardURLs[i])
		f.Add([]byte(body), "", awkwardURLs[len(awkwardURLs)-1-i])
	}
	f.Fuzz(func(t *testing.T, body []byte, token, url string) {
		if small(len(body), 10*len(url)) && strings.Count(string(body), "*") < 12 {
			judgeGoogle(t, body, []string{token, "b"}, url)
		}
	})
}
