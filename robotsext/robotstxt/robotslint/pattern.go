package robotslint

import (
	"strings"

	"github.com/politecrawl/politecrawl/robotsext/internal/rulepath"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// pattern is the path of a rule, made ready for the question whether all that one
// rule matches is matched by another too.
type pattern struct {
	body string // canonical; without stars at its end, which change no match, nor the final $
	end  bool   // it had a final $
	form string // body in the second form, in which queries are compared too (ROB-MAT-19)
	rank int    // of two rules that match, the one of higher rank decides (ROB-MAT-03, ROB-MAT-04)
}

func newPattern(path string, allow bool) pattern {
	canonical, length := robotstxt.CanonicalPattern(path)
	body, end := strings.CutSuffix(canonical, "$")
	if trimmed := strings.TrimRight(body, "*"); trimmed != body {
		body, end = trimmed, false // "*$" is as good as nothing
	}
	p := pattern{body: body, end: end, form: rulepath.EscapeQuery(body), rank: 2 * length}
	if allow {
		p.rank++
	}
	return p
}

// literal returns what every URL that matches begins with.
func (p *pattern) literal() string {
	s, _, _ := strings.Cut(p.body, "*")
	return s
}

// beginning is literal up to the query: the part that is the same in both forms.
func (p *pattern) beginning() string {
	s, _, _ := strings.Cut(p.literal(), "?")
	return s
}

// isPrefix reports whether the pattern matches whatever begins with its body.
func (p *pattern) isPrefix() bool { return !p.end && len(p.literal()) == len(p.body) }

// isPath reports whether the pattern matches its body and nothing else.
func (p *pattern) isPath() bool { return p.end && len(p.beginning()) == len(p.body) }

// covers reports whether p is sure to match all that q matches, in both forms.
// It may say no where the answer is yes: when the steps have been used up.
func (p *pattern) covers(q *pattern, steps *int) bool {
	if p.isPrefix() {
		*steps -= len(p.body)
		return strings.HasPrefix(q.body, p.body) // and so does the second form
	}
	return coversForm(p.body, q.body, p.end, q.end, steps) &&
		(p.form == p.body && q.form == q.body || coversForm(p.form, q.form, p.end, q.end, steps))
}

// coversForm matches q with p as if it were a URL, with something in place of each star
// that only a star of p matches. What is not anchored by a $ ends with a star.
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
