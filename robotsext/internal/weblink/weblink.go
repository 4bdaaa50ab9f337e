// Package weblink parses Link headers (RFC 8288).
package weblink

import (
	"strings"

	"github.com/politecrawl/politecrawl/robotsext/headerlist"
)

// Link is one link of a header.
type Link struct {
	Target string // as written, without spaces around it
	Rel    string // the first one counts (section 3.3)
	Type   string
	Anchor bool // it concerns another document
}

// Parse yields the links of a header line. It ends at a syntax error.
func Parse(line string) func(yield func(Link) bool) {
	return func(yield func(Link) bool) {
		for {
			line = strings.TrimLeft(line, " \t,")
			if line == "" || line[0] != '<' {
				return
			}
			target, rest, ok := strings.Cut(line[1:], ">")
			if !ok {
				return
			}
			link := Link{Target: strings.TrimSpace(target)}
			hasRel := false
			for {
				rest = strings.TrimLeft(rest, " \t")
				if !strings.HasPrefix(rest, ";") {
					break
				}
				var name, value string
				name, value, rest = param(rest[1:])
				switch {
				case strings.EqualFold(name, "rel") && !hasRel:
					link.Rel, hasRel = value, true
				case strings.EqualFold(name, "type"):
					link.Type = value
				case strings.EqualFold(name, "anchor"):
					link.Anchor = true
				}
			}
			if !yield(link) || !strings.HasPrefix(rest, ",") {
				return
			}
			line = rest
		}
	}
}

// param cuts a parameter off a link: name, name=value or name="value".
func param(s string) (name, value, rest string) {
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
	value, rest = headerlist.CutQuoted(s)
	return name, value, rest
}
