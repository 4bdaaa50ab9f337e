package demosite

// verdict is what a host's robots.txt says about a page.
type verdict struct {
	Whom    string
	Allowed bool
	Line    int // 0: no line matches
	Rule    string
}

// verdicts says once what holds for all, or else for each audience; nothing of a
// page that is not there.
func verdicts(r *route) []verdict {
	if r.uri == "" {
		return nil
	}
	of := func(a audience, whom string) verdict {
		return verdict{Whom: whom, Allowed: r.allowed(a), Rule: r.rule(a), Line: lineOf(r.host.rules, r.rule(a), a)}
	}
	all, rest := "every crawler", "every other crawler"
	if namesStrangers(r.host.rules) {
		all, rest = Token+" and every crawler that the file does not name", "every crawler that the file does not name"
	}
	ours, theirs := of(us, Token), of(others, rest)
	if ours.Rule == theirs.Rule && ours.Line == theirs.Line {
		ours.Whom = all
		return []verdict{ours}
	}
	return []verdict{ours, theirs}
}

// mark says beside a link whether its target may be fetched.
type mark struct{ Class, Text string }

// markOf is the mark of a link on r; nil: it leads to no URL of the site.
func (r *route) markOf(href string) *mark {
	origin, uri, _ := resolve(r.baseURL(), href)
	h := r.host.at(origin)
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
		return &mark{"yes", "open"}
	case ours:
		return &mark{"yes", "open to " + Token + ", closed to *"}
	case theirs:
		return &mark{"no", "closed to " + Token + ", open to *"}
	default:
		return &mark{"no", "closed"}
	}
}
