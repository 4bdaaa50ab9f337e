package robotstxt

import "strings"

// pattern is a canonical rule path, prepared for matching: a literal prefix and the rest
// after the first star.
type pattern struct {
	prefix   string
	rest     string // after the first *; pieces separated by stars, without a star at the end
	wild     bool   // the path has a star before its end
	anchored bool   // the URL must end where the pattern ends
}

// splitPattern splits a canonical path. It drops stars at the end and a $ after a star,
// which do not change matches (ROB-MAT-08).
func splitPattern(s string) pattern {
	var p pattern
	s, p.anchored = strings.CutSuffix(s, "$")
	if t := strings.TrimRight(s, "*"); len(t) < len(s) {
		s, p.anchored = t, false
	}
	p.prefix, p.rest, p.wild = strings.Cut(s, "*")
	return p
}

// withoutRuns replaces runs of stars with one star.
func (p pattern) withoutRuns() pattern {
	if !p.wild {
		return p
	}
	p.rest = strings.TrimLeft(p.rest, "*")
	for strings.Contains(p.rest, "**") {
		p.rest = strings.ReplaceAll(p.rest, "**", "*")
	}
	return p
}

// matchRest reports whether s, a path after the prefix, matches the rest after the first
// star. It uses the first occurrence of each piece, which leaves most room for the next
// ones. So it needs no backtracking and searches s only once (ROB-MAT-26).
func (p *pattern) matchRest(s string) bool {
	rest := p.rest
	for {
		rest = strings.TrimLeft(rest, "*") // several stars equal one
		star := strings.IndexByte(rest, '*')
		if star < 0 {
			break
		}
		i := strings.Index(s, rest[:star])
		if i < 0 {
			return false
		}
		s, rest = s[i+star:], rest[star+1:]
	}
	if p.anchored {
		return strings.HasSuffix(s, rest)
	}
	return strings.Contains(s, rest)
}

// Octets that add 1 to the cost of trying a pattern, which is at least 1.
const (
	comparePart = 8  // compared octets of the prefix
	searchPart  = 4  // searched octets of the path
	starPart    = 32 // octets of the pattern, which is searched for stars
)

// matchPattern reports whether a canonical pattern matches a canonical path, with the
// approximate cost. The pattern need not be prepared. Most patterns fail quickly.
func matchPattern(canonical, path string) (matches bool, cost int) {
	i := 0
	for i < len(canonical) && canonical[i] != '*' && canonical[i] != '$' {
		if i == len(path) || canonical[i] != path[i] {
			return false, 1 + i/comparePart
		}
		i++
	}
	cost = 1 + i/comparePart
	if i == len(canonical) {
		return true, cost
	}
	p := splitPattern(canonical)
	return p.match(path), cost + len(path)/searchPart + len(canonical)/starPart
}

// writtenPattern prepares a path as written for matching without an index, and returns
// its length.
func writtenPattern(written string) (p pattern, length int) {
	canonical, length := canonicalRule(written, 0)
	return splitPattern(canonical).withoutRuns(), length
}

// Pattern is the path of a rule, for formats that use the patterns of robots.txt.
type Pattern struct{ pattern pattern }

// NewPattern prepares a path as written in a rule. It accepts any string.
func NewPattern(written string) Pattern {
	p, _ := writtenPattern(written)
	return Pattern{p}
}

// Size returns the bytes of the prepared pattern. The path as written may stay in memory too.
func (p Pattern) Size() int { return len(p.pattern.prefix) + len(p.pattern.rest) }

// Match reports whether the pattern matches a path, with its query if it has one. Both
// are compared in canonical form, as Group.Match does.
func (p Pattern) Match(pathAndQuery string) bool {
	return p.pattern.match(canonicalPath(pathAndQuery, 0))
}

// match reports whether the pattern matches a canonical path.
func (p *pattern) match(path string) bool {
	s, ok := strings.CutPrefix(path, p.prefix)
	return ok && p.matchAfter(s)
}

// matchAfter is match for s, a path after the prefix.
func (p *pattern) matchAfter(s string) bool {
	if p.wild {
		return p.matchRest(s)
	}
	return s == "" || !p.anchored
}

// signature is a digest of the octets of a string and of its pairs of adjacent octets. A
// string contains another only if its signature covers the other signature.
type signature struct{ octets, pairs uint64 }

func (s *signature) add(text string) {
	for i := 0; i < len(text); i++ {
		s.octets |= 1 << (text[i] & 63)
		if i > 0 {
			s.pairs |= 1 << ((text[i-1]*37 + text[i]) & 63)
		}
	}
}

func (s signature) covers(t signature) bool {
	return t.octets&^s.octets == 0 && t.pairs&^s.pairs == 0
}

// signature returns the digest of the pieces that the path must contain after the prefix.
func (p *pattern) signature() signature {
	var sig signature
	for piece := range strings.SplitSeq(p.rest, "*") {
		sig.add(piece)
	}
	return sig
}
