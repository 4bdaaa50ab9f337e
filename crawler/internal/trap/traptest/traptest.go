// Package traptest writes the texts of pages for tests of spider traps.
package traptest

import (
	"math/rand/v2"
	"strconv"
	"strings"
)

// Prose returns a text that only this seed gives.
func Prose(seed uint64, words int) string {
	random := rand.New(rand.NewPCG(seed, 1))
	var b strings.Builder
	for range words {
		for range 3 + random.IntN(6) {
			b.WriteByte('a' + byte(random.IntN(26)))
		}
		b.WriteByte(' ')
	}
	return b.String()
}

// Slug is the name of an article, which ends in its number.
func Slug(i int) string {
	return strings.ReplaceAll(strings.TrimSpace(Prose(uint64(i), 3)), " ", "-") + "-" + strconv.Itoa(i)
}
