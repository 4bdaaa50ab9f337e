package robotstag

import "strings"

// Rel holds the values of a link's rel attribute that concern crawlers.
type Rel struct {
	NoFollow  bool // the author of the page does not endorse the link
	UGC       bool // a visitor to the site wrote the link
	Sponsored bool // the link is an advertisement
}

// ParseRel parses a rel attribute: words in any case, separated by spaces or commas.
// It ignores words that do not concern crawling.
func ParseRel(rel string) Rel {
	return Rel{NoFollow: hasWord(rel, "nofollow"), UGC: hasWord(rel, "ugc"), Sponsored: hasWord(rel, "sponsored")}
}

// Follow reports whether a crawler may follow the link: false if any of the three
// values is set.
func (r Rel) Follow() bool { return r == Rel{} }

// hasWord reports whether list, separated by spaces or commas, contains word. Word is in lower
// case.
func hasWord(list, word string) bool {
	for w := range strings.FieldsFuncSeq(list, func(c rune) bool { return c == ',' || c <= ' ' }) {
		if strings.EqualFold(w, word) {
			return true
		}
	}
	return false
}
