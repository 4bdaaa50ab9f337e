package robotstag

import "strings"

// canonical returns the target of the first link with the relation canonical in a Link header
// (RFC 8288), or "". It ignores links with an anchor, which concern another document.
func canonical(line string) string {
	for {
		line = strings.TrimLeft(line, " \t,")
		if line == "" || line[0] != '<' {
			return ""
		}
		href, rest, ok := strings.Cut(line[1:], ">")
		if !ok {
			return ""
		}
		var rel string
		var hasRel, hasAnchor bool
		for {
			rest = strings.TrimLeft(rest, " \t")
			if !strings.HasPrefix(rest, ";") {
				break
			}
			var name, value string
			name, value, rest = linkParam(rest[1:])
			switch {
			case strings.EqualFold(name, "rel") && !hasRel: // only the first one counts (3.3)
				rel, hasRel = value, true
			case strings.EqualFold(name, "anchor"):
				hasAnchor = true
			}
		}
		if hasWord(rel, "canonical") && !hasAnchor {
			return strings.TrimSpace(href)
		}
		if !strings.HasPrefix(rest, ",") {
			return ""
		}
		line = rest
	}
}

// linkParam cuts a parameter off a link: name, name=value or name="value".
func linkParam(s string) (name, value, rest string) {
	end := strings.IndexAny(s, "=;,")
	if end < 0 {
		return strings.TrimSpace(s), "", ""
	}
	name, s = strings.TrimSpace(s[:end]), s[end:]
	if s[0] != '=' {
		return name, "", s
	}
	s = strings.TrimLeft(s[1:], " \t")
	if !strings.HasPrefix(s, `"`) {
		if end = strings.IndexAny(s, ";,"); end < 0 {
			end = len(s)
		}
		return name, strings.TrimSpace(s[:end]), s[end:]
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '"':
			return name, b.String(), s[i+1:]
		case s[i] == '\\' && i+1 < len(s):
			i++
			b.WriteByte(s[i])
		default:
			b.WriteByte(s[i])
		}
	}
	return name, b.String(), ""
}
