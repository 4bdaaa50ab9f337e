package demosite

import (
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

// canonicalURL returns an absolute URL in the form that [Expectation] uses.
func canonicalURL(raw string) string {
	if origin, uri, ok := resolve(raw, ""); ok {
		return origin + uri
	}
	return raw
}

var (
	escaped = regexp.MustCompile(`%[0-9A-Fa-f]{2}`)
	unsafe  = regexp.MustCompile(`[^\x21-\x7e]+`)
)

// canonical returns the canonical spelling of a path and query (RFC 3986 6.2.2). It decodes
// escapes of unreserved characters, writes other escapes in upper case, and escapes octets that
// are not allowed in a URL. It removes the fragment.
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

// resolve returns origin, path and query of an href, in canonical spelling. It decodes escapes
// before it removes dot segments, since "%2e%2e" means "..". Other schemes than http, such as
// mailto:, are not ok.
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
