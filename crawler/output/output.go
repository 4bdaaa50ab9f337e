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
	Depth       int             `json:"depth"`  // links away from a start URL or a sitemap entry
	Via         string          `json:"via"`    // the page, sitemap or redirect it was found in; empty for a start URL
	Source      string          `json:"source"` // start, sitemap, link or redirect
	Location    string          `json:"location,omitempty"`
	ContentType string          `json:"content_type"`
	Bytes       int             `json:"bytes"` // of the body that was read, decoded
	Links       int             `json:"links"` // that the page holds, of every kind, repeated ones too
	Canonical   string          `json:"canonical,omitempty"`
	Directives  []Directive     `json:"directives,omitempty"`
	Usage       map[string]bool `json:"content_usage,omitempty"` // of a Content-Usage header: what is granted, what refused
	Withheld    string          `json:"withheld,omitempty"`      // the directive for which title and content are left out
	FetchedAt   time.Time       `json:"fetched_at"`
	Millis      int64           `json:"ms"` // from the start of the request to the end of the body
	Attempt     int             `json:"attempt"`

	Hash        string         `json:"hash,omitempty"`         // of the body as it was read: 64 bits of XXH64, hexadecimal
	Unchanged   bool           `json:"unchanged,omitempty"`    // the site says so (304), or the body is the one of the last fetch
	DuplicateOf string         `json:"duplicate_of,omitempty"` // a page fetched before with the same body
	Fields      map[string]any `json:"fields,omitempty"`       // by the names of the extract rules: a string, or a list of them
	Truncated   string         `json:"truncated,omitempty"`    // the limit that cut the body short: max-body or ratio
	LinksLeft   int            `json:"links_left,omitempty"`   // of Links, those to URLs beyond a limit, which were not taken up
	CutBy       []string       `json:"cut_by,omitempty"`       // the limits that cut something off: the body, links, fields
}

// Limits returns the limits that cut something off the page: CutBy, or what an earlier
// version has written in its place.
func (p *Page) Limits() []string {
	if len(p.CutBy) > 0 {
		return p.CutBy
	}
	var limits []string
	if p.Truncated != "" {
		limits = append(limits, p.Truncated)
	}
	if p.LinksLeft > 0 {
		limits = append(limits, "max-links")
	}
	return limits
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
	Host      string    `json:"host"` // the origin whose robots.txt listed it, by itself or by an index
	Via       string    `json:"via"`  // the robots.txt or index it is listed in; empty: it was looked for
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
	Via       string `json:"via"`
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
	Disallowed   Reason = "disallowed"   // a rule of robots.txt
	Later        Reason = "later"        // its robots.txt was unreachable, or its host allowed no request, until the crawl ended
	OutOfScope   Reason = "out-of-scope" // not one of the crawl's hosts
	NotEntitled  Reason = "not-entitled" // listed only by a sitemap that may not speak for it
	Unchanged    Reason = "unchanged"    // its sitemap says that it did not change since the date asked for
	TooDeep      Reason = "depth"        // more links away than max-depth
	Nofollow     Reason = "nofollow"     // found only where the page asks not to follow
	Failed       Reason = "failed"       // no answer after all retries
	Invalid      Reason = "invalid"      // not a URL that can be requested
	TooManyHops  Reason = "redirects"    // the end of too long a chain of redirects
	Alias        Reason = "alias"        // it stands for another URL, by its parameters
	HostFull     Reason = "host-full"    // its host has had max-host-pages
	Trap         Reason = "trap"         // pages of URLs like it had nothing new, and led to ever more
	Repeating    Reason = "repeating"    // a part of its path stands there again and again
	TooLong      Reason = "too-long"     // it has more bytes, or parameters, than a URL that is taken up
	TooManyHosts Reason = "hosts"        // the crawl has had max-hosts before its host
	SitemapFull  Reason = "sitemap-full" // a sitemap that is not read: those of its host have listed max-sitemap-entries
	Address      Reason = "address"      // its host, or where its robots.txt redirects to, is at an address that allow-addr does not allow
)
