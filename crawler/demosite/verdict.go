package demosite

// A verdict says whether robots.txt allows a page.
type verdict struct {
	Whom    string
	Allowed bool
	Line    int // 0 if no line matches
	Rule    string
}

// verdicts returns one verdict for all audiences, or one for each. A page that does not exist
// has none.
func verdicts(r *route) []verdict {
	if r.uri == "" {
		return nil
	}
	of := func(a audience, whom string) verdict {
		return verdict{Whom: whom, Allowed: r.allowed(a), Rule: r.rule(a), Line: lineOf(r.host.rules, r.rule(a), a)}
	}
	all, rest := "every crawler", "every other crawler"
	if namesStrangers(r.host.rules) {
		all, rest = namedToken+" and every crawler that the file does not name", "every crawler that the file does not name"
	}
	ours, theirs := of(us, namedToken), of(others, rest)
	if ours.Rule == theirs.Rule && ours.Line == theirs.Line {
		ours.Whom = all
		return []verdict{ours}
	}
	return []verdict{ours, theirs}
}

// A mark beside a link says whether its target may be fetched.
type mark struct{ Class, Text string }

// markOf returns the mark of a link on r, or nil if the URL is not on this site.
func (r *route) markOf(href string) *mark {
	origin, uri, _ := resolve(r.baseURL(), href)
	h := r.host.site.at(origin)
	if h == nil {
		return nil
	}
	if h.outside {
		return &mark{"no", "out of scope"}
	}
	target := h.find(uri)
	if target == nil {
		return nil
	}
	switch ours, theirs := target.allowed(us), target.allowed(others); {
	case ours && theirs:
		return &mark{"yes", "allowed"}
	case ours:
		return &mark{"yes", "allowed for " + namedToken + ", disallowed for *"}
	case theirs:
		return &mark{"no", "disallowed for " + namedToken + ", allowed for *"}
	default:
		return &mark{"no", "disallowed"}
	}
}
