package robotstag

import "strings"

// A Rel is what the rel attribute of a link says to a crawler.
type Rel struct {
	NoFollow  bool // the author of the page does not vouch for it
	UGC       bool // it was written by a visitor
	Sponsored bool // it was paid for
}

// ParseRel reads a rel attribute: words with spaces or commas between them, in any
// case. Other words are about the link's meaning, not about crawling.
func ParseRel(rel string) Rel {
	return Rel{NoFollow: hasWord(rel, "nofollow"), UGC: hasWord(rel, "ugc"), Sponsored: hasWord(rel, "sponsored")}
}

// Follow reports whether a crawler follows the link, as far as the link is
// concerned: not if any of the three words is there.
func (r Rel) Follow() bool { return r == Rel{} }

// hasWord reports whether a list of words with spaces or commas between them has
// word, which is in lower case.
func hasWord(list, word string) bool {
	for w := range strings.FieldsFuncSeq(list, func(c rune) bool { return c == ',' || c <= ' ' }) {
		if strings.EqualFold(w, word) {
			return true
		}
	}
	return false
}
