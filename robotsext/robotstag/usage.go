package robotstag

import "github.com/politecrawl/politecrawl/robotsext/internal/sfv"

// Usage says what content may be used for, by category such as "search" or "train-ai".
// True grants the use and false refuses it. A category without an entry has no
// preference.
type Usage map[string]bool

// ParseUsage parses the value of a Content-Usage header (draft-ietf-aipref-attach): a
// Structured Fields Dictionary (RFC 9651) with the tokens y and n. Join several header
// lines with commas. If a category is repeated, its last value counts. A value other than
// y and n states no preference. ParseUsage returns nil if value is not a valid
// dictionary.
func ParseUsage(value string) Usage { return sfv.Usage(value) }
