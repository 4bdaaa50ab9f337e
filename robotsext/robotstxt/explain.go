package robotstxt

import (
	"slices"
	"strings"

	"github.com/politecrawl/politecrawl/robotsext/internal/rulepath"
)

// Explanation is a verdict with all that led to it.
type Explanation struct {
	Verdict

	// Token is the one of the crawler's tokens that Group was chosen by, "*" if
	// none of them has a group and that of all others holds, and "" if no group
	// applies.
	Token string

	// Path is the path and query of the URL as it was compared with the rules.
	Path string

	// Exempt says that no rule counts, because the URL is that of robots.txt
	// itself.
	Exempt bool

	// Matches are the rules of Group that match the URL in order of precedence.
	// The first decided, unless the URL is exempt.
	Matches []RankedRule
}

// RankedRule is a rule in the form in which it is compared.
type RankedRule struct {
	*Rule

	// Canonical is the pattern in canonical form, see the package documentation.
	// A star in it is always a wildcard, a $ at its end the end of the URL.
	Canonical string

	// Length is what precedence goes by. It is not always that of Canonical: a $
	// that stands for itself counts as one octet, and so does a raw bracket in the
	// query.
	Length int
}

// Explain is Check with all that led to the verdict. It tries every rule of the
// group, so that it costs more than Check.
func (f *File) Explain(rawURL string, tokens ...string) Explanation {
	e := Explanation{Path: canonicalPath(pathAndQuery(rawURL, f.google), f.google)}
	e.Verdict = f.Check(rawURL, tokens...)
	e.Exempt = e.Path == "/robots.txt" && !f.google.has(googleRobots)
	if i := slices.IndexFunc(tokens, func(t string) bool { return t != "*" && f.names.find(t) >= 0 }); i >= 0 {
		e.Token = tokens[i]
	} else if f.names.find("*") >= 0 {
		e.Token = "*"
	}
	e.Matches = e.Group.matches(e.Path)
	return e
}

// matches returns all the rules that match a canonical path.
func (g *Group) matches(path string) []RankedRule {
	if g.set == nil {
		return nil
	}
	form := rulepath.EscapeQuery(path)
	twoForms := strings.Contains(path, "?") && !g.file.google.has(googleQuery)
	var rules []RankedRule
	for _, r := range g.ranked() {
		ok, _ := matchPattern(r.pattern, path)
		if !ok && twoForms {
			ok, _ = matchPattern(rulepath.EscapeQuery(r.pattern), form) // ROB-MAT-19
		}
		if ok {
			rules = append(rules, RankedRule{r.rule, r.pattern, r.length})
		}
	}
	return rules
}

// Lines returns the numbers of the User-agent lines that name the group, the first in
// each part of the file that it is merged from. A File does not keep
// them: it is read again for that.
func (g *Group) Lines() []int {
	if g.file == nil {
		return nil
	}
	again := &File{opts: g.file.opts, google: g.file.google, text: g.file.text}
	again.names.text = again.text
	p := newParser(again)
	var lines []int
	for r, named := new(record), 0; p.lines.next(r); named = len(again.mentions) {
		p.line(r)
		for _, i := range again.mentions[named:] {
			if name := again.names.list[i]; name.of(again.text) == g.name {
				lines = append(lines, p.lines.n)
			}
		}
	}
	return lines
}

// Canonical returns the form of a path, with its query if there is one, in which
// it is compared with the rules. It is what Group.Match works out for itself.
func Canonical(pathAndQuery string) string { return canonicalPath(pathAndQuery, 0) }

// CanonicalPattern returns the form in which the path of a rule is compared, and
// the length that it has in the comparison with other rules. In that
// form a star is always a wildcard, and a dollar sign the end of the URL.
func CanonicalPattern(pattern string) (canonical string, length int) {
	return canonicalRule(pattern, 0)
}

// Ranked returns the rules in order of precedence: the first that matches a URL
// decides.
func (g *Group) Ranked() []RankedRule {
	ranks := g.ranked()
	rules := make([]RankedRule, len(ranks))
	for i, r := range ranks {
		rules[i] = RankedRule{r.rule, r.pattern, r.length}
	}
	return rules
}

func (g *Group) ranked() []ranked {
	if g.set == nil {
		return nil
	}
	return g.compiled().index.ranked
}
