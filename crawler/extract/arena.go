package extract

import "strings"

// arenaSize is what an arena takes from the heap at a time, in bytes: enough for
// the links of a page of average size.
const arenaSize = 2 << 10

// An arena keeps many short strings in few allocations. A string keeps its whole
// block alive, so it is for strings with the same lifetime, such as the strings
// of a Document.
type arena struct {
	block strings.Builder
}

// keep returns b as a string.
func (a *arena) keep(b []byte) string {
	if a.block.Cap()-a.block.Len() < len(b) {
		a.block.Reset()
		a.block.Grow(max(len(b), arenaSize))
	}
	start := a.block.Len()
	a.block.Write(b)
	return a.block.String()[start:]
}
