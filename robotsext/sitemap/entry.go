package sitemap

import "time"

// DefaultPriority is the priority of an entry that states none.
const DefaultPriority = 0.5

// Entry is one thing that a sitemap lists: a page, or, in a sitemap index,
// another sitemap.
type Entry struct {
	// Loc is the absolute URL, in ASCII: a host name in another script is
	// in punycode, other characters outside ASCII are percent-encoded.
	Loc string

	// Sitemap tells that Loc is a sitemap listed by an index, not a page.
	Sitemap bool

	// LastMod is when Loc last changed, in UTC, as the site states it.
	// The zero time: not stated, or not readable.
	LastMod time.Time

	// ChangeFreq is always, hourly, daily, weekly, monthly, yearly or
	// never; "" if not stated. A hint.
	ChangeFreq string

	// Priority is between 0 and 1, relative to the other pages of the
	// site; DefaultPriority if not stated. A hint.
	Priority float32

	// Line is the line, counted from 1, on which the entry begins.
	Line int
}
