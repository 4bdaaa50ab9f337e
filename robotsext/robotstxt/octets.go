package robotstxt

import "math/bits"

// The parser searches text eight octets at a time, in one machine word.
const (
	ones  = 0x0101010101010101 // multiplied by an octet: the octet in every byte of a word
	highs = 0x80 * ones        // the highest bit of every byte
)

// eight returns the octets of s from i on, the first in the lowest byte. It
// compiles to one load.
func eight(s string, i int) uint64 {
	s = s[i : i+8]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// below sets the highest bit of each byte of x that is less than limit, which is at
// most 0x80. Only the lowest bit set is reliable.
//
// Subtracting limit from a smaller byte borrows, which sets the highest bit.
// Octets from 0x80 have the bit set already, so &^x clears it. A borrow from the next
// lower byte may set it too, but then the lower byte has its bit set.
func below(x uint64, limit byte) uint64 {
	return (x - uint64(limit)*ones) &^ x & highs
}

// indexControl returns the position of the first control character of s from i
// on, or len(s) if there is none.
func indexControl(s string, i int) int { return indexControlOr(s, i, 0) }

// indexControlOr is indexControl for control characters and b. It searches sixteen octets
// at once, since most values are shorter than that.
func indexControlOr(s string, i int, b byte) int {
	bs := uint64(b) * ones
	for ; i+16 <= len(s); i += 16 {
		x, y := eight(s, i), eight(s, i+8)
		low := below(x, ' ') | below(x^bs, 1)
		high := below(y, ' ') | below(y^bs, 1)
		if low|high != 0 {
			n := bits.TrailingZeros64(low)
			if low == 0 { // and so n is 64
				n += bits.TrailingZeros64(high)
			}
			return i + n/8
		}
	}
	for i < len(s) && s[i] >= ' ' && s[i] != b {
		i++
	}
	return i
}
