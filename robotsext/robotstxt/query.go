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
	ranked []ranked
	once   sync.Once
	all    index // the rules that an escaped query can match in another way
	own    bool  // some rule has such characters in its own query
}

// match is index.match on the second form.
func (q *queryIndex) match(path string, rank int32) int32 {
	if len(q.ranked) == 0 || strings.IndexByte(path, '?') < 0 {
		return rank
	}
	q.once.Do(q.compile)
	if len(q.all.prefixes) == 0 {
		return rank
	}
	form := escapeQuery(path)
	if form == path && !q.own {
		return rank
	}
	return q.all.match(form, rank)
}

func (q *queryIndex) compile() {
	q.all = newIndex(q.ranked, func(r *ranked) (string, bool) {
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
// match an escape made by it: if it holds a %, or goes on after a star with
// what such an escape ends in.
func meetsEscapes(pattern string) bool {
	if strings.IndexByte(pattern, '%') >= 0 {
		return true
	}
	for i := strings.IndexByte(pattern, '*'); i >= 0 && i+1 < len(pattern); i++ {
		if pattern[i] == '*' && strings.IndexByte("2345ABDF0", pattern[i+1]) >= 0 {
			return true
		}
	}
	return false
}
