package demosite

import (
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

// CanonicalURL gives an absolute URL the one spelling under which the site
// knows it. The URLs of an Expectation have it, those of a Request and of a
// crawler's output may not.
func CanonicalURL(raw string) string {
	if origin, uri, ok := resolve(raw, ""); ok {
		return origin + uri
	}
	return raw
}

var (
	escaped = regexp.MustCompile(`%[0-9A-Fa-f]{2}`)
	unsafe  = regexp.MustCompile(`[^\x21-\x7e]+`)
)

// canonical gives path-and-query one spelling, so that requests that differ only in how
// they escape the same URL meet the same route: escapes of unreserved characters are
// undone, the others get upper-case digits, and octets that may not stand in a URL are
// escaped (RFC 3986 6.2.2). Reserved characters stay apart from their escapes; a fragment
// is dropped.
func canonical(uri string) string {
	uri, _, _ = strings.Cut(uri, "#")
	uri = escaped.ReplaceAllStringFunc(uri, func(escape string) string {
		c, _ := strconv.ParseUint(escape[1:], 16, 8) // two hexadecimal digits
		if unreserved(byte(c)) {
			return string(rune(c))
		}
		return strings.ToUpper(escape)
	})
	return unsafe.ReplaceAllStringFunc(uri, func(octets string) string {
		return "%" + strings.ReplaceAll(fmt.Sprintf("% X", octets), " ", "%")
	})
}

func unreserved(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' ||
		strings.IndexByte("-._~", c) >= 0
}

// resolve turns an href found on a page into its origin and its canonical
// path and query. The escapes are undone before the dot segments are removed:
// "%2e%2e" is "..", too. It reports false for what no crawler can request
// over HTTP (mailto:, javascript:).
func resolve(base, href string) (origin, uri string, ok bool) {
	b, err := url.Parse(base)
	if err != nil {
		return "", "", false
	}
	u, err := b.Parse(canonical(href))
	if err != nil || u.Scheme != "http" {
		return "", "", false
	}
	return u.Scheme + "://" + u.Host, canonical(u.RequestURI()), true
}
