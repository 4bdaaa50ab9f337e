// Package output writes what a crawl found, and reads it back: a directory of files, of
// which those of lines have one JSON object on each.
//
//	pages.jsonl      each page that was fetched: Page
//	rejected.jsonl   each URL that was left alone, and why: Rejection
//	links.jsonl      which page links to which URLs: Links
//	sitemaps.jsonl   each sitemap file that was asked for: Sitemap
//	entries.jsonl    each page that a sitemap lists: Entry
//	robots.jsonl     each fetch of a robots.txt, with what is known of it
//	robots/          every robots.txt as it was last
//	crawl.json       the configuration, and how the crawl ended
//
// A crawl also keeps there what it needs to go on: its frontier and its journal.
//
// To look at what a crawl found, range over [Read] of a type of line, also while it runs:
//
//	for page, err := range output.Read[output.Page]("example") {
//
// # Other forms
//
// A [Sink] is another place for what is found: a table, an archive, a view. A [Format]
// says what it is called and how it is opened. Packages csvout, sqlite and warc are
// formats. A sink has a mark, with which it goes on where a killed crawl does.
//
// # Names
//
// The field names are a contract: scripts read them. A field that is added later
// goes after those that are there, and none changes its meaning.
package output

import (
	"net/netip"
	"time"
)

// Page is a URL that was fetched and answered: one line of pages.jsonl.
type Page struct {
	URL         string          `json:"url"`
	Status      int             `json:"status"`
	Title       string          `json:"title"`
	Depth       int             `json:"depth"`    // links away from a start URL or a sitemap entry
	FoundOn     string          `json:"found_on"` // the page, sitemap or redirect it was found in; empty for a start URL
	Source      string          `json:"source"`   // start, sitemap, link or redirect
	Location    string          `json:"location,omitempty"`
	ContentType string          `json:"content_type"`
	Bytes       int             `json:"bytes"` // of the body that was read, decoded
	Links       int             `json:"links"` // that the page holds, of every kind, repeated ones too
	Canonical   string          `json:"canonical,omitempty"`
	Directives  []Directive     `json:"directives,omitempty"`
	Usage       map[string]bool `json:"content_usage,omitempty"` // of a Content-Usage header: what is granted, what refused
	Withheld    string          `json:"withheld,omitempty"`      // the directive for which title and content are left out
	FetchedAt   time.Time       `json:"fetched_at"`
	DurationMS  int64           `json:"duration_ms"` // from the start of the request to the end of the body
	Attempt     int             `json:"attempt"`

	Hash         string         `json:"hash,omitempty"`          // of the body as it was read: 64 bits of XXH64, hexadecimal
	Unchanged    bool           `json:"unchanged,omitempty"`     // the site says so (304), or the body is the one of the last fetch
	DuplicateOf  string         `json:"duplicate_of,omitempty"`  // a page fetched before with the same body
	Fields       map[string]any `json:"fields,omitempty"`        // by the names of the extract rules: a string, or a list of them
	Truncated    string         `json:"truncated,omitempty"`     // the limit that cut the body short: max-body or ratio
	LinksSkipped int            `json:"links_skipped,omitempty"` // of Links, those to URLs beyond a limit, which were not taken up
	CutBy        []string       `json:"cut_by,omitempty"`        // the limits that cut something off: the body, links, fields
}

// Links are the links of a page: one line of links.jsonl, for a page that has any. A page that
// answers 304 has those of the crawl before, and a line without links if it had none.
type Links struct {
	URL string   `json:"url"`
	To  []string `json:"to"` // absolute, without fragments, each once, in the order of the page; also those not followed
}

// Sitemap is a sitemap file that was asked for: one line of sitemaps.jsonl.
type Sitemap struct {
	URL       string    `json:"url"`
	Status    int       `json:"status"`
	Host      string    `json:"host"`     // the origin whose robots.txt listed it, by itself or by an index
	FoundOn   string    `json:"found_on"` // the robots.txt or index it is listed in; empty: it was looked for
	Nested    int       `json:"nested"`
	Pages     int       `json:"pages"`    // entries that are pages
	Sitemaps  int       `json:"sitemaps"` // entries that are sitemaps
	Detail    string    `json:"detail,omitempty"`
	FetchedAt time.Time `json:"fetched_at"`
}

// Entry is a page that a sitemap lists: one line of entries.jsonl. A page that is
// listed twice has two.
type Entry struct {
	URL     string    `json:"url"`     // in the form in which pages.jsonl would have it
	Sitemap string    `json:"sitemap"` // the file that lists it
	LastMod time.Time `json:"lastmod,omitzero"`
}

// Directive is one thing that a page asks of crawlers: noindex, nofollow, ...
type Directive struct {
	Rule   string `json:"rule"`
	Source string `json:"source"` // the header line or meta element it stands in
}

// Rejection is a URL that was left alone: one line of rejected.jsonl.
type Rejection struct {
	URL       string `json:"url"`
	Reason    Reason `json:"reason"`
	Rule      string `json:"rule"`       // the deciding line of robots.txt, as "Disallow: /x"; empty where no rule decided
	Line      int    `json:"line"`       // its line number, from 1; 0 where no rule decided
	RobotsURL string `json:"robots_url"` // the robots.txt it stands in
	Group     string `json:"group,omitempty"`
	Depth     int    `json:"depth"`
	FoundOn   string `json:"found_on"`
	Source    string `json:"source"`
	Detail    string `json:"detail,omitempty"` // more, for a person

	Addr netip.Addr `json:"addr,omitzero"` // of Address: the one that is not allowed, where a request found it

	RetryAt time.Time `json:"retry_at,omitzero"` // of Later: the earliest time to try again

	// Announced says that [Found.Skipped] has had it before: of this process, or an
	// earlier one that worked on the crawl.
	Announced bool `json:"-"`
}

// Reason is why a URL was left alone.
type Reason string

// The reasons. Scripts rely on their spelling.
const (
	Disallowed        Reason = "disallowed"          // a rule of robots.txt
	RobotsUnreachable Reason = "robots-unreachable"  // robots.txt could not be fetched until the crawl ended
	Deferred          Reason = "deferred"            // the host allowed no request until the crawl ended: Retry-After, Visit-time
	OutOfScope        Reason = "out-of-scope"        // not on a host of the crawl
	NotAuthorized     Reason = "not-authorized"      // listed only in a sitemap that is not authorized for its host
	Unchanged         Reason = "unchanged"           // its sitemap says that it has not changed since the date given
	MaxDepth          Reason = "max-depth"           // more links away than max-depth
	Nofollow          Reason = "nofollow"            // every link to it is nofollow
	Failed            Reason = "failed"              // no complete response after all retries
	InvalidURL        Reason = "invalid-url"         // not a URL that can be requested
	TooManyRedirects  Reason = "too-many-redirects"  // the last of a chain of redirects that is too long
	DuplicateURL      Reason = "duplicate-url"       // another URL of the same page, by its query parameters
	MaxHostPages      Reason = "max-host-pages"      // the crawl has max-host-pages of its host
	Trap              Reason = "trap"                // too many URLs of its pattern had no new content and led to more of them
	RepeatedSegment   Reason = "repeated-segment"    // a path segment repeats more than max-repeats times
	TooLong           Reason = "too-long"            // more bytes, query parameters or path segments than allowed
	MaxHosts          Reason = "max-hosts"           // its host is new, and the crawl has max-hosts
	MaxSitemapEntries Reason = "max-sitemap-entries" // a sitemap that is not read: the host's sitemaps have listed max-sitemap-entries
	BlockedAddress    Reason = "blocked-address"     // its host, or its robots.txt redirect, is at an address that is not allowed
)
