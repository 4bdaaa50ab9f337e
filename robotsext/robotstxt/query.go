package robotstxt

import (
	"strings"
	"sync"
)

// queryIndex compares rules and URLs in a second form, in which the characters
// : / ? @ [ ] of the query are escaped on both sides: few sites and browsers
// agree on whether they are, and RFC 9309 takes the forms for equal in figure 4
// (ROB-MAT-19, D10).
type queryIndex struct {
	ranked []ranked // all rules
	once   sync.Once
	index  index // the rules that the second form can make match
	own    bool  // some rule has such characters in its own query
}

// match is index.match on the second form.
func (q *queryIndex) match(path string, rank int32) int32 {
	if len(q.ranked) == 0 || strings.IndexByte(path, '?') < 0 {
		return rank
	}
	q.once.Do(q.compile)
	if len(q.index.prefixes) == 0 {
		return rank
	}
	form := escapeQuery(path)
	if form == path && !q.own {
		return rank
	}
	return q.index.match(form, rank)
}

func (q *queryIndex) compile() {
	q.index = newIndex(q.ranked, func(r *ranked) (string, bool) {
		form := escapeQuery(r.pattern)
		if form != r.pattern {
			q.own = true
			return form, true
		}
		return form, meetsEscapes(form)
	})
}

// queryEscapes are the characters that the second form escapes.
const queryEscapes = ":/?@[]"

// escapeQuery escapes what follows the first question mark.
func escapeQuery(s string) string {
	start := strings.IndexByte(s, '?') + 1
	if start == 0 || !strings.ContainsAny(s[start:], queryEscapes) {
		return s
	}
	out := append(make([]byte, 0, len(s)+16), s[:start]...)
	for i := start; i < len(s); i++ {
		if strings.IndexByte(queryEscapes, s[i]) >= 0 {
			out = appendEscape(out, s[i])
		} else {
			out = append(out, s[i])
		}
	}
	return string(out)
}

// meetsEscapes reports whether a rule that escapeQuery does not change may
// match an escape made by it, or a part of one: whether a piece of it between
// stars may lie across one.
func meetsEscapes(pattern string) bool {
	if !strings.ContainsAny(pattern, "%*") {
		return false // it begins before the query
	}
	for piece := range strings.SplitSeq(strings.TrimSuffix(pattern, "$"), "*") {
		for _, escape := range [...]string{"%3A", "%2F", "%3F", "%40", "%5B", "%5D"} {
			if piece != "" && (strings.Contains(piece, escape) || strings.Contains(escape, piece) ||
				strings.HasPrefix(piece, escape[1:]) || strings.HasPrefix(piece, escape[2:]) ||
				strings.HasSuffix(piece, escape[:1]) || strings.HasSuffix(piece, escape[:2])) {
				return true
			}
		}
	}
	return false
}
