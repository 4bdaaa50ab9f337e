package robotstag

import "github.com/politecrawl/politecrawl/robotsext/internal/sfv"

// Usage says what content may be used for, by category: "search", "train-ai".
// True grants, false refuses; of a category that is not there nothing is said.
type Usage map[string]bool

// ParseUsage parses the value of a Content-Usage header (draft-ietf-aipref-attach): a
// dictionary of structured fields whose values are the tokens y and n. Join several header
// lines by commas. If a category is given twice, the last value counts; other values are
// ignored. It returns nil if value is no such dictionary.
func ParseUsage(value string) Usage { return sfv.Usage(value) }
