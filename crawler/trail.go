package crawler

import (
	"encoding/binary"
	"errors"
	"time"

	"github.com/politecrawl/politecrawl/robotsext"
)

// The priorities of URLs by where they come from: what the person asked for,
// then what the site says it has, then what is found on the way.
const (
	priorityStart   = 0
	prioritySitemap = 32 // sitemap files: the sooner read, the better the order of the rest
	priorityEntry   = 64 // to priorityLink, by the order of sitemap entries
	priorityLink    = 96
)

// source says how a URL was found.
type source byte

const (
	fromStart source = iota + 1
	fromSitemap
	fromLink
	fromRedirect
)

// String gives the word that stands in the output files.
func (s source) String() string {
	switch s {
	case fromStart:
		return "start"
	case fromSitemap:
		return "sitemap"
	case fromLink:
		return "link"
	case fromRedirect:
		return "redirect"
	}
	return "unknown"
}

// sourceOf is the reverse of String.
func sourceOf(word string) source {
	for s := fromStart; s <= fromRedirect; s++ {
		if s.String() == word {
			return s
		}
	}
	return fromLink
}

// trail is how the crawl came to a URL. It travels through the frontier as the
// item's Meta, so that a worker needs nothing but the lease.
type trail struct {
	source source
	start  bool   // a start URL, or where its redirects led
	entry  bool   // where the redirects of an entry of a sitemap led
	depth  int    // links away from a start URL or a sitemap entry
	hops   int    // redirects that led here
	via    string // the page, sitemap, robots.txt or redirect it was found in

	lastMod time.Time // that a sitemap says, to the second; zero: none says it

	// For the URL of a sitemap, which is read for its entries and is no page:
	listed robotsext.Origin // whose robots.txt listed it; empty: a page
	nested int              // indexes above it
}

// maxVia is how much of a long URL tells where others were found. Each of them is kept
// with it, and a page may have thousands.
const maxVia = 1000

// viaOf returns a URL as the via of what it leads to.
func viaOf(url string) string {
	if len(url) <= maxVia {
		return url
	}
	return url[:maxVia] + "…"
}

// priority is that of the URL in the frontier, for one that was not ordered among
// the entries of a sitemap.
func (t trail) priority() uint8 {
	switch {
	case t.sitemap():
		return prioritySitemap
	case t.start:
		return priorityStart
	case t.source == fromSitemap:
		return priorityEntry
	}
	return priorityLink
}

// isEntry tells whether a sitemap lists the URL, or one that redirects there.
func (t trail) isEntry() bool { return t.entry || t.source == fromSitemap }

// sitemap tells whether the URL is to be read as a sitemap.
func (t trail) sitemap() bool { return t.listed != "" }

var errTrail = errors.New("crawler: the frontier holds an item that this version did not write")

const trailVersion = 1

// What stands in the third byte of a trail.
const (
	startFlag = 1 << iota
	entryFlag
)

// encode packs t into some bytes more than its strings have: millions of them
// wait in a frontier.
func (t trail) encode() []byte {
	b := make([]byte, 0, 12+len(t.listed)+len(t.via))
	flags := byte(0)
	if t.start {
		flags |= startFlag
	}
	if t.entry {
		flags |= entryFlag
	}
	b = append(b, trailVersion, byte(t.source), flags)
	b = binary.AppendUvarint(b, uint64(t.depth))
	b = binary.AppendUvarint(b, uint64(t.hops))
	b = binary.AppendUvarint(b, uint64(t.nested))
	b = binary.AppendVarint(b, unixOrZero(t.lastMod))
	b = binary.AppendUvarint(b, uint64(len(t.listed)))
	b = append(b, t.listed...)
	return append(b, t.via...)
}

func decodeTrail(b []byte) (trail, error) {
	if len(b) < 3 || b[0] != trailVersion {
		return trail{}, errTrail
	}
	t := trail{source: source(b[1]), start: b[2]&startFlag != 0, entry: b[2]&entryFlag != 0}
	b = b[3:]
	for _, field := range []*int{&t.depth, &t.hops, &t.nested} {
		v, n := binary.Uvarint(b)
		if n <= 0 || v > 1<<31-1 {
			return trail{}, errTrail
		}
		*field, b = int(v), b[n:]
	}
	seconds, n := binary.Varint(b)
	if n <= 0 {
		return trail{}, errTrail
	}
	if b = b[n:]; seconds != 0 {
		t.lastMod = time.Unix(seconds, 0)
	}
	listed, n := binary.Uvarint(b)
	if n <= 0 || listed > uint64(len(b)-n) {
		return trail{}, errTrail
	}
	b = b[n:]
	t.listed, t.via = robotsext.Origin(b[:listed]), string(b[listed:])
	return t, nil
}

// unixOrZero is t in seconds since 1970, and 0 when it is not known.
func unixOrZero(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.Unix()
}

// mayBeTrap tells whether a page counts for its pattern: what was asked for and what a
// site lists itself does not, nor where these redirect to.
func (t trail) mayBeTrap() bool {
	return !t.start && !t.isEntry()
}

// sitemapKey is what the frontier knows a sitemap by. A fragment never reaches
// the wire; this one keeps a sitemap apart from a page of the same URL, and from
// the same file listed by another host, whose entries are other ones.
func sitemapKey(url string, listed robotsext.Origin) string {
	return url + "#sitemap-of=" + string(listed)
}
