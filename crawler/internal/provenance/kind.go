package provenance

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

// The kinds of items in the frontier of a crawl, besides pages. Frontiers store them.
const (
	KindSitemap  frontier.Kind = "sitemap"
	KindRedirect frontier.Kind = "redirect" // a redirect target that is fetched unchanged, although links to the same URL are skipped as duplicates
	KindListing  frontier.Kind = "listing"  // a robots.txt that is requested only to learn which sitemaps it lists; others are requested with the first URL of their origin
	KindStart    frontier.Kind = "start"    // a start URL in a plan, requested only to learn where it redirects

	KindCheckHead frontier.Kind = "check-head" // checked by a HEAD request
	KindCheckGet  frontier.Kind = "check-get"  // checked by a GET request for the first byte, after HEAD had no success
	KindCheckRead frontier.Kind = "check-read" // checked by a GET request, whose response is read: stylesheets, canonical URLs
)

// IsCheck reports whether a URL of this kind is only checked.
func IsCheck(k frontier.Kind) bool {
	return k == KindCheckHead || k == KindCheckGet || k == KindCheckRead
}

// CheckOwner returns the owner of the checks of a recrawl; 0: the first crawl. Each recrawl has its
// own checks, since it checks only what its pages still use.
func CheckOwner(recrawl int) string {
	if recrawl == 0 {
		return ""
	}
	return strconv.Itoa(recrawl)
}

// RecrawlOf returns the number of the recrawl of a check.
func RecrawlOf(owner string) int {
	number, _, _ := strings.Cut(owner, repeatMark)
	recrawl, _ := strconv.Atoi(number) // 0 without a number
	return recrawl
}

// Repeat makes an item that of a URL that its own redirects lead to again.
func Repeat(item *frontier.Item, hops, recrawl int) {
	if item.Kind == "" {
		item.Kind = KindRedirect
	}
	mark := repeatMark
	if item.Owner == "" {
		mark = mark[1:]
	}
	item.Owner += fmt.Sprintf("%s%d-%d", mark, hops, recrawl)
}

const repeatMark = "#again-"
