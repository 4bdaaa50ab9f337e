package robotstxt

// Verdict says whether a URL may be fetched, and why.
type Verdict struct {
	Allowed bool
	Group   *Group // the group in force, never nil
	Rule    *Rule  // the rule that decided; nil if none applied and so all is allowed (ROB-GEN-02)
}

// Check tells whether the crawler with these product tokens may fetch rawURL;
// tokens as for Group. It takes any string: scheme, authority and fragment are
// cut off, a relative reference counts from the root, and the rest is brought
// into canonical form as for Match.
//
// Check does not look at the authority. The caller has to know that f is the
// file of the authority of rawURL (ROB-LOC-02).
func (f *File) Check(rawURL string, tokens ...string) Verdict {
	return f.Group(tokens...).Match(pathAndQuery(rawURL, f.opts.GoogleParser))
}

// Match tells whether a path, with its query if there is one, may be fetched.
// Of the rules that match, the longest decides (ROB-MAT-03), and between two of
// the same length the one that allows (ROB-MAT-04).
//
// The path is compared in canonical form, see the package documentation; it
// need not be given so, but if it is, Match allocates nothing.
func (g *Group) Match(pathAndQuery string) Verdict {
	v := Verdict{Allowed: true, Group: g}
	if g.set == nil {
		return v
	}
	c := g.compiled()
	if g.file.opts.GoogleParser {
		v.Rule, v.Allowed = c.index.googleMatch(pathAndQuery)
		return v
	}
	path := canonicalPath(pathAndQuery)
	if path == "/robots.txt" {
		return v // ROB-MAT-21
	}
	rank := c.query.match(path, c.index.match(path, noRank))
	if rank != noRank {
		v.Rule = c.index.ranked[rank].rule
		v.Allowed = v.Rule.Allow
	}
	return v
}
