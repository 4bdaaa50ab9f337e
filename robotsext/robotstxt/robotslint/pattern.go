package robotslint

import (
	"strings"

	"github.com/politecrawl/politecrawl/robotsext/internal/rulepath"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// pattern is the path of a rule, prepared for testing whether it matches all URLs that
// another one matches.
type pattern struct {
	body string // canonical path without stars at its end and without the final $
	end  bool   // the path has a final $
	form string // body in the second form of queries (ROB-MAT-19)
	rank int    // the matching rule with the highest rank decides (ROB-MAT-03, ROB-MAT-04)
}

func newPattern(path string, allow bool) pattern {
	canonical, length := robotstxt.CanonicalPattern(path)
	body, end := strings.CutSuffix(canonical, "$")
	if trimmed := strings.TrimRight(body, "*"); trimmed != body {
		body, end = trimmed, false // "*$" has no effect
	}
	p := pattern{body: body, end: end, form: rulepath.EscapeQuery(body), rank: 2 * length}
	if allow {
		p.rank++
	}
	return p
}

// literal returns the prefix of all URLs that match.
func (p *pattern) literal() string {
	s, _, _ := strings.Cut(p.body, "*")
	return s
}

// beginning returns literal up to the query, which is the same in both forms.
func (p *pattern) beginning() string {
	s, _, _ := strings.Cut(p.literal(), "?")
	return s
}

// isPrefix reports whether the pattern matches every URL that begins with its body.
func (p *pattern) isPrefix() bool { return !p.end && len(p.literal()) == len(p.body) }

// isPath reports whether the pattern matches only its body.
func (p *pattern) isPath() bool { return p.end && len(p.beginning()) == len(p.body) }

// covers reports whether p matches all URLs that q matches, in both forms. It also returns
// false if no steps remain.
func (p *pattern) covers(q *pattern, steps *int) bool {
	if p.isPrefix() {
		*steps -= len(p.body)
		return strings.HasPrefix(q.body, p.body) // true for the second form as well
	}
	return coversForm(p.body, q.body, p.end, q.end, steps) &&
		(p.form == p.body && q.form == q.body || coversForm(p.form, q.form, p.end, q.end, steps))
}

// coversForm matches q with p as if q were a URL, in which only a star of p matches a star. A
// pattern without a final $ ends with a star.
func coversForm(p, q string, pEnd, qEnd bool, steps *int) bool {
	if !pEnd {
		p += "*"
	}
	if !qEnd {
		q += "*"
	}
	if *steps -= len(q) + strings.Count(p, "*"); *steps < 0 {
		return false
	}
	return rulepath.Match(p, rulepath.Instance(q))
}
