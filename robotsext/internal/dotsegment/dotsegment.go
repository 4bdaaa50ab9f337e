// Package dotsegment removes the segments "." and ".." from the path of a URL.
package dotsegment

import "strings"

// Remove applies RFC 3986 section 5.2.4 to an escaped path that is empty or begins
// with a slash. A dot may be escaped, since servers decode %2e before they remove
// segments. Doubled slashes stay.
func Remove(path string) string {
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
			kept = append(kept, "") // "/a/.." is the directory "/", not ""
		}
	}
	return "/" + strings.Join(kept, "/")
}

// dotCount returns 1 or 2 for a segment of one or two dots, escaped or not, else 0.
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
