// Package provenance stores with each URL how the crawl found it: the source, the depth, and the
// page or sitemap. The frontier stores it with the URL.
package provenance

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/politecrawl/politecrawl/crawler/internal/fields"
	"github.com/politecrawl/politecrawl/robotsext"
)

// The priorities of URLs by their source: first start URLs, then sitemaps and their entries, then
// links.
const (
	PriorityStart   = 0
	PrioritySitemap = 32 // sitemap files are read early, since they order the pages
	PriorityAsset   = 48 // what pages of an archive need, before further pages
	PriorityEntry   = 64 // up to PriorityLink, by the order of sitemap entries
	PriorityLink    = 192
	PriorityTarget  = 208 // checks of URLs that the crawl may still find as pages
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

// sourceNames are the names of the sources in the output files.
var sourceNames = [...]string{"unknown", Start: "start", Sitemap: "sitemap", Link: "link", Redirect: "redirect"}

// String returns the name in the output files.
func (s Source) String() string {
	if int(s) >= len(sourceNames) {
		s = 0
	}
	return sourceNames[s]
}

// SourceOf is the inverse of String.
func SourceOf(name string) Source {
	if i := slices.Index(sourceNames[Start:], name); i >= 0 {
		return Start + Source(i)
	}
	return Link
}

// Provenance says how the crawl found a URL. The frontier stores it as the item's Meta, so
// that a worker gets it with the lease.
type Provenance struct {
	Source    Source
	FromStart bool   // a start URL, or the target of its redirects
	FromEntry bool   // the target of redirects of a sitemap entry
	Depth     int    // number of links from a start URL or a sitemap entry
	Hops      int    // number of redirects that led here
	FoundOn   string // the page, sitemap, robots.txt or redirect in which it was found

	// Earlier are the redirects before FoundOn, in order, if Source is Redirect.
	Earlier []string

	// Cookies are hashes of the cookies with which the last of these redirects were requested, in order, if
	// the crawl keeps cookies.
	Cookies []uint64

	LastMod time.Time // from a sitemap, in seconds precision; zero if unknown

	// The fields of a sitemap:
	SitemapOf  robotsext.Origin // the origin whose robots.txt listed it; empty for a page
	IndexDepth int              // number of sitemap indexes above it

	// Listing has the hashes of the redirects and indexes that lead to this sitemap or entry. If the
	// robots.txt of another origin lists one of them, the sitemap or entry counts there (ROB-SMP-25).
	Listing []uint64

	// Check is how the page uses a URL that is only checked, as output.Check.Kind, or "" if the URL
	// is a page or a sitemap.
	Check string
	// Upgrade says that the page that uses it has upgrade-insecure-requests.
	Upgrade bool
	Uses    int // how many URLs may be checked because the response to this check uses them

	Recrawl int // number of the recrawl in which it was queued; 0 in the first crawl
}

// MaxFoundOn is the maximum length of FoundOn in bytes. It is stored for each link of a page, and a
// page may have thousands.
const MaxFoundOn = 1000

// Redirects returns the URLs that redirected here, in order.
func (p Provenance) Redirects() []string {
	if p.Source != Redirect || p.FoundOn == "" {
		return nil
	}
	return append(slices.Clip(p.Earlier), p.FoundOn)
}

// Listed returns the listing of what a sitemap at url lists, or redirects to; p is the provenance of url.
func (p Provenance) Listed(url string) []uint64 {
	return append(slices.Clip(p.Listing), HashListing(url))
}

// HashListing returns the hash of a sitemap URL in a listing.
func HashListing(url string) uint64 { return xxhash.Sum64String(url) }

// Redirected returns the provenance of the URL that url redirects to. The provenance of url is p. Cookies
// is a hash of those that url was requested with, or 0 if the crawl keeps none.
func (p Provenance) Redirected(url string, cookies uint64) Provenance {
	if p.IsSitemap() {
		p.Listing = p.Listed(url)
	}
	if p.Source != Redirect {
		p.Cookies = nil
	}
	if cookies != 0 {
		p.Cookies = append(slices.Clip(p.Cookies), cookies)
	}
	p.FromEntry = p.IsEntry()
	p.Earlier = p.Redirects()
	p.Source, p.Hops, p.FoundOn = Redirect, p.Hops+1, Referrer(url)
	return p
}

// Repeats reports whether the redirects that lead to a URL begin with it, so that it is to be requested
// again. Each time before it had other cookies than now.
func (p Provenance) Repeats(url string, cookies uint64) bool {
	chain, repeats := p.Redirects(), false
	if len(p.Cookies) > len(chain) {
		return false
	}
	for i, earlier := range chain[len(chain)-len(p.Cookies):] {
		if earlier != Referrer(url) {
			continue
		}
		if p.Cookies[i] == cookies {
			return false
		}
		repeats = true
	}
	return repeats
}

// Referrer returns the FoundOn of the URLs that were found on url. It truncates a long URL.
func Referrer(url string) string {
	if len(url) <= MaxFoundOn {
		return url
	}
	return url[:MaxFoundOn] + "…"
}

// Priority returns the priority of the URL in the frontier, except for sitemap entries that were
// ordered.
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

// IsCheck reports whether the URL is requested only to learn whether it works.
func (p Provenance) IsCheck() bool { return p.Check != "" }

// MayBeTrap reports whether a page counts for its pattern (see package trap). Start URLs, sitemap
// entries and the targets of their redirects do not count.
func (p Provenance) MayBeTrap() bool {
	return !p.FromStart && !p.IsEntry() && !p.IsCheck()
}

var (
	errFormat = errors.New("the frontier holds an item that this version did not write")
	unknown   = Provenance{Source: Link}
)

// The versions of the encoding. Only a chain of redirects needs the second one: it has Earlier
// before FoundOn.
const (
	version      = 1
	chainVersion = 2
)

// The flags in the third byte of an encoded provenance.
const (
	startFlag = 1 << iota
	entryFlag
	checkFlag   // Check and Uses stand before FoundOn
	recrawlFlag // Recrawl stands before Check
	cookieFlag  // Cookies stand before Recrawl
	upgradeFlag
	listingFlag // Listing stands before Recrawl
)

// Encode encodes p compactly, since millions of URLs wait in a frontier.
func (p Provenance) Encode() []byte {
	b := make([]byte, 0, 12+len(p.SitemapOf)+len(p.FoundOn))
	flags := flagIf(p.FromStart, startFlag) | flagIf(p.FromEntry, entryFlag) | flagIf(p.IsCheck(), checkFlag) | flagIf(p.Recrawl > 0, recrawlFlag) |
		flagIf(len(p.Cookies) > 0, cookieFlag) | flagIf(p.Upgrade, upgradeFlag) | flagIf(len(p.Listing) > 0, listingFlag)
	form := byte(version)
	if len(p.Earlier) > 0 {
		form = chainVersion
	}
	b = append(b, form, byte(p.Source), flags)
	b = binary.AppendUvarint(b, uint64(p.Depth))
	b = binary.AppendUvarint(b, uint64(p.Hops))
	b = binary.AppendUvarint(b, uint64(p.IndexDepth))
	seconds := int64(0)
	if !p.LastMod.IsZero() {
		seconds = p.LastMod.Unix()
	}
	b = binary.AppendVarint(b, seconds)
	b = fields.AppendString(b, string(p.SitemapOf))
	if len(p.Earlier) > 0 {
		b = binary.AppendUvarint(b, uint64(len(p.Earlier)))
		for _, url := range p.Earlier {
			b = fields.AppendString(b, url)
		}
	}
	b = appendHashes(appendHashes(b, p.Cookies), p.Listing)
	if p.Recrawl > 0 {
		b = binary.AppendUvarint(b, uint64(p.Recrawl))
	}
	if p.IsCheck() {
		b = binary.AppendUvarint(fields.AppendString(b, p.Check), uint64(p.Uses))
	}
	return append(b, p.FoundOn...)
}

// flagIf returns a flag if it is set.
func flagIf(set bool, flag byte) byte {
	if set {
		return flag
	}
	return 0
}

// appendHashes appends a list of hashes, if there are any.
func appendHashes(b []byte, hashes []uint64) []byte {
	if len(hashes) == 0 {
		return b
	}
	b = binary.AppendUvarint(b, uint64(len(hashes)))
	for _, hash := range hashes {
		b = binary.BigEndian.AppendUint64(b, hash)
	}
	return b
}

// Decode is the inverse of Encode. If it fails, it returns a link of unknown origin.
func Decode(b []byte) (Provenance, error) {
	if len(b) < 3 || b[0] != version && b[0] != chainVersion {
		return unknown, errFormat
	}
	flags, r := b[2], fields.Reader{Rest: b[3:]}
	t := Provenance{Source: Source(b[1]), FromStart: flags&startFlag != 0, FromEntry: flags&entryFlag != 0, Upgrade: flags&upgradeFlag != 0}
	t.Depth, t.Hops, t.IndexDepth = r.Int(), r.Int(), r.Int()
	if seconds := r.Varint(); seconds != 0 {
		t.LastMod = time.Unix(seconds, 0)
	}
	t.SitemapOf = robotsext.Origin(r.String())
	if b[0] == chainVersion {
		for range r.Count() {
			t.Earlier = append(t.Earlier, r.String())
		}
	}
	if flags&cookieFlag != 0 {
		t.Cookies = readHashes(&r)
	}
	if flags&listingFlag != 0 {
		t.Listing = readHashes(&r)
	}
	if flags&recrawlFlag != 0 {
		t.Recrawl = r.Int()
	}
	if flags&checkFlag != 0 {
		t.Check, t.Uses = r.String(), r.Int()
	}
	if r.Bad || flags&checkFlag != 0 && !t.IsCheck() || max(t.Depth, t.Hops, t.IndexDepth, t.Recrawl, t.Uses) > math.MaxInt32 {
		return unknown, errFormat
	}
	t.FoundOn = string(r.Rest)
	return t, nil
}

// readHashes reads what appendHashes has appended.
func readHashes(r *fields.Reader) (hashes []uint64) {
	for range r.Count() {
		hashes = append(hashes, r.Uint64())
	}
	return hashes
}
