package robotstxt

import "strings"

// pattern is a canonical rule path made ready for matching: a literal prefix,
// and what follows the first star.
type pattern struct {
	prefix   string
	rest     string // after the first *; pieces separated by further stars, never ending in one
	wild     bool   // there is a rest to look for
	anchored bool   // the URL has to end where the pattern does
}

// splitPattern drops what changes no match: stars at the end (ROB-MAT-08), and
// a $ after a star.
func splitPattern(s string) pattern {
	var p pattern
	s, p.anchored = strings.CutSuffix(s, "$")
	if t := strings.TrimRight(s, "*"); len(t) < len(s) {
		s, p.anchored = t, false
	}
	p.prefix, p.rest, p.wild = strings.Cut(s, "*")
	return p
}

// withoutRuns makes one star of stars that stand side by side.
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

// matchRest reports whether s, what follows the prefix in a path, matches what
// follows the first star. Each piece is taken where it first occurs: that
// leaves most room for the others, so nothing ever has to be tried again and
// the cost is that of looking through s once (ROB-MAT-26).
func (p *pattern) matchRest(s string) bool {
	rest := p.rest
	for {
		rest = strings.TrimLeft(rest, "*") // several are as good as one
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

// The costs of trying a pattern, where looking at it costs 1.
const (
	comparePart = 8  // octets of its beginning that were compared
	searchPart  = 4  // octets of the path, which was searched for what follows a star
	starPart    = 32 // octets of the pattern, which was gone through for its stars
)

// matchPattern reports whether a canonical pattern matches a canonical path, and
// about what it cost to tell. It is for a pattern that has not been made ready, and
// quick to see that most do not match.
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

// writtenPattern makes a rule path as written ready for matching without an
// index, with its length: for lines that are few.
func writtenPattern(written string) (p pattern, length int) {
	canonical, length := canonicalRule(written, 0)
	return splitPattern(canonical).withoutRuns(), length
}

// match reports whether the pattern matches a canonical path.
func (p *pattern) match(path string) bool {
	s, ok := strings.CutPrefix(path, p.prefix)
	return ok && p.matchAfter(s)
}

// matchAfter is match for what follows the prefix in a path.
func (p *pattern) matchAfter(s string) bool {
	if p.wild {
		return p.matchRest(s)
	}
	return s == "" || !p.anchored
}

// signature is a digest of the octets of a string and of its pairs of
// neighbours. A string can only hold another if its signature covers the
// other's.
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

// signature covers what has to be in the path beyond the prefix.
func (p *pattern) signature() signature {
	var sig signature
	for piece := range strings.SplitSeq(p.rest, "*") {
		sig.add(piece)
	}
	return sig
}
