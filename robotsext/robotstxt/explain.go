package robotstxt

import "slices"

// Explanation is a verdict with all that led to it.
type Explanation struct {
	Verdict

	// Token is the one of the crawler's tokens that Group was chosen by, "*" if
	// none of them has a group and that of all others holds, and "" if no group
	// applies (ROB-UA-04, ROB-UA-06).
	Token string

	// Path is the path and query of the URL as it was compared with the rules.
	Path string

	// Exempt says that no rule counts, because the URL is that of robots.txt
	// itself (ROB-MAT-21).
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
	// that stands for itself counts as one octet (ROB-MAT-03).
	Length int
}

// Explain is Check with all that led to the verdict. It visits every rule of the
// group, so that Check is the one to ask about many URLs.
func (f *File) Explain(rawURL string, tokens ...string) Explanation {
	e := Explanation{Path: canonicalPath(pathAndQuery(rawURL, f.google), f.google)}
	e.Verdict = f.Check(rawURL, tokens...)
	e.Exempt = e.Path == "/robots.txt" && !f.google.has(googleRobots)
	if i := slices.IndexFunc(tokens, func(t string) bool { return t != "*" && f.names.find(t) >= 0 }); i >= 0 {
		e.Token = tokens[i]
	} else if f.names.find("*") >= 0 {
		e.Token = "*"
	}
	escaped := escapeQuery(e.Path)
	for _, r := range e.Group.ranked() {
		p := splitPattern(r.pattern)
		if !p.match(e.Path) {
			p = splitPattern(escapeQuery(r.pattern)) // ROB-MAT-19
			if f.google.has(googleQuery) || !p.match(escaped) {
				continue
			}
		}
		e.Matches = append(e.Matches, RankedRule{r.rule, r.pattern, r.length})
	}
	return e
}

// Canonical returns the form of a path, with its query if there is one, in which
// it is compared with the rules. It is what Group.Match works out for itself.
func Canonical(pathAndQuery string) string { return canonicalPath(pathAndQuery, 0) }

// Ranked returns the rules in order of precedence: the first that matches a URL
// decides (ROB-MAT-03, ROB-MAT-04).
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
