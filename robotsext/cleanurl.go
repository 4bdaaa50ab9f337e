package robotsext

import (
	"fmt"
	"net/url"
	"strings"
)

// CleanURL returns u as it is to be requested: without dot segments, also where
// the dots are escaped, since servers remove them and rules do not speak of them
// (ROB-MAT-25, RFC 3986 5.2.4). Doubled slashes stay. If there is nothing to
// remove it returns u itself. A URL without a path of its own (opaque, or a path
// that does not begin with a slash) is ErrUncheckable.
func CleanURL(u *url.URL) (*url.URL, error) {
	path := u.EscapedPath()
	if u.Opaque != "" || path != "" && path[0] != '/' {
		return nil, fmt.Errorf("%w: %s", ErrUncheckable, u.Redacted())
	}
	clean := removeDotSegments(path)
	if clean == path {
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

// removeDotSegments works on an escaped path that is empty or begins with a
// slash.
func removeDotSegments(path string) string {
	if !strings.Contains(path, "/.") && !strings.Contains(path, "/%2") {
		return path
	}
	segments := strings.Split(path, "/")[1:]
	kept := segments[:0]
	for i, s := range segments {
		dots := dotCount(s)
		if dots == 2 && len(kept) > 0 {
			kept = kept[:len(kept)-1]
		}
		if dots == 0 {
			kept = append(kept, s)
		} else if i == len(segments)-1 {
			kept = append(kept, "") // "/a/.." is the directory "/", not nothing
		}
	}
	return "/" + strings.Join(kept, "/")
}

// dotCount is 1 or 2 for a segment of so many dots, written or escaped, else 0.
func dotCount(segment string) int {
	n := 0
	for segment != "" {
		switch {
		case segment[0] == '.':
			segment = segment[1:]
		case len(segment) >= 3 && strings.EqualFold(segment[:3], "%2e"):
			segment = segment[3:]
		default:
			return 0
		}
		n++
	}
	if n > 2 {
		return 0
	}
	return n
}
