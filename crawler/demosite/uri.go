package demosite

import (
	"net/url"
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

const upperHex = "0123456789ABCDEF"

// canonical gives path-and-query one spelling, so that requests that differ
// only in how they escape the same URL meet the same route: escapes of
// unreserved characters are undone, the others get upper-case digits, and
// octets that may not stand in a URL are escaped (RFC 3986 6.2.2). Reserved
// characters stay apart from their escapes; a fragment is dropped.
func canonical(uri string) string {
	uri, _, _ = strings.Cut(uri, "#")
	var b strings.Builder
	for i := 0; i < len(uri); i++ {
		c := uri[i]
		if c == '%' && i+2 < len(uri) {
			hi, lo := unhex(uri[i+1]), unhex(uri[i+2])
			if hi >= 0 && lo >= 0 {
				if d := byte(hi<<4 | lo); unreserved(d) {
					b.WriteByte(d)
				} else {
					escape(&b, d)
				}
				i += 2
				continue
			}
		}
		if c <= ' ' || c >= 0x7f {
			escape(&b, c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

func escape(b *strings.Builder, c byte) {
	b.WriteByte('%')
	b.WriteByte(upperHex[c>>4])
	b.WriteByte(upperHex[c&15])
}

func unhex(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
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
