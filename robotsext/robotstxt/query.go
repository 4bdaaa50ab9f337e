package robotstxt

import (
	"strings"
	"sync"
)

// querySigns are the characters that some write raw in a query and others escape.
// RFC 9309 takes the two for equal in figure 4 (ROB-MAT-19, D10). An apostrophe is
// one of them, since browsers and colly escape it, and net/http does not. [ ] are
// too, but they are escaped in the first form already.
const querySigns = ":/?@'"

// queryIndex compares rules and URLs in a second form, in which the querySigns of
// the query are escaped on both sides.
type queryIndex struct {
	ranked  []ranked  // all rules
	changed lateIndex // those that are different in the second form
	meeting lateIndex // those that may match an escape that makes a path different
}

// match is index.match on the second form.
func (q *queryIndex) match(path string, rank int32) int32 {
	if strings.IndexByte(path, '?') < 0 {
		return rank
	}
	form := escapeQuery(path)
	rank = q.changed.of(q.ranked, changes).match(form, rank)
	if form != path {
		rank = q.meeting.of(q.ranked, meetsEscapes).match(form, rank)
	}
	return rank
}

// lateIndex is an index made when it is first asked for.
type lateIndex struct {
	once sync.Once
	index
}

// of returns the index, which is that of some of the rules in their second form.
func (x *lateIndex) of(rules []ranked, belongs func(pattern string) bool) *index {
	x.once.Do(func() {
		for _, r := range rules {
			if belongs(r.pattern) {
				r.pattern = escapeQuery(r.pattern)
				x.ranked = append(x.ranked, r)
			}
		}
	})
	return &x.index
}

// changes reports whether a rule is different in the second form.
func changes(pattern string) bool { return escapeQuery(pattern) != pattern }

// escapeQuery escapes what follows the first question mark.
func escapeQuery(s string) string {
	start := strings.IndexByte(s, '?') + 1
	if start == 0 {
		return s
	}
	same := start
	for same < len(s) && class[s[same]]&querySign == 0 {
		same++
	}
	if same == len(s) {
		return s
	}
	out := append(make([]byte, 0, len(s)+16), s[:same]...)
	for i := same; i < len(s); i++ {
		if class[s[i]]&querySign != 0 {
			out = appendEscape(out, s[i])
		} else {
			out = append(out, s[i])
		}
	}
	return string(out)
}

// meetsEscapes reports whether a rule may match an escape made by escapeQuery, or
// a part of one, that it has not in the same place: whether a piece of it between
// stars may lie across one.
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
