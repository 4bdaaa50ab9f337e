package robotstag

import "strings"

// list reads a comma-separated list of rules (ROB-PAG-02). With agents set, as in
// X-Robots-Tag, a name with a colon that is not the name of a rule is the name of
// a crawler, whom the rules after it are for, up to the next (ROB-PAG-03).
func (d *Directives) list(text string, source Source, agents bool) {
	for more := true; more; {
		var element, rest string
		element, rest, more = strings.Cut(text, ",")
		name, value, hasValue := strings.Cut(element, ":")
		name = strings.TrimSpace(name)
		switch known := Name(strings.ToLower(name)); {
		case !hasValue:
			// Many a list has spaces in place of commas.
			for word := range strings.FieldsSeq(element) {
				d.take(word, "", source)
			}
		case known == UnavailableAfter:
			value, rest, more = cutDate(text[strings.IndexByte(text, ':')+1:])
			d.take(name, value, source)
		case agents && !known.isRule() && isAgent(name):
			source.Agent = everyone(string(known))
			rest, more = text[strings.IndexByte(text, ':')+1:], true
		default:
			d.take(name, value, source)
		}
		text = rest
	}
}

// take adds a rule if it is one, and is for this crawler.
func (d *Directives) take(name, value string, source Source) {
	if r, ok := parseRule(name, value); ok && d.addressed(source.Agent) {
		r.Source = source
		d.add(r)
	}
}

// isRule tells names that are no crawler's. What begins with "max-" may be a rule
// of later times.
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
