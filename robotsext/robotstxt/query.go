package robotstxt

import (
	"strings"
	"sync"

	"github.com/politecrawl/politecrawl/robotsext/internal/rulepath"
)

// queryIndex compares rules and URLs in a second form. In that form some characters of the
// query are escaped in both (ROB-MAT-19).
type queryIndex struct {
	ranked  []ranked  // all rules
	changed lateIndex // rules that differ in the second form
	meeting lateIndex // rules that may match an escape of the second form
}

// match is index.match on the second form.
func (q *queryIndex) match(path string, rank int32) int32 {
	if strings.IndexByte(path, '?') < 0 {
		return rank
	}
	form := rulepath.EscapeQuery(path)
	rank = q.changed.of(q.ranked, changes).match(form, rank)
	if form != path {
		rank = q.meeting.of(q.ranked, meetsEscapes).match(form, rank)
	}
	return rank
}

// lateIndex is an index that is built on first use.
type lateIndex struct {
	once sync.Once
	index
}

// of returns the index of the rules for which belongs is true, in their second form.
func (x *lateIndex) of(rules []ranked, belongs func(pattern string) bool) *index {
	x.once.Do(func() {
		for _, r := range rules {
			if belongs(r.pattern) {
				r.pattern = rulepath.EscapeQuery(r.pattern)
				x.ranked = append(x.ranked, r)
			}
		}
	})
	return &x.index
}

// changes reports whether a rule differs in the second form.
func changes(pattern string) bool { return rulepath.EscapeQuery(pattern) != pattern }

// meetsEscapes reports whether a rule may match an escape by rulepath.EscapeQuery, or a part
// of one, that it does not contain itself: whether one of its pieces between stars may
// overlap such an escape.
func meetsEscapes(pattern string) bool {
	if !strings.ContainsAny(pattern, "%*") {
		return false // it begins before the query
	}
	for piece := range strings.SplitSeq(strings.TrimSuffix(pattern, "$"), "*") {
		for _, escape := range [...]string{"%3A", "%2F", "%3F", "%40", "%27"} {
			if piece != "" && (strings.Contains(piece, escape) || strings.Contains(escape, piece) ||
				strings.HasPrefix(piece, escape[1:]) || strings.HasPrefix(piece, escape[2:]) ||
				strings.HasSuffix(piece, escape[:1]) || strings.HasSuffix(piece, escape[:2])) {
				return true
			}
		}
	}
	return false
}
