package sitemap

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/politecrawl/politecrawl/robotsext/internal/dotsegment"
	"github.com/politecrawl/politecrawl/robotsext/internal/hostname"
)

// Policy decides which entries of a sitemap are accepted. Without one, a sitemap could
// list pages of any other site.
type Policy uint8

const (
	// Listed accepts entries on an origin whose robots.txt lists the sitemap or an index
	// above it, because the owner of the origin trusts the sitemap. It also accepts entries in the sitemap's own
	// directory and below, and, if it is an index, sitemaps on its own origin.
	Listed Policy = iota

	// Directory follows the protocol strictly: it accepts entries in the sitemap's own
	// directory and below, with its scheme, host and port.
	Directory

	// Any accepts every entry.
	Any
)

// Scope decides which entries of one sitemap to accept. It does no I/O.
type Scope struct {
	policy   Policy
	own      string
	dir      string
	listedBy []string
}

// NewScope returns the scope of the sitemap at sitemapURL. ListedBy are the URLs of the
// robots.txt files that list the sitemap or its index; only their scheme, host and port
// count. It fails if a URL is invalid.
func NewScope(policy Policy, sitemapURL string, listedBy ...string) (Scope, error) {
	u, err := parseAbsolute(sitemapURL)
	if err != nil {
		return Scope{}, err
	}
	s := Scope{policy: policy, own: authority(u)}
	path := cleanPath(u)
	s.dir = path[:strings.LastIndexByte(path, '/')+1]
	for _, raw := range listedBy {
		u, err := parseAbsolute(raw)
		if err != nil {
			return Scope{}, err
		}
		s.listedBy = append(s.listedBy, authority(u))
	}
	return s, nil
}

func parseAbsolute(raw string) (*url.URL, error) {
	u, err := url.Parse(raw)
	if err != nil {
		return nil, fmt.Errorf("scope: %w", err)
	}
	if u.Host == "" {
		return nil, fmt.Errorf("scope: %q is not an absolute URL", raw)
	}
	return u, nil
}

// Accepts reports whether the scope accepts e.
func (s Scope) Accepts(e Entry) bool {
	if s.policy == Any {
		return true
	}
	u, err := url.Parse(e.Loc)
	if err != nil {
		return false
	}
	a := authority(u)
	if s.policy == Listed && (slices.Contains(s.listedBy, a) || e.Sitemap && a == s.own) {
		return true
	}
	return a == s.own && strings.HasPrefix(cleanPath(u), s.dir)
}

// authority returns scheme, host and port in canonical form.
func authority(u *url.URL) string {
	host := strings.ToLower(strings.TrimSuffix(u.Host, ":"+u.Port()))
	if canonical, err := hostname.Canonical(host); err == nil {
		host = canonical
	}
	port := u.Port()
	if n, err := strconv.ParseUint(port, 10, 16); err == nil {
		port = strconv.FormatUint(n, 10) // without leading zeros
	}
	switch scheme := strings.ToLower(u.Scheme); {
	case scheme == "http" && port == "80", scheme == "https" && port == "443", scheme == "ftp" && port == "21":
		port = ""
	}
	return strings.ToLower(u.Scheme) + "://" + host + ":" + port
}

// cleanPath returns the path of u as a server sees it, without dot segments and
// unnecessary escapes. "/shop/%2E%2e/x" is not in /shop/.
func cleanPath(u *url.URL) string {
	return dotsegment.Remove("/" + strings.TrimPrefix(unescapeUnreserved(u.EscapedPath()), "/"))
}

// unescapeUnreserved decodes the escapes of letters, digits, '-', '.', '_' and '~', which
// equal these characters (RFC 3986, 6.2.2.2). It writes other escapes in upper case.
func unescapeUnreserved(path string) string {
	if !strings.Contains(path, "%") {
		return path
	}
	var b strings.Builder
	for i := 0; i < len(path); i++ {
		if path[i] != '%' || i+2 >= len(path) {
			b.WriteByte(path[i])
			continue
		}
		c, err := url.PathUnescape(path[i : i+3])
		switch {
		case err == nil && isUnreserved(c[0]):
			b.WriteString(c)
		default:
			b.WriteString(strings.ToUpper(path[i : i+3]))
		}
		i += 2
	}
	return b.String()
}

func isUnreserved(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || strings.IndexByte("-._~", c) >= 0
}
