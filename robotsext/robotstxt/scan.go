package robotstxt

import (
	"strings"

	"github.com/politecrawl/politecrawl/robotsext/internal/rulepath"
)

// compileCost is the approximate cost of compiling a rule, relative to scanning one.
const compileCost = 32

// canonicalPart is the number of octets of a rule that add 1 to the cost of scanning it,
// since its canonical form is needed.
const canonicalPart = 2

// found is the rule that decides about a path.
type found struct {
	place  int // in file order; -1 if no rule matches
	length int
	allow  bool
}

// scan finds the rule that decides about a canonical path. It keeps nothing, unless the
// scans of the group have cost so much that compiling the rules pays.
func (g *Group) scan(path string) found {
	s := newScanner(g.file, path)
	place := 0
	for _, b := range g.blocks {
		rules := g.file.blockRules(b)
		for i := range rules {
			s.try(&rules[i], place+i)
		}
		place += len(rules)
	}
	limit := int64(compileCost * place)
	if sum := g.set.scanned.Add(s.cost); sum >= limit && sum-s.cost < limit { // one caller reaches it
		g.compiled()
	}
	return s.best
}

// scanner tries rules on a canonical path.
type scanner struct {
	file     *File
	path     string
	form     string // path in the second form (ROB-MAT-19)
	twoForms bool   // rules are compared in the second form too
	best     found
	cost     int64
}

func newScanner(f *File, path string) scanner {
	s := scanner{file: f, path: path, form: path, best: found{place: -1}}
	if s.twoForms = !f.google.has(googleQuery) && strings.IndexByte(path, '?') >= 0; s.twoForms {
		s.form = rulepath.EscapeQuery(path)
	}
	return s
}

// try tries the next rule in file order.
func (s *scanner) try(r *ruleLine, place int) {
	written := r.value.of(s.file.text)
	n := differsAt(written, s.path)
	s.cost += 1 + int64(n/comparePart)
	if n < len(written) && class[written[n]]&unreserved != 0 && s.file.google == 0 && written[0] == '/' {
		return // this octet is the same in each form of the rule, and in no form of the path
	}
	s.cost += int64(len(written) / canonicalPart)
	var forms [2]ranked
	list := s.file.appendRanked(forms[:0], written, r.allow)
	for i := range list {
		if one := (found{place, list[i].length, r.allow}); one.before(s.best) && s.matches(list[i].pattern) {
			s.best = one
		}
	}
}

// differsAt returns where a rule as written first differs from a canonical path, or has a %.
func differsAt(written, path string) int {
	n := 0
	for n < len(written) && n < len(path) && written[n] == path[n] && written[n] != '%' {
		n++
	}
	return n
}

// before reports whether a rule that comes later in the file has precedence (ROB-MAT-04).
func (f found) before(best found) bool {
	return best.place < 0 || f.length > best.length || f.length == best.length && f.allow && !best.allow
}

// matches reports whether a canonical pattern matches the path in one of the forms.
func (s *scanner) matches(pattern string) bool {
	ok, cost := matchPattern(pattern, s.path)
	s.cost += int64(cost)
	if ok || !s.twoForms {
		return ok
	}
	form := rulepath.EscapeQuery(pattern)
	if form == pattern && s.form == s.path {
		return false
	}
	ok, cost = matchPattern(form, s.form)
	s.cost += int64(cost)
	return ok
}
