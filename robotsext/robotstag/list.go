package robotstag

import (
	"strings"
	"unicode"
)

// list parses a list of rules (ROB-PAG-02). They are separated by commas, in many lists by
// spaces or semicolons. With agents set, as in X-Robots-Tag, a name with a colon that is not
// the name of a rule is a crawler. The rules after it, up to the next crawler, apply to that
// crawler only (ROB-PAG-03).
func (d *Directives) list(text string, source Source, agents bool) {
	for text != "" {
		end := strings.IndexAny(text, ":,;")
		if end < 0 {
			end = len(text)
		}
		words, colon := strings.Fields(text[:end]), strings.HasPrefix(text[end:], ":")
		text = text[min(end+1, len(text)):]
		name, rulesOnly := "", true
		if n := len(words) - 1; colon && n >= 0 {
			name, words = words[n], words[:n]
		}
		for _, word := range words {
			d.take(word, "", source)
			rulesOnly = rulesOnly && startsRule(word)
		}
		if !colon {
			continue
		}
		var value string
		switch known := Name(strings.ToLower(name)); {
		case known == UnavailableAfter:
			value, text = cutDate(text)
			d.take(name, value, source)
		case known.isRule():
			value, text = cutValue(known, text)
			d.take(name, value, source)
		case agents && rulesOnly && isAgent(name):
			source.Agent = everyone(string(known))
		default:
			text = strings.TrimLeftFunc(text, func(c rune) bool { return c != ',' && c != ';' }) // the next element
		}
	}
}

// cutValue cuts the value of a rule off a list: the next word, unless it is another rule.
// "none" may be either.
func cutValue(name Name, text string) (value, rest string) {
	text = strings.TrimLeftFunc(text, unicode.IsSpace)
	end := wordEnd(text)
	if word := text[:end]; startsRule(word) && (name != MaxImagePreview || !strings.EqualFold(word, string(PreviewNone))) {
		end = 0
	}
	return text[:end], text[end:]
}

// wordEnd returns the length of text up to the next space, comma or semicolon.
func wordEnd(text string) int {
	n := strings.IndexFunc(text, func(c rune) bool { return c == ',' || c == ';' || unicode.IsSpace(c) })
	if n < 0 {
		return len(text)
	}
	return n
}

// startsRule reports whether word is the name of a rule, or begins with one and a
// colon.
func startsRule(word string) bool {
	name, _, _ := strings.Cut(word, ":")
	return Name(strings.ToLower(name)).isRule()
}

// take adds a valid rule that applies to this crawler.
func (d *Directives) take(name, value string, source Source) {
	if r, ok := parseRule(name, value); ok && d.addressed(source.Agent) {
		r.Source = source
		d.add(r)
	}
}

// isRule reports whether name is a rule rather than a crawler. Names that begin with "max-"
// may be future rules.
func (n Name) isRule() bool {
	return n.isFlag() || n.hasValue() || strings.HasPrefix(string(n), "max-") || n == "all" || n == "index" || n == "follow"
}

// isAgent reports whether name can be a product token, or "*".
func isAgent(name string) bool {
	for i := range len(name) {
		switch c := name[i] | 0x20; {
		case c >= 'a' && c <= 'z', name[i] == '*', name[i] == '_':
		case i > 0 && (name[i] >= '0' && name[i] <= '9' || name[i] == '-' || name[i] == '.'):
		default:
			return false
		}
	}
	return name != ""
}

// everyone returns "" for the names that are for all crawlers.
func everyone(agent string) string {
	if agent == "*" || agent == "robots" {
		return ""
	}
	return agent
}
