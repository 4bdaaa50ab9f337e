package robotstag

import "strings"

// Usage says what content may be used for, by category: "search", "train-ai".
// True grants, false refuses; of a category that is not there nothing is said.
type Usage map[string]bool

// ParseUsage reads the value of a Content-Usage header (draft-ietf-aipref-attach,
// ROB-EXT-05): a dictionary of structured fields whose values are the tokens y and
// n. Several lines of the header are one value with commas between. Of a category
// given twice the last counts; other values say nothing. It returns nil if value is
// no such dictionary.
func ParseUsage(value string) Usage {
	f := &field{strings.Trim(value, " ")}
	usage := Usage{}
	for more := true; more; {
		key, ok := f.key()
		if !ok {
			return nil
		}
		delete(usage, key)
		var it item
		if f.skip('=') {
			it, _, ok = f.member()
		} else {
			_, ok = f.params()
		}
		if !ok {
			return nil
		}
		if it.kind == 't' && (it.text == "y" || it.text == "n") {
			usage[key] = it.text == "y"
		}
		if more, ok = f.next(); !ok {
			return nil
		}
	}
	return usage
}
