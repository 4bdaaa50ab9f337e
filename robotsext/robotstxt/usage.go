package robotstxt

import "strings"

// Usage says what content may be used for, by category: "search", "train-ai".
// True grants, false refuses; of a category that is not there nothing is said.
type Usage map[string]bool

// ContentUsage returns what the group's Content-Usage lines say of the content
// at a path (IETF draft aipref-attach, ROB-EXT-05). The line with the longest
// path that matches counts; of several with equal paths the most restrictive
// word does. Nothing is said of a path that must not be crawled.
func (g *Group) ContentUsage(pathAndQuery string) Usage {
	if !g.Match(pathAndQuery).Allowed {
		return nil
	}
	path := canonicalPath(pathAndQuery, 0)
	var usage Usage
	longest := -1
	for e := range g.extensions("content-usage") {
		pattern, prefs := splitUsage(e.Value)
		said := ParseUsage(prefs)
		_, length := canonicalRule(pattern, 0)
		if said == nil || length < longest || !matchPattern(pattern, path) {
			continue
		}
		if length > longest {
			longest, usage = length, Usage{}
		}
		for category, granted := range said {
			if before, ok := usage[category]; !ok || before {
				usage[category] = granted
			}
		}
	}
	return usage
}

// splitUsage separates the path, which a value may begin with, from the
// preferences.
func splitUsage(value string) (path, prefs string) {
	if !strings.HasPrefix(value, "/") {
		return "", value
	}
	end := strings.IndexAny(value, " \t")
	if end < 0 {
		return value, ""
	}
	return value[:end], trimSpace(value[end:])
}

// ParseUsage reads preferences as they stand in a Content-Usage line after the
// path, or in the HTTP response header of that name: a dictionary of structured
// fields (RFC 9651) whose values y and n have a meaning. It returns nil if that
// is not what value is.
func ParseUsage(value string) Usage {
	usage := Usage{}
	if value == "" {
		return nil
	}
	for {
		key, rest := cutKey(value)
		if key == "" {
			return nil
		}
		delete(usage, key) // the last of a key counts
		if item, ok := strings.CutPrefix(rest, "="); ok {
			end := itemEnd(item)
			if end == 0 {
				return nil
			}
			if item[:end] == "y" || item[:end] == "n" {
				usage[key] = item[:end] == "y"
			}
			rest = item[end:]
		}
		if strings.HasPrefix(rest, ";") { // parameters have no meaning here
			rest = rest[itemsEnd(rest):]
		}
		rest = strings.TrimLeft(rest, " \t")
		if rest == "" {
			return usage
		}
		if rest[0] != ',' {
			return nil
		}
		value = strings.TrimLeft(rest[1:], " \t")
	}
}

// cutKey cuts a dictionary key: lower case letters, digits and _-.* after a
// letter or *.
func cutKey(s string) (key, rest string) {
	n := 0
	for n < len(s) && ('a' <= s[n] && s[n] <= 'z' || s[n] == '*' ||
		n > 0 && ('0' <= s[n] && s[n] <= '9' || s[n] == '_' || s[n] == '-' || s[n] == '.')) {
		n++
	}
	return s[:n], s[n:]
}

// itemEnd returns the length of the item that s begins with: a string, an inner
// list, or something without white space.
func itemEnd(s string) int {
	switch {
	case strings.HasPrefix(s, `"`):
		for i := 1; i < len(s); i++ {
			switch s[i] {
			case '\\':
				i++
			case '"':
				return i + 1
			}
		}
		return 0
	case strings.HasPrefix(s, "("):
		return strings.IndexByte(s, ')') + 1
	}
	end := strings.IndexAny(s, ",; \t")
	if end < 0 {
		return len(s)
	}
	return end
}

// itemsEnd returns the length of the parameters that s begins with.
func itemsEnd(s string) int {
	quoted := false
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '"':
			quoted = !quoted
		case s[i] == '\\' && quoted:
			i++
		case s[i] == ',' && !quoted:
			return i
		}
	}
	return len(s)
}

// Signal is one word of a Content-Signal line (Cloudflare, ROB-EXT-06). The keys
// in use are search, ai-input and ai-train, whose value yes grants and no
// refuses, and use, on trial, with immediate, reference or full. A key that is
// not there says neither.
type Signal struct {
	Key, Value string
	Line       int
}

// ContentSignals returns the words of the group's Content-Signal lines in file
// order.
func (g *Group) ContentSignals() []Signal {
	var signals []Signal
	for e := range g.extensions("content-signal") {
		signals = append(signals, parseSignals(e.Value, e.Line)...)
	}
	return signals
}

func parseSignals(value string, line int) []Signal {
	var signals []Signal
	for pair := range strings.SplitSeq(value, ",") {
		key, value, ok := strings.Cut(pair, "=")
		key, value = trimSpace(key), trimSpace(value)
		if ok && key != "" {
			signals = append(signals, Signal{key, value, line})
		}
	}
	return signals
}
