// Package output writes the results of a crawl as JSON Lines files in a directory, and reads
// them.
//
// Each file of lines has a type: pages.jsonl has Pages, rejected.jsonl Rejections, links.jsonl Links,
// sitemaps.jsonl Sitemaps, entries.jsonl Entries, checks.jsonl Checks, anchors.jsonl Anchors,
// permissions.jsonl Permissions, robots.jsonl Robots. SCHEMA.md lists all files with their fields.
//
// [Read] yields the lines of one type, even while the crawl runs:
//
//	for page, err := range output.Read[output.Page]("example") {
//		...
//	}
//
// # Other formats
//
// A [Sink] writes results elsewhere: into a table, an archive, a live view. A [Format] names an
// output format and opens its Sink. The packages csvout (pages.csv and other tables), sqlite
// (crawl.sqlite) and warc (crawl-20260301120000123-k7q2xv-00000.warc.gz and so on) each have one.
// Sink.Commit returns a checkpoint, from which Format.Open resumes after a kill.
//
// # Compatibility
//
// Scripts read these fields. New fields may be added at the end of a line. If an existing field
// changes its meaning, the version in crawl.json goes up.
package output

import (
	"net/http"
	"net/netip"
	"time"
)

// Page is a URL that returned a response: one line of pages.jsonl.
type Page struct {
	URL         string      `json:"url"`
	Status      int         `json:"status"`
	Title       string      `json:"title"`
	Depth       int         `json:"depth"`              // number of links from a start URL or a sitemap entry
	FoundOn     string      `json:"found_on"`           // the page, sitemap or redirect where it was found; empty for a start URL
	Source      string      `json:"source"`             // start, sitemap, link or redirect
	Location    string      `json:"location,omitempty"` // target of a redirect
	ContentType string      `json:"content_type"`
	Bytes       int         `json:"bytes"`               // size of the decoded body, as far as it was read; with status 304 the size at the fetch before it
	Links       int         `json:"links"`               // number of references to other documents, such as a, area, iframe, meta refresh and the field Refresh; repeated ones count again
	Canonical   string      `json:"canonical,omitempty"` // absolute URL that the page names as canonical
	Directives  []Directive `json:"directives,omitempty"`
	Withheld    string      `json:"withheld,omitempty"` // the directive that excludes title and content, such as noindex
	FetchedAt   time.Time   `json:"fetched_at"`
	DurationMS  int64       `json:"duration_ms"` // from the start of the request to the end of the body
	Attempt     int         `json:"attempt"`     // 1 for the first request to this URL, 2 for the first retry

	Hash          string         `json:"hash,omitempty"`           // XXH64 of the body as read, in hexadecimal
	Unchanged     bool           `json:"unchanged,omitempty"`      // status 304, or the same whole body as at the previous fetch
	DuplicateOf   string         `json:"duplicate_of,omitempty"`   // an earlier page with the same whole body
	Fields        map[string]any `json:"fields,omitempty"`         // values of the extract rules, by field name: a string or a list of strings
	Truncated     string         `json:"truncated,omitempty"`      // the limit that truncated the body: max-body or ratio
	LinksSkipped  int            `json:"links_skipped,omitempty"`  // links that were skipped because the page has too many
	LimitsReached []string       `json:"limits_reached,omitempty"` // the limits that left out a part of the body, the links or the fields

	H1          string            `json:"h1,omitempty"`          // text of the first h1
	Description string            `json:"description,omitempty"` // content of meta name=description
	Lang        string            `json:"lang,omitempty"`        // lang of the html element
	Words       int               `json:"words,omitempty"`       // number of words in the visible text
	Hreflang    []Hreflang        `json:"hreflang,omitempty"`    // versions of the page for other languages
	Headers     map[string]string `json:"headers,omitempty"`     // the response headers that Output.KeepHeader names, by name in lower case
	Redirects   []string          `json:"redirects,omitempty"`   // the URLs that redirected here, in order
	H1Count     int               `json:"h1_count,omitempty"`    // number of h1 elements, if there are several
	Encoding    string            `json:"encoding,omitempty"`    // of a page that was read as HTML or XHTML: its character encoding, as the Encoding standard names it
	Malformed   string            `json:"malformed,omitempty"`   // why and where an XHTML page is not well-formed; it was read to there

	ImagesWithoutAlt int  `json:"images_without_alt,omitempty"` // number of img elements without an alt attribute
	NeedsJavaScript  bool `json:"needs_javascript,omitempty"`   // it has scripts, and without them no text, image, form field or link
}

// HasContent reports whether the line has the content of a page: the status is 2xx, or 304 in a recrawl
// that kept what the fetch before it read.
func (p *Page) HasContent() bool {
	return p.Status/100 == 2 || p.Status == http.StatusNotModified && p.Unchanged && (p.Hash != "" || p.Withheld != "")
}

// BytesRead is the size of the decoded body of this response, as far as it was read: 0 for status 304.
func (p *Page) BytesRead() int {
	if p.Status == http.StatusNotModified {
		return 0
	}
	return p.Bytes
}

// Hreflang is a version of a page for another language or region: a link rel=alternate with
// hreflang.
type Hreflang struct {
	Lang string `json:"lang"` // as the page writes it, such as de-AT or x-default
	URL  string `json:"url"`  // absolute
}

// Sitemap is a sitemap file that was requested: one line of sitemaps.jsonl.
type Sitemap struct {
	URL        string    `json:"url"`
	Status     int       `json:"status"`
	Origin     string    `json:"origin"`           // its robots.txt lists it, directly or through an index
	FoundOn    string    `json:"found_on"`         // the robots.txt or index that lists it; empty if it was probed
	IndexDepth int       `json:"index_depth"`      // number of sitemap indexes between it and robots.txt
	Pages      int       `json:"pages"`            // entries that are pages
	Sitemaps   int       `json:"sitemaps"`         // entries that are sitemaps
	Detail     string    `json:"detail,omitempty"` // why it could not be read completely
	FetchedAt  time.Time `json:"fetched_at"`
	Reason     Reason    `json:"reason,omitempty"` // MaxSitemapEntries: the limit of the crawl ended the reading
}

// Entry is a page that a sitemap lists: one line of entries.jsonl. A page that is listed twice
// has two lines.
type Entry struct {
	URL     string    `json:"url"`     // in the same form as in pages.jsonl
	Sitemap string    `json:"sitemap"` // the sitemap file that lists it
	LastMod time.Time `json:"lastmod,omitzero"`
}

// Directive is a robots directive of a page, such as noindex or nofollow.
type Directive struct {
	Rule   string `json:"rule"`
	Source string `json:"source"` // the header line or meta element with the directive
}

// Rejection is a skipped URL. In [Results.Rejected] it is final: one line of
// rejected.jsonl. In [Results.Provisional] another link may still lead to its fetch.
type Rejection struct {
	URL       string `json:"url"`
	Reason    Reason `json:"reason"`
	Rule      string `json:"rule"`            // the matching line of robots.txt, such as "Disallow: /x", or rule of tdmrep.json; empty if none
	Line      int    `json:"line"`            // its line number or the number of the rule, from 1; 0 if none
	RobotsURL string `json:"robots_url"`      // the robots.txt or tdmrep.json with the rule
	Group     string `json:"group,omitempty"` // the group with the rule: a product token, or *
	Depth     int    `json:"depth"`           // Depth, FoundOn and Source are as in Page
	FoundOn   string `json:"found_on"`
	Source    string `json:"source"`
	Detail    string `json:"detail,omitempty"` // explanation for a person

	Addr netip.Addr `json:"addr,omitzero"` // the address, if Reason is BlockedAddress; zero if not known

	RetryAt time.Time `json:"retry_at,omitzero"` // the earliest time of a retry, if Reason is RobotsUnreachable or Deferred

	// WasProvisional reports whether the URL was in [Results.Provisional] before, in this
	// process or an earlier one of the crawl.
	WasProvisional bool `json:"-"`
}

// Reason is why a URL was skipped.
type Reason string

// The reasons. Scripts rely on their spelling.
const (
	Disallowed        Reason = "disallowed"          // disallowed by robots.txt
	RobotsUnreachable Reason = "robots-unreachable"  // its robots.txt could not be fetched before the crawl ended
	Deferred          Reason = "deferred"            // its host allowed no request before the crawl ended: Retry-After or Visit-time
	OutOfScope        Reason = "out-of-scope"        // not on a host of the crawl, or not in its directories
	Excluded          Reason = "excluded"            // it does not match include, or it matches exclude
	NotAuthorized     Reason = "not-authorized"      // listed only in a sitemap that is not authorized for its host
	BeforeSince       Reason = "before-since"        // not requested: its lastmod in the sitemap is before Sitemaps.Since
	MaxDepth          Reason = "max-depth"           // farther from a start URL than max-depth
	Nofollow          Reason = "nofollow"            // every link to it is nofollow
	Failed            Reason = "failed"              // no complete response after all retries
	InvalidURL        Reason = "invalid-url"         // not a URL that can be requested
	TooManyRedirects  Reason = "too-many-redirects"  // the last URL of a chain of too many redirects
	DuplicateURL      Reason = "duplicate-url"       // differs from a known URL only in ignored query parameters
	MaxHostPages      Reason = "max-host-pages"      // its host has reached max-host-pages
	Trap              Reason = "trap"                // a spider trap: pages of its URL pattern have no new content but ever more links
	RepeatedSegment   Reason = "repeated-segment"    // a path segment repeats more than max-repeats times
	TooLong           Reason = "too-long"            // more bytes, query parameters or path segments than allowed
	MaxHosts          Reason = "max-hosts"           // its host is new, and the crawl has reached max-hosts
	MaxSitemapEntries Reason = "max-sitemap-entries" // an unread sitemap: its host has reached max-sitemap-entries
	ContentType       Reason = "content-type"        // its media type is not listed in Fetch.Types, so its body was not used
	PaymentRequired   Reason = "payment-required"    // its site requires payment: status 402
	LicenseRequired   Reason = "license-required"    // its site requires a license: status 401 with a challenge of the scheme License
	Usage             Reason = "usage"               // its site disallows a purpose of the crawl: Usage.Purposes
	BlockedAddress    Reason = "blocked-address"     // its host, or the redirect target of its robots.txt, has an address that is not allowed
)
