package robotstxt

// Verdict says whether a URL may be fetched, and why.
type Verdict struct {
	Allowed bool
	Group   *Group // the group in force, never nil
	Rule    *Rule  // the rule that decided; nil if none applied and so all is allowed
}

// Check tells whether the crawler with these product tokens may fetch rawURL;
// tokens as for Group. It takes any string: scheme, authority and fragment are
// cut off, and the rest is brought into canonical form as for Match. What comes
// before the first of / ? ; is taken for an authority also where there is no
// scheme, as by Google's parser: "example.com/a" is "/a", and so is "private/a".
// A relative reference has to be resolved first, or begin with a slash.
//
// Check does not look at the authority. The caller has to know that f is the
// file of the authority of rawURL.
func (f *File) Check(rawURL string, tokens ...string) Verdict {
	return f.Group(tokens...).Match(pathAndQuery(rawURL, f.google))
}

// Match tells whether a path, with its query if there is one, may be fetched.
// Of the rules that match, the longest decides, and between two of
// the same length the one that allows.
//
// The path is compared in canonical form, see the package documentation. It need
// not be given so, but if it is, Match allocates nothing, save where a query has
// to be compared in its second form.
func (g *Group) Match(pathAndQuery string) Verdict {
	v := Verdict{Allowed: true, Group: g}
	if g.set == nil {
		return v
	}
	d := g.file.google
	path := canonicalPath(pathAndQuery, d)
	if path == "/robots.txt" && !d.has(googleRobots) {
		return v // ROB-MAT-21
	}
	c := g.compiled()
	rank := c.index.match(path, noRank)
	if !d.has(googleQuery) {
		rank = c.query.match(path, rank)
	}
	if rank == noRank {
		return v
	}
	r := &c.index.ranked[rank]
	v.Rule = r.rule
	v.Allowed = r.rule.Allow || r.length == 0 // an empty path says nothing
	return v
}
