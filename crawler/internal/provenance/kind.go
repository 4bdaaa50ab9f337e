package provenance

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

// The kinds of items in the frontier of a crawl, besides pages, which have none. Frontiers store them.
const (
	KindSitemap  frontier.Kind = "sitemap"
	KindRedirect frontier.Kind = "redirect" // a page, the target of a redirect, that is fetched unchanged, although links to the same URL are skipped as duplicates
	KindListing  frontier.Kind = "listing"  // a robots.txt that is requested only to learn which sitemaps it lists; others are requested with the first URL of their origin
	KindStart    frontier.Kind = "start"    // a start URL in a plan, requested only to learn where it redirects

	KindCheckHead frontier.Kind = "check-head" // checked by a HEAD request
	KindCheckGet  frontier.Kind = "check-get"  // checked by a GET request for the first byte, after HEAD had no success
	KindCheckRead frontier.Kind = "check-read" // checked by a GET request, and the response is read: stylesheets, canonical URLs, and assets of an archive
)

// The owner of an item tells it apart from others of its kind and URL (frontier.Key). Most have none. It has up to two
// parts, with a # between them:
//
//	12            a check of recrawl 12; those of the first crawl have no number
//	again-3-12    requested again in recrawl 12, after 3 redirects that led back to it
//	12#again-3-12 such a check
const (
	ownerSeparator = "#"
	ownerAgain     = "again-%d-%d"
)

// IsCheck reports whether a URL of this kind is only checked.
func IsCheck(k frontier.Kind) bool {
	return k == KindCheckHead || k == KindCheckGet || k == KindCheckRead
}

// IsPage reports whether a URL of this kind is a page, as opposed to a sitemap, a robots.txt and a check.
func IsPage(k frontier.Kind) bool { return k != KindSitemap && k != KindListing && !IsCheck(k) }

// Kind returns the kind of a page or a sitemap with this provenance.
func (p Provenance) Kind() frontier.Kind {
	if p.IsSitemap() {
		return KindSitemap
	}
	return ""
}

// Item returns the item of a page or a sitemap with this provenance.
func (p Provenance) Item(url string, host frontier.Host) frontier.Item {
	return frontier.Item{Kind: p.Kind(), URL: url, Host: host, Priority: p.Priority(), Meta: p.Encode()}
}

// CheckKey returns the key of a check in a recrawl, or in the first crawl if that is 0. Each recrawl has its
// own checks, since it checks only what its pages still use. Read says that the response is read.
func CheckKey(url string, recrawl int, read bool) frontier.Key {
	key := frontier.Key{Kind: KindCheckHead, URL: url}
	if read {
		key.Kind = KindCheckRead
	}
	if recrawl > 0 {
		key.Owner = strconv.Itoa(recrawl)
	}
	return key
}

// RecrawlOf returns the number of the recrawl of a check by its owner.
func RecrawlOf(owner string) int {
	number, _, _ := strings.Cut(owner, ownerSeparator)
	recrawl, _ := strconv.Atoi(number) // 0 without a number
	return recrawl
}

// Repeat prepares the item of a URL that its own redirects lead to again. A page becomes a redirect target.
func Repeat(item *frontier.Item, hops, recrawl int) {
	if item.Kind == "" {
		item.Kind = KindRedirect
	}
	if item.Owner != "" {
		item.Owner += ownerSeparator
	}
	item.Owner += fmt.Sprintf(ownerAgain, hops, recrawl)
}
