package robotstxt

import (
	"strings"

	"github.com/politecrawl/politecrawl/robotsext/internal/fieldname"
	"github.com/politecrawl/politecrawl/robotsext/internal/usagelabel"
)

// Extension is a field other than User-agent, Allow, Disallow and Sitemap. It never
// changes a verdict. Group and File have methods for the extensions that this package
// parses.
type Extension struct {
	Field  string // as written
	Value  string
	Line   int      // from 1
	Agents []string // the names of its group, "*" included; nil before the first group
}

// extensions yields the values of one field in the group. They are few and rarely
// used, so they are parsed on each call.
func (g *Group) extensions(field string) func(yield func(Extension) bool) {
	return func(yield func(Extension) bool) {
		for _, b := range g.blocks {
			s := g.file.blocks[b].extensions
			for _, e := range g.file.Extensions[s.lo:s.hi] {
				if equalFold(e.Field, field) && !yield(e) {
					return
				}
			}
		}
	}
}

// isFieldName reports whether name can be the name of an extension rather than prose
// or HTML before a colon. It has no run of white space, quote, tag, control character
// or byte order mark.
func isFieldName(name string) bool {
	for i := 0; i < len(name); i++ {
		switch b := name[i]; {
		case b < ' ' || b == 0x7f || b == '<' || b == '"' || b == '\'' || b == '`':
			return false
		case b == ' ' && name[i-1] == ' ': // white space at the ends is gone
			return false
		}
	}
	return !strings.Contains(name, bom)
}

// noteExtension adds findings for invalid values, for fields that robots.txt does not
// support, and for names that look misspelled.
func (p *parser) noteExtension(name, value string) {
	kind := Kind("")
	switch {
	case equalFold(name, "crawl-delay"):
		switch d, ok := parseDelay(value); {
		case !ok:
			kind = KindBadValue
		case d != p.file.opts.capDelay(d):
			kind = KindDelayCapped
		}
	case equalFold(name, "request-rate"):
		if _, ok := parseRequestRate(value); !ok {
			kind = KindBadValue
		}
	case equalFold(name, "visit-time"):
		if _, ok := parseWindow(value); !ok {
			kind = KindBadValue
		}
	case equalFold(name, "clean-param"):
		if p.file.clean == nil {
			p.file.clean = &cleanParams{}
		}
		if _, ok := parseCleanParam(value); !ok {
			kind = KindBadValue
		}
	case equalFold(name, "content-usage"):
		if _, prefs := usagelabel.SplitPath(value); ParseUsage(prefs) == nil {
			kind = KindBadValue
		}
	case equalFold(name, "content-signal"):
		if _, pairs := usagelabel.SplitPath(value); parseSignals(pairs) == nil {
			kind = KindBadValue
		}
	case equalFold(name, "noindex"), equalFold(name, "nofollow"):
		kind = KindPageDirective // ROB-EXT-04
	case equalFold(name, "host"):
	default:
		switch fieldname.Nearest(name) {
		case "":
			if fieldname.Lenient(name) != "" && strings.ContainsAny(name, " =") && !p.html {
				kind = KindNoColon // the first colon belongs to the value
			}
		case "user-agent":
			p.noteOnce(&p.agentNoted, KindMisspelled, name)
		default:
			kind = KindMisspelled
		}
	}
	switch kind {
	case "":
	case KindMisspelled:
		p.note(p.lines.n, kind, name)
	default:
		p.note(p.lines.n, kind, name+": "+value)
	}
}
