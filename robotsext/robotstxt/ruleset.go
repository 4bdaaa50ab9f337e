package robotstxt

import (
	"slices"
	"strings"
)

// compile ranks and indexes the rules of the set.
func (s *ruleset) compile(f *File) {
	n := 0
	for _, b := range s.blocks {
		n += int(f.blocks[b].rules.hi - f.blocks[b].rules.lo)
	}
	rules := make([]ranked, 0, n)
	for _, b := range s.blocks {
		lines := f.rules[f.blocks[b].rules.lo:f.blocks[b].rules.hi]
		for i := range lines {
			rules = f.opts.appendRanked(rules, &lines[i])
		}
	}
	slices.SortFunc(rules, byRank)
	s.index = newIndex(rules, func(r *ranked) (string, bool) { return r.pattern, true })
	s.query.init(rules, f.opts.GoogleParser)
}

// appendRanked appends what a rule comes to under the options.
func (o *Options) appendRanked(rules []ranked, r *Rule) []ranked {
	if o.GoogleParser {
		return appendGoogle(rules, r)
	}
	written := r.Pattern
	if written[0] != '/' && written[0] != '*' {
		written = "/" + written // AssumeSlash, or it would not be here
	}
	pattern, length := canonicalRule(written)
	if o.TrailingStarUncounted {
		length -= len(pattern) - len(strings.TrimRight(pattern, "*"))
	}
	rules = append(rules, ranked{r, pattern, length})
	if r.Allow && o.IndexAllowsDirectory {
		for _, name := range []string{"/index.htm", "/index.html"} {
			if directory, ok := strings.CutSuffix(pattern, name); ok {
				rules = append(rules, ranked{r, directory + "/$", length - len(name) + 2})
			}
		}
	}
	return rules
}
