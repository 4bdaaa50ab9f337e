package robotsext

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/politecrawl/politecrawl/robotsext/internal/dotsegment"
)

// CleanURL returns u as it is to be requested: without dot segments, also where
// the dots are escaped, since servers remove them and rules do not speak of them
// (ROB-MAT-25, RFC 3986 5.2.4). Doubled slashes stay. An octet of the path that no
// URI holds raw is escaped, and nothing else: net/url would spell the whole path
// anew, /it's|a%2Fb as /it%27s%7Ca/b, which is another page to a server and to a
// rule (ROB-MAT-28). If there is nothing to change it returns u itself. A URL
// without a path of its own (opaque, or a path that does not begin with a slash) is
// ErrUncheckable.
func CleanURL(u *url.URL) (*url.URL, error) {
	sent := u.EscapedPath()
	if u.Opaque != "" || sent != "" && sent[0] != '/' {
		return nil, fmt.Errorf("%w: %s", ErrUncheckable, u.Redacted())
	}
	path := sent
	if sent != u.RawPath && u.RawPath != "" {
		if meant, err := url.PathUnescape(u.RawPath); err == nil && meant == u.Path {
			path = escapeIllegal(u.RawPath)
		}
	}
	clean := dotsegment.Remove(path)
	if clean == sent {
		return u, nil
	}
	unescaped, err := url.PathUnescape(clean)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUncheckable, err)
	}
	c := *u
	c.Path, c.RawPath = unescaped, clean
	return &c, nil
}

// escapeIllegal escapes the octets of an escaped path that net/url does not send
// raw.
func escapeIllegal(path string) string {
	legal := func(c byte) bool {
		return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-._~!$&'()*+,;=:@[]/%", c) >= 0
	}
	var b strings.Builder
	for i := range len(path) {
		if legal(path[i]) {
			b.WriteByte(path[i])
		} else {
			fmt.Fprintf(&b, "%%%02X", path[i])
		}
	}
	return b.String()
}
