package robotsext

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/politecrawl/politecrawl/robotsext/internal/dotsegment"
	"github.com/politecrawl/politecrawl/robotsext/internal/percent"
)

// CleanURL returns u in the form that is requested and checked. It removes dot
// segments and escapes illegal octets of the path. If nothing changes it returns u
// itself. It fails with ErrUncheckable if u is opaque, or its path is relative or has
// invalid escapes.
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
// unescaped.
func escapeIllegal(path string) string {
	legal := func(c byte) bool {
		return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-._~!$&'()*+,;=:@[]/%", c) >= 0
	}
	return percent.Escape(path, func(c byte) bool { return !legal(c) })
}
