// Package provenance keeps with each URL how the crawl found it: by which source, how deep,
// and on which page or in which sitemap. It travels through the frontier with the URL.
package provenance

import (
	"encoding/binary"
	"errors"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/robotsext"
)

// The priorities of URLs by their source: start URLs first, then what the site lists, then
// what pages link to.
const (
	PriorityStart   = 0
	PrioritySitemap = 32 // sitemap files: read early, they give the rest a better order
	PriorityEntry   = 64 // up to PriorityLink, by the order of sitemap entries
	PriorityLink    = 96
)

// Source says how a URL was found.
type Source byte

// The sources.
const (
	Start Source = iota + 1
	Sitemap
	Link
	Redirect
)

// String returns the word that the output files use.
func (s Source) String() string {
	switch s {
	case Start:
		return "start"
	case Sitemap:
		return "sitemap"
	case Link:
		return "link"
	case Redirect:
		return "redirect"
	}
	return "unknown"
}

// SourceOf is the inverse of String.
func SourceOf(word string) Source {
	for s := Start; s <= Redirect; s++ {
		if s.String() == word {
			return s
		}
	}
	return Link
}

// Provenance says how the crawl found a URL. The frontier keeps it as the item's Meta, so that
// a worker needs nothing but the lease.
type Provenance struct {
	Source    Source
	FromStart bool   // a start URL, or where its redirects led
	FromEntry bool   // where the redirects of an entry of a sitemap led
	Depth     int    // links away from a start URL or a sitemap entry
	Hops      int    // redirects that led here
	FoundOn   string // the page, sitemap, robots.txt or redirect it was found in

	LastMod time.Time // that a sitemap says, to the second; zero: none says it

	// For the URL of a sitemap, which is read for its entries and is no page:
	SitemapOf  robotsext.Origin // whose robots.txt listed it; empty: a page
	IndexDepth int              // indexes above it
}

// MaxFoundOn is how many bytes of a URL are kept as FoundOn of others: a page may have
// thousands of links.
const MaxFoundOn = 1000

// Referrer returns a URL as FoundOn of the URLs that it leads to.
func Referrer(url string) string {
	if len(url) <= MaxFoundOn {
		return url
	}
	return url[:MaxFoundOn] + "…"
}

// Priority is that of the URL in the frontier, for one that was not ordered among
// the entries of a sitemap.
func (p Provenance) Priority() uint8 {
	switch {
	case p.IsSitemap():
		return PrioritySitemap
	case p.FromStart:
		return PriorityStart
	case p.Source == Sitemap:
		return PriorityEntry
	}
	return PriorityLink
}

// IsEntry reports whether a sitemap lists the URL, or one that redirects there.
func (p Provenance) IsEntry() bool { return p.FromEntry || p.Source == Sitemap }

// IsSitemap reports whether the URL is read as a sitemap.
func (p Provenance) IsSitemap() bool { return p.SitemapOf != "" }

// MayBeTrap reports whether a page counts for its pattern (see package trap). Start URLs and
// sitemap entries do not, nor do the targets of their redirects.
func (p Provenance) MayBeTrap() bool {
	return !p.FromStart && !p.IsEntry()
}

var (
	errFormat = errors.New("the frontier holds an item that this version did not write")
	unknown   = Provenance{Source: Link}
)

const version = 1

// The flags in the third byte of an encoded provenance.
const (
	startFlag = 1 << iota
	entryFlag
)

// Encode returns p in a few bytes more than its strings take: millions wait in a frontier.
func (p Provenance) Encode() []byte {
	b := make([]byte, 0, 12+len(p.SitemapOf)+len(p.FoundOn))
	flags := byte(0)
	if p.FromStart {
		flags |= startFlag
	}
	if p.FromEntry {
		flags |= entryFlag
	}
	b = append(b, version, byte(p.Source), flags)
	b = binary.AppendUvarint(b, uint64(p.Depth))
	b = binary.AppendUvarint(b, uint64(p.Hops))
	b = binary.AppendUvarint(b, uint64(p.IndexDepth))
	b = binary.AppendVarint(b, unixOrZero(p.LastMod))
	b = binary.AppendUvarint(b, uint64(len(p.SitemapOf)))
	b = append(b, p.SitemapOf...)
	return append(b, p.FoundOn...)
}

// Decode is the inverse of Encode. With an error it returns a link of unknown origin.
func Decode(b []byte) (Provenance, error) {
	if len(b) < 3 || b[0] != version {
		return unknown, errFormat
	}
	t := Provenance{Source: Source(b[1]), FromStart: b[2]&startFlag != 0, FromEntry: b[2]&entryFlag != 0}
	b = b[3:]
	for _, field := range []*int{&t.Depth, &t.Hops, &t.IndexDepth} {
		v, n := binary.Uvarint(b)
		if n <= 0 || v > 1<<31-1 {
			return unknown, errFormat
		}
		*field, b = int(v), b[n:]
	}
	seconds, n := binary.Varint(b)
	if n <= 0 {
		return unknown, errFormat
	}
	if b = b[n:]; seconds != 0 {
		t.LastMod = time.Unix(seconds, 0)
	}
	listed, n := binary.Uvarint(b)
	if n <= 0 || listed > uint64(len(b)-n) {
		return unknown, errFormat
	}
	b = b[n:]
	t.SitemapOf, t.FoundOn = robotsext.Origin(b[:listed]), string(b[listed:])
	return t, nil
}

// unixOrZero is t in seconds since 1970, and 0 when it is not known.
func unixOrZero(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.Unix()
}

// SitemapKey returns the frontier's key of a sitemap. The fragment is never sent. It
// distinguishes a sitemap from a page of the same URL, and from the same file listed by
// another host.
func SitemapKey(url string, listed robotsext.Origin) string {
	return url + sitemapMark + string(listed)
}

// IsSitemapKey reports whether a key is that of a sitemap.
func IsSitemapKey(key string) bool { return strings.Contains(key, sitemapMark) }

const sitemapMark = "#sitemap-of="

// RedirectKey returns the frontier's key of the target of a redirect that is fetched as it
// is, although links to the same URL are skipped as duplicates.
func RedirectKey(url string) string { return url + "#redirect" }
