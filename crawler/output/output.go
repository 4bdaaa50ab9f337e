// Package output writes the results of a crawl as JSON Lines files in a directory, and reads
// them.
//
//	pages.jsonl      each fetched page: Page
//	rejected.jsonl   each skipped URL, with the reason: Rejection
//	links.jsonl      the links of each page: Links
//	sitemaps.jsonl   each sitemap file that was requested: Sitemap
//	entries.jsonl    each page that a sitemap lists: Entry
//	robots.jsonl     each fetch of a robots.txt, with its outcome
//	robots/          the latest version of each robots.txt
//	crawl.json       the configuration, and how the crawl ended
//
// The directory also has the state that a crawl needs to resume: frontier and journal.
// SCHEMA.md describes all fields.
//
// To read results, during the crawl too, range over [Read] of a type of line:
//
//	for page, err := range output.Read[output.Page]("example") {
//		...
//	}
//
// # Other formats
//
// A [Sink] writes results elsewhere: into a table, an archive, a live view. A [Format] names a
// kind of sink and opens it. Packages csvout, sqlite and warc are formats. Sink.Commit returns
// a mark, a checkpoint from which Format.Open resumes after a kill.
//
// # Compatibility
//
// Scripts read these fields. New fields are appended. Existing fields keep their meaning, or the
// version in crawl.json changes.
package output

import (
	"net/netip"
	"time"
)

// Page is a URL that returned a response: one line of pages.jsonl.
type Page struct {
	URL         string          `json:"url"`
	Status      int             `json:"status"`
	Title       string          `json:"title"`
	Depth       int             `json:"depth"`    // links away from a start URL or a sitemap entry
	FoundOn     string          `json:"found_on"` // the page, sitemap or redirect where it was found; empty for a start URL
	Source      string          `json:"source"`   // start, sitemap, link or redirect
	Location    string          `json:"location,omitempty"`
	ContentType string          `json:"content_type"`
	Bytes       int             `json:"bytes"` // of the body that was read, decoded
	Links       int             `json:"links"` // number of links, of every kind, with repeated ones
	Canonical   string          `json:"canonical,omitempty"`
	Directives  []Directive     `json:"directives,omitempty"`
	Usage       map[string]bool `json:"content_usage,omitempty"` // from a Content-Usage header: true if allowed, false if not
	Withheld    string          `json:"withheld,omitempty"`      // the directive for which title and content are left out
	FetchedAt   time.Time       `json:"fetched_at"`
	DurationMS  int64           `json:"duration_ms"` // from the start of the request to the end of the body
	Attempt     int             `json:"attempt"`

	Hash         string         `json:"hash,omitempty"`          // XXH64 of the body as read, in hexadecimal
	Unchanged    bool           `json:"unchanged,omitempty"`     // status 304, or the same body as at the last fetch
	DuplicateOf  string         `json:"duplicate_of,omitempty"`  // a page fetched before with the same body
	Fields       map[string]any `json:"fields,omitempty"`        // by the names of the extract rules: a string, or a list of them
	Truncated    string         `json:"truncated,omitempty"`     // the limit that cut the body short: max-body or ratio
	LinksSkipped int            `json:"links_skipped,omitempty"` // of Links, those to URLs beyond a limit, which are skipped
	CutBy        []string       `json:"cut_by,omitempty"`        // the limits that cut something off: the body, links, fields
}

// Links are the links of a page: one line of links.jsonl, for a page that has any. For a 304 they
// are the links of the previous crawl, possibly none.
type Links struct {
	URL string   `json:"url"`
	To  []string `json:"to"` // absolute, without fragments, each once, in the order of the page, with those not followed
}

// Sitemap is a sitemap file that was requested: one line of sitemaps.jsonl.
type Sitemap struct {
	URL       string    `json:"url"`
	Status    int       `json:"status"`
	Host      string    `json:"host"`     // the origin whose robots.txt lists it, directly or through an index
	FoundOn   string    `json:"found_on"` // the robots.txt or index that lists it; empty: it was probed
	Nested    int       `json:"nested"`   // number of indexes above it
	Pages     int       `json:"pages"`    // entries that are pages
	Sitemaps  int       `json:"sitemaps"` // entries that are sitemaps
	Detail    string    `json:"detail,omitempty"`
	FetchedAt time.Time `json:"fetched_at"`
}

// Entry is a page that a sitemap lists: one line of entries.jsonl. A page that is
// listed twice has two.
type Entry struct {
	URL     string    `json:"url"`     // in the form of pages.jsonl
	Sitemap string    `json:"sitemap"` // the file that lists it
	LastMod time.Time `json:"lastmod,omitzero"`
}

// Directive is a robots directive of a page, such as noindex or nofollow.
type Directive struct {
	Rule   string `json:"rule"`
	Source string `json:"source"` // the header line or meta element that has it
}

// Rejection is a skipped URL: one line of rejected.jsonl.
type Rejection struct {
	URL       string `json:"url"`
	Reason    Reason `json:"reason"`
	Rule      string `json:"rule"`       // the deciding line of robots.txt, as "Disallow: /x"; empty if no rule decided
	Line      int    `json:"line"`       // its line number, from 1; 0 if no rule decided
	RobotsURL string `json:"robots_url"` // the robots.txt that has the rule
	Group     string `json:"group,omitempty"`
	Depth     int    `json:"depth"`
	FoundOn   string `json:"found_on"`
	Source    string `json:"source"`
	Detail    string `json:"detail,omitempty"` // explanation for a person

	Addr netip.Addr `json:"addr,omitzero"` // of BlockedAddress: the refused address, if a request found it

	RetryAt time.Time `json:"retry_at,omitzero"` // of RobotsUnreachable and Deferred: the earliest time to try again

	// Announced reports whether the URL was in [Found.Skipped] before, in this process or an
	// earlier one of the crawl.
	Announced bool `json:"-"`
}

// Reason is why a URL was skipped.
type Reason string

// The reasons. Scripts rely on their spelling.
const (
	Disallowed        Reason = "disallowed"          // a rule of robots.txt
	RobotsUnreachable Reason = "robots-unreachable"  // robots.txt could not be fetched until the crawl ended
	Deferred          Reason = "deferred"            // the host allowed no request until the crawl ended: Retry-After, Visit-time
	OutOfScope        Reason = "out-of-scope"        // not on a host of the crawl
	NotAuthorized     Reason = "not-authorized"      // listed only in a sitemap that is not authorized for its host
	Unchanged         Reason = "unchanged"           // its sitemap says that it has not changed since the date of since
	MaxDepth          Reason = "max-depth"           // more links away than max-depth
	Nofollow          Reason = "nofollow"            // every link to it is nofollow
	Failed            Reason = "failed"              // no complete response after all retries
	InvalidURL        Reason = "invalid-url"         // not a URL that can be requested
	TooManyRedirects  Reason = "too-many-redirects"  // the last of a chain of redirects that is too long
	DuplicateURL      Reason = "duplicate-url"       // another URL of the same page, by its query parameters
	MaxHostPages      Reason = "max-host-pages"      // its host has reached max-host-pages
	Trap              Reason = "trap"                // too many URLs of its pattern had no new content and led to more of them
	RepeatedSegment   Reason = "repeated-segment"    // a path segment repeats more than max-repeats times
	TooLong           Reason = "too-long"            // more bytes, query parameters or path segments than allowed
	MaxHosts          Reason = "max-hosts"           // its host is new, and the crawl has reached max-hosts
	MaxSitemapEntries Reason = "max-sitemap-entries" // a sitemap that is not read: its host has reached max-sitemap-entries
	BlockedAddress    Reason = "blocked-address"     // its host, or its robots.txt redirect, is at an address that is not allowed
)
