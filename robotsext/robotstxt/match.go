package robotstxt

// Verdict says whether a URL may be fetched, and why.
type Verdict struct {
	Allowed bool
	Group   *Group // the group that applies; never nil
	Rule    *Rule  // the rule that decided, or nil if none applies; then the URL is allowed unless Err is set
	Err     error  // from Group.Err: no crawler has this name, so nothing is allowed
}

// Check reports whether the crawler with these names may fetch rawURL. The
// names are as in Group. Check accepts any URL. It removes scheme, authority
// and fragment, and converts the rest to canonical form. Everything before the first
// of / ? ; counts as authority even without a scheme, as in Google's parser.
// "example.com/a" means "/a", and so does "private/a", so resolve relative references
// first.
//
// Check ignores the authority: the caller must use the robots.txt file of that
// authority.
func (f *File) Check(rawURL string, names ...string) Verdict {
	return f.Group(names...).Match(pathAndQuery(rawURL, f.google))
}

// Match reports whether a path, with its query if it has one, may be fetched. The
// longest rule that matches decides. If an Allow and a Disallow have the same length,
// Allow wins.
//
// Match converts the path to canonical form; see the package documentation. For a path
// that is canonical already it allocates nothing, unless its query must be compared in
// a second form.
func (g *Group) Match(pathAndQuery string) Verdict {
	v := Verdict{Allowed: g.err == nil, Group: g, Err: g.err}
	if g.set == nil {
		return v
	}
	d := g.file.google
	path := canonicalPath(pathAndQuery, d)
	if path == "/robots.txt" && !d.has(googleRobots) {
		return v // ROB-MAT-21
	}
	c := g.set.compiled.Load()
	if c == nil {
		if r := g.scan(path); r.place >= 0 {
			v.Rule = &g.list().rules[r.place]
			v.Allowed = r.allow || r.length == 0
		}
		return v
	}
	rank := c.index.match(path, noRank)
	if !d.has(googleQuery) {
		rank = c.query.match(path, rank)
	}
	if rank == noRank {
		return v
	}
	r := &c.index.ranked[rank]
	v.Rule = r.rule
	v.Allowed = r.rule.Allow || r.length == 0 // an empty path disallows nothing
	return v
}
