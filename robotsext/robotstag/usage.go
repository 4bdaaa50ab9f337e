package robotstag

import "github.com/politecrawl/politecrawl/robotsext/internal/sfv"

// Usage says what content may be used for, by category: "search", "train-ai".
// True grants, false refuses; of a category that is not there nothing is said.
type Usage map[string]bool

// ParseUsage reads the value of a Content-Usage header (draft-ietf-aipref-attach,
// ROB-EXT-05): a dictionary of structured fields whose values are the tokens y and
// n. Several lines of the header are one value with commas between. Of a category
// given twice the last counts; other values say nothing. It returns nil if value is
// no such dictionary.
func ParseUsage(value string) Usage { return sfv.Usage(value) }
