package robotstxt

// Explanation is a verdict with the details that led to it.
type Explanation struct {
	Verdict

	// Token is the product token that selected Group, of the crawler's names. It is "*" if
	// none of them has a group but "*" has, and "" if no group applies or Err is set.
	Token string

	// Path is the path and query of the URL as it was compared with the rules.
	Path string

	// Exempt is true for the URL of robots.txt itself, which is always allowed unless Err is
	// set.
	Exempt bool

	// Matches lists the rules of Group that match the URL, in order of precedence. The
	// first one decided, unless Exempt is true.
	Matches []RankedRule
}

// RankedRule is a rule with its canonical form and length.
type RankedRule struct {
	*Rule

	// Canonical is the pattern in canonical form; see the package documentation. Each * in
	// it is a wildcard, and a $ at its end is the end of the URL.
	Canonical string

	// Length decides precedence. It is len(Canonical), with two exceptions. A $ before the
	// end of Pattern counts as one octet, although Canonical escapes it. So does an
	// unescaped bracket in the query of Pattern.
	Length int
}

// Explain is like Check and also returns the details. It tries every rule of the
// group, so it is slower than Check.
func (f *File) Explain(rawURL string, names ...string) Explanation {
	e := Explanation{Path: canonicalPath(pathAndQuery(rawURL, f.google), f.google)}
	e.Verdict = f.Check(rawURL, names...)
	if e.Err != nil {
		return e
	}
	e.Exempt = e.Path == "/robots.txt" && !f.google.has(googleRobots)
	if _, e.Token = f.choose(names); e.Token == "" && f.names.find("*") >= 0 {
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
	s := newScanner(g.file, path)
	var rules []RankedRule
	for _, r := range g.ranked() {
		if s.matches(r.pattern) {
			rules = append(rules, RankedRule{r.rule, r.pattern, r.length})
		}
	}
	return rules
}

// Lines returns the numbers of the User-agent lines that name the group, one for each
// part of the file that the group is merged from. It parses the file again.
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

// Canonical returns the canonical form of a path with an optional query, which is
// compared with the rules. Group.Match computes it itself.
func Canonical(pathAndQuery string) string { return canonicalPath(pathAndQuery, 0) }

// CanonicalPattern returns the canonical form of the path of a rule, and the length
// that decides precedence. In that form each * is a wildcard, and a $ at the end is
// the end of the URL.
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
