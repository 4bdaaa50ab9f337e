package sitemap

import (
	"bytes"
	"errors"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/politecrawl/politecrawl/robotsext/internal/hostname"
)

// maxLoc is the length that a location must not reach, in characters (ROB-SMP-15).
const maxLoc = 2048

// Reasons for rejecting a location.
var (
	errNotAbsolute = errors.New("not an absolute http, https or ftp URL")
	errLong        = errors.New("2,048 characters or more")
	errControl     = errors.New("a control character, or bytes that are no UTF-8")
	errHost        = errors.New("no valid host name")
	errUser        = errors.New("no valid user name")
	errPort        = errors.New("no valid port")
)

// location checks a URL and converts it to ASCII (ROB-SMP-06, ROB-SMP-15).
func location(b []byte) (string, error) {
	plain := true
	for _, c := range b {
		if c <= ' ' || c >= 0x7F {
			if c < ' ' || c == 0x7F {
				return "", errControl
			}
			plain = false
		}
	}
	if len(b) >= maxLoc && (plain || utf8.RuneCount(b) >= maxLoc) {
		return "", errLong
	}
	start := afterScheme(b)
	if start == 0 {
		return "", errNotAbsolute
	}
	end := start
	for end < len(b) && b[end] != '/' && b[end] != '?' && b[end] != '#' && b[end] != '\\' {
		end++
	}
	host := b[start:end]
	if end < len(b) && b[end] == '\\' {
		return "", errHost // browsers read it as a slash, others as part of the host
	}
	if isPlainHost(host) {
		if plain && bytes.IndexByte(b[end:], '%') < 0 {
			return string(b), nil
		}
		return encode(string(b[:end]), b[end:])
	}
	authority, err := canonicalAuthority(string(host))
	if err != nil {
		return "", err
	}
	return encode(string(b[:start])+authority, b[end:])
}

// afterScheme returns the length of the scheme with its "://", or 0 if the scheme is not
// supported.
func afterScheme(b []byte) int {
	scheme, _, ok := bytes.Cut(b[:min(len(b), len("https://"))], []byte("://"))
	for _, known := range [...]string{"https", "http", "ftp"} {
		if ok && strings.EqualFold(string(scheme), known) {
			return len(scheme) + len("://")
		}
	}
	return 0
}

// isPlainHost reports whether host is an ordinary name without a port. Most hosts are.
func isPlainHost(host []byte) bool {
	for _, c := range host {
		if c|0x20 < 'a' || c|0x20 > 'z' {
			if (c < '0' || c > '9') && c != '.' && c != '-' && c != '_' {
				return false
			}
		}
	}
	return len(host) > 0 && host[0] != '.'
}

// canonicalAuthority checks "user@host:port" and converts the host to ASCII.
func canonicalAuthority(authority string) (string, error) {
	user, host := "", authority
	if i := strings.LastIndexByte(authority, '@'); i >= 0 {
		user, host = authority[:i+1], authority[i+1:]
		if _, err := url.Parse("http://" + user + "h"); err != nil {
			return "", errUser
		}
	}
	port := ""
	if i := strings.LastIndexByte(host, ':'); i >= 0 && !strings.HasSuffix(host, "]") {
		host, port = host[:i], host[i:]
		if n, err := strconv.ParseUint(port[1:], 10, 16); port != ":" && (err != nil || n == 0) {
			return "", errPort
		}
	}
	if !isPlainHost([]byte(host)) {
		canonical, err := hostname.Canonical(host)
		if err != nil {
			return "", errHost
		}
		host = canonical
	}
	return user + host + port, nil
}

const hex = "0123456789ABCDEF"

// encode appends rest to start and percent-encodes characters that a URL cannot have. It
// also encodes a '%' that does not begin an escape, except in a query, where "?off=5%" may
// be intended.
func encode(start string, rest []byte) (string, error) {
	if !utf8.Valid(rest) || bytes.Contains(rest, []byte("\uFFFD")) {
		return "", errControl
	}
	query, _, _ := bytes.Cut(rest, []byte("#"))
	fragment := len(query)
	path := bytes.IndexByte(query, '?')
	if path < 0 {
		path = fragment
	}
	var b strings.Builder
	b.Grow(len(start) + 3*len(rest))
	b.WriteString(start)
	for i, c := range rest {
		stray := c == '%' && (i < path || i > fragment) && !isEscape(rest[i:])
		if c <= ' ' || c >= 0x7F || stray {
			b.Write([]byte{'%', hex[c>>4], hex[c&15]})
		} else {
			b.WriteByte(c)
		}
	}
	return b.String(), nil
}

// isEscaped reports whether a location has only characters that a URL may have (RFC 3986,
// RFC 3987), apart from quotes and angle brackets, which the protocol mentions.
func isEscaped(b []byte) bool {
	for i := range b {
		if needsEscape(b[i:]) {
			return false
		}
	}
	return true
}

// escape percent-encodes the characters for which [isEscaped] is false.
func escape(loc string) string {
	var b strings.Builder
	for i := range len(loc) {
		if needsEscape([]byte(loc[i:min(i+3, len(loc))])) {
			b.Write([]byte{'%', hex[loc[i]>>4], hex[loc[i]&15]})
		} else {
			b.WriteByte(loc[i])
		}
	}
	return b.String()
}

// needsEscape reports whether a URL must not have the character with which b begins.
func needsEscape(b []byte) bool {
	return b[0] == '%' && !isEscape(b) || strings.IndexByte(" \\^`{|}", b[0]) >= 0
}

// isEscape reports whether b, which begins with '%', begins with an escape.
func isEscape(b []byte) bool {
	return len(b) > 2 && isHex(b[1]) && isHex(b[2])
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f'
}
