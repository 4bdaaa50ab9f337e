package provenance

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/politecrawl/politecrawl/robotsext"
)

// SitemapKey returns the frontier's key of a sitemap. The fragment is never sent. It
// distinguishes a sitemap from a page of the same URL.
func SitemapKey(url string) string { return url + sitemapMark }

// IsSitemapKey reports whether a key is that of a sitemap.
func IsSitemapKey(key string) bool { return strings.Contains(key, sitemapMark) }

const sitemapMark = "#sitemap"

// StartKey returns the key of a start URL in the frontier of a plan, which requests it only to
// learn where it redirects.
func StartKey(url string) string { return url + startMark }

// IsStartKey reports whether a key is one of StartKey.
func IsStartKey(key string) bool { return strings.HasSuffix(key, startMark) }

const startMark = "#start"

// RobotsKey returns the frontier's key of the robots.txt of an origin, which is requested only to learn
// which sitemaps it lists. Other robots.txt files are requested with the first URL of their origin.
func RobotsKey(o robotsext.Origin) string { return o.RobotsURL() + robotsMark }

// IsRobotsKey reports whether a key is one of RobotsKey.
func IsRobotsKey(key string) bool { return strings.HasSuffix(key, robotsMark) }

const robotsMark = "#listing"

// RedirectKey returns the frontier's key of a redirect target that is fetched
// unchanged, although links to the same URL are skipped as duplicates.
func RedirectKey(url string) string { return url + "#redirect" }

// RepeatKey returns the frontier's key of a URL that its own redirects lead to again. Key is that of its
// first request.
func RepeatKey(key string, hops, recrawl int) string {
	if !strings.Contains(key, "#") {
		key = RedirectKey(key)
	}
	return fmt.Sprintf("%s%s%d-%d", key, repeatMark, hops, recrawl)
}

const repeatMark = "#again-"

// RepeatOf returns what RepeatKey has added to a key; empty: it is the key of a first request.
func RepeatOf(key string) string {
	if i := strings.Index(key, repeatMark); i >= 0 {
		return key[i:]
	}
	return ""
}

// A CheckMode is how a URL is checked.
type CheckMode string

// The modes.
const (
	CheckHead CheckMode = "head" // a HEAD request
	CheckGet  CheckMode = "get"  // a GET request for the first byte, after HEAD had no success
	CheckRead CheckMode = "read" // a GET request, whose response is read: stylesheets, canonical URLs
)

const checkMark = "#check-"

// CheckKey returns the frontier's key of a URL that is only checked. Each recrawl has its own
// keys, since it checks only what its pages still use.
func CheckKey(url string, mode CheckMode, recrawl int) string {
	key := url + checkMark + string(mode)
	if recrawl > 0 {
		key += "-" + strconv.Itoa(recrawl)
	}
	return key
}

// IsCheckKey reports whether a key is that of a check.
func IsCheckKey(key string) bool { return strings.Contains(key, checkMark) }

// ParseCheckKey returns the mode of a check and the number of its recrawl.
func ParseCheckKey(key string) (mode CheckMode, recrawl int) {
	_, rest, _ := strings.Cut(strings.TrimSuffix(key, RepeatOf(key)), checkMark)
	name, number, _ := strings.Cut(rest, "-")
	recrawl, _ = strconv.Atoi(number) // 0 without a number
	return CheckMode(name), recrawl
}
