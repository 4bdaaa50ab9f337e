package robotstxt

import (
	"slices"
	"strings"

	"github.com/politecrawl/politecrawl/robotsext/internal/hostname"
	"github.com/politecrawl/politecrawl/robotsext/internal/percent"
)

// Sitemap is a Sitemap line: the URL of a sitemap or of a sitemap index, on any host.
type Sitemap struct {
	Line int    `json:"line"` // from 1
	URL  string `json:"url"`  // absolute; as written, except that illegal octets are escaped
}

// sitemapSet collects the sitemaps of a file without duplicates.
type sitemapSet struct {
	list []Sitemap
	keys []string        // for comparison
	seen map[string]bool // the keys, if there are many
}

// add adds a sitemap, or returns the kind of finding that prevents it.
func (s *sitemapSet) add(value string, line int) (reason Kind) {
	if isPlainURL(value) {
		return s.insert(Sitemap{line, value}, value)
	}
	value = strings.TrimSpace(value) // Unicode white space, which is no part of a URL
	host, ok := authority(value)
	if !ok {
		if hasScheme(value) {
			return KindSitemapScheme
		}
		return KindSitemapRelative
	}
	if !isHost(host) {
		return KindSitemapRelative
	}
	if value, ok = asciiURL(value, host); !ok {
		return KindSitemapRelative
	}
	return s.insert(Sitemap{line, value}, sitemapKey(value))
}

// isPlainURL reports whether value is an ordinary URL that needs no conversion.
func isPlainURL(value string) bool {
	rest, ok := strings.CutPrefix(value, "https://")
	if !ok {
		if rest, ok = strings.CutPrefix(value, "http://"); !ok {
			return false
		}
	}
	i := 0
	for i < len(rest) && class[rest[i]]&plainHost != 0 {
		i++
	}
	return i > 0 && isCanonicalPath(rest[i:])
}

// sitemapSchemes are the schemes by which sitemaps can be fetched (ROB-SMP-08).
var sitemapSchemes = []string{"https://", "http://", "ftp://"}

// authority returns the authority of a URL of one of the schemes.
func authority(value string) (host string, ok bool) {
	for _, scheme := range sitemapSchemes {
		if len(value) >= len(scheme) && equalFold(value[:len(scheme)], scheme) {
			host = value[len(scheme):]
			if end := strings.IndexAny(host, "/?"); end >= 0 {
				host = host[:end]
			}
			return host, true
		}
	}
	return "", false
}

// hasScheme reports whether value begins with any scheme (RFC 3986 section 3.1).
func hasScheme(value string) bool {
	scheme, rest, ok := strings.Cut(value, ":")
	if !ok || scheme == "" || lower(scheme[0]) < 'a' || lower(scheme[0]) > 'z' {
		return false
	}
	for i := 1; i < len(scheme); i++ {
		if b := scheme[i]; class[b]&unreserved == 0 && b != '+' || b == '_' || b == '~' {
			return false
		}
	}
	port := strings.TrimLeft(rest, "0123456789") // example.com:8080/s.xml has no scheme
	return port == rest || port != "" && port[0] != '/'
}

// isHost reports whether an authority has a valid host, without a DNS lookup.
func isHost(host string) bool {
	host = host[strings.LastIndexByte(host, '@')+1:]
	for i := 0; i < len(host); i++ {
		if class[host[i]]&noHost != 0 {
			return false
		}
	}
	return host != "" && host[0] != ':'
}

// asciiURL converts an address with any characters to a URL: the host by IDNA, the
// rest by percent-encoding (ROB-SMP-06).
func asciiURL(value, host string) (string, bool) {
	if escapeOctets(value) == value {
		return value, true
	}
	start := strings.Index(value, "://") + len("://")
	end := start + len(host)
	start += strings.LastIndexByte(host, '@') + 1
	host = value[start:end]
	if escapeOctets(host) != host {
		var err error
		if host, err = hostname.ToASCII(host); err != nil || !isHost(host) || escapeOctets(host) != host {
			return "", false
		}
	}
	return escapeOctets(value[:start]) + host + escapeOctets(value[end:]), true
}

// escapeOctets escapes controls, spaces and octets from 0x80.
func escapeOctets(s string) string {
	return percent.Escape(s, func(b byte) bool { return class[b]&escaped != 0 })
}

// sitemapKey returns the same key for equal addresses of a sitemap: scheme and host in
// lower case, no default port, the rest in canonical form.
func sitemapKey(address string) string {
	end := strings.Index(address, "://") + len("://")
	scheme, rest := strings.ToLower(address[:end]), address[end:]
	path := "/"
	if end := strings.IndexAny(rest, "/?"); end >= 0 {
		rest, path = rest[:end], rest[end:]
	}
	host, port := strings.ToLower(rest), ""
	if i := strings.LastIndexByte(host, ':'); i >= 0 {
		host, port = host[:i], host[i:]
	}
	switch {
	case port == ":", scheme == "http://" && port == ":80", scheme == "https://" && port == ":443", scheme == "ftp://" && port == ":21":
		port = ""
	}
	return scheme + host + port + canonicalPath(path, 0)
}

// fewSitemaps is the number of sitemaps up to which a linear search is used.
const fewSitemaps = 32

// insert adds a sitemap if its key is new.
func (s *sitemapSet) insert(sitemap Sitemap, key string) (reason Kind) {
	if len(s.list) == 0 {
		s.list, s.keys = make([]Sitemap, 0, 4), make([]string, 0, 4)
	}
	switch {
	case s.seen[key] || s.seen == nil && slices.Contains(s.keys, key):
		return KindSitemapTwice
	case s.seen != nil:
		s.seen[key] = true
	default:
		if s.keys = append(s.keys, key); len(s.keys) == fewSitemaps {
			s.seen = map[string]bool{}
			for _, k := range s.keys {
				s.seen[k] = true
			}
		}
	}
	s.list = append(s.list, sitemap)
	return ""
}
