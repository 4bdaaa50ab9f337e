package robotstag

import "github.com/politecrawl/politecrawl/robotsext/internal/sfv"

// Usage says what content may be used for, by category such as "search" or "train-ai".
// True grants the use and false refuses it. A category without an entry has no
// preference.
type Usage map[string]bool

// ParseUsage parses the value of a Content-Usage header (draft-ietf-aipref-attach): a
// dictionary of structured fields with the tokens y and n. Join several header lines
// with commas. The last value of a category counts; other values are ignored. It
// returns nil if value is not a valid dictionary.
func ParseUsage(value string) Usage { return sfv.Usage(value) }
