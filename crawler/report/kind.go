package report

import "time"

// Kind is a way in which a sitemap and the site do not agree.
type Kind string

// The kinds. Programs rely on their spelling.
const (
	NotLinked   Kind = "not-linked"
	NotListed   Kind = "not-listed"
	Disallowed  Kind = "disallowed"
	Redirected  Kind = "redirected"
	BrokenEntry Kind = "broken"
	Noindex     Kind = "noindex"
	Elsewhere   Kind = "canonical-elsewhere"
	FalseDate   Kind = "lastmod"
	NotEntitled Kind = "not-entitled"
	NotFetched  Kind = "not-fetched"
)

// kinds are all of them, in the order of the report, with what they mean.
var kinds = [...]struct {
	kind           Kind
	title, meaning string
}{
	{BrokenEntry, "listed but broken", "The answer is an error, or there is none."},
	{Redirected, "listed but redirected", "A sitemap should list where the redirect leads to."},
	{Disallowed, "listed but disallowed", "The sitemap invites crawlers to what robots.txt keeps them from."},
	{Noindex, "listed but noindex", "The sitemap offers a page that asks to be left out."},
	{Elsewhere, "listed but canonical elsewhere", "The page itself names another URL as the one to list."},
	{NotEntitled, "listed by a sitemap that may not", "A sitemap speaks for its own host alone, unless the other host's robots.txt names it."},
	{FalseDate, "with a lastmod that cannot be true", "The date lies ahead of the day on which it was read, or before the web."},
	{NotLinked, "listed but not linked", "No other page that was read links to it: visitors do not find it."},
	{NotListed, "linked but not listed", "An HTML page that may be indexed, on a host that has a sitemap."},
	{NotFetched, "listed but not fetched", "Nothing can be said of these."},
}

// firstWeb is when the first web site went up.
var firstWeb = time.Date(1991, 8, 6, 0, 0, 0, 0, time.UTC)

// ahead is how much a date may seem to lie ahead and be of today: it has no time
// zone, and there are some 14 hours before UTC.
const ahead = 14 * time.Hour

// Sitemaps is what sitemaps say of the site, held against the site.
type Sitemaps struct {
	Files List[SitemapFile] `json:"files"`

	Entries int           `json:"entries"`               // that are pages, in all files
	URLs    int           `json:"urls"`                  // that they list, each once
	Fine    int           `json:"fine"`                  // of these: to be fetched and to be indexed under this URL
	Faulty  int           `json:"faulty"`                // not so; the rest was not fetched
	Kinds   []Discrepancy `json:"kinds"`                 // empty where no sitemap lists a page
	Bare    List[string]  `json:"hosts_without_entries"` // hosts with pages of which no sitemap lists one

	// Inconclusive says why sitemaps may list more than is known; empty: they do not.
	Inconclusive []string `json:"inconclusive"`

	// FromTrail says that the entries are not known, but only which URLs were
	// first found in a sitemap.
	FromTrail bool `json:"from_trail"`
}

// A Discrepancy is what was found of one kind.
type Discrepancy struct {
	Kind    Kind   `json:"kind"`
	Title   string `json:"title"` // to stand after "12 URLs"
	Meaning string `json:"meaning"`

	// Inconclusive says why there may be more than was found, or what was found
	// may be nothing; empty: it is all there is.
	Inconclusive []string `json:"inconclusive"`

	URLs List[Discrepant] `json:"urls"`
}

// A Discrepant is one URL, or for FalseDate one entry.
type Discrepant struct {
	URL     string    `json:"url"`
	Sitemap string    `json:"sitemap,omitempty"` // the first by name that lists it
	Detail  string    `json:"detail,omitempty"`
	LastMod time.Time `json:"lastmod,omitzero"`
}
