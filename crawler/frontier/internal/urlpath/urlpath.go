// Package urlpath cuts the host off URLs that are kept by host.
package urlpath

import "strings"

// Cut returns url without the host that it begins with. A URL that does not
// begin with host is returned whole.
func Cut(url, host string) string {
	if path, ok := strings.CutPrefix(url, host); ok && isPath(path) {
		return path
	}
	return url
}

// Join returns the URL that Cut has cut.
func Join(host, path string) string {
	if isPath(path) {
		return host + path
	}
	return path
}

func isPath(s string) bool { return s == "" || strings.IndexByte("/?#", s[0]) >= 0 }
