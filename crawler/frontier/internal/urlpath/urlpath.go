// Package urlpath removes scheme and host from URLs that are stored by host.
package urlpath

import "strings"

// plain is the prefix of the path of an http URL. The path of an https URL, the usual case, has no
// prefix, and a complete URL begins with a letter.
const plain = ":"

// Cut returns url without its scheme and host, if these are http or https and exactly host. It
// returns other URLs unchanged, such as those whose host has a trailing dot.
func Cut(url, host string) string {
	if path, ok := cutOrigin(url, "https://", host); ok {
		return path
	}
	if path, ok := cutOrigin(url, "http://", host); ok {
		return plain + path
	}
	return url
}

func cutOrigin(url, scheme, host string) (path string, ok bool) {
	if path, ok = strings.CutPrefix(url, scheme); ok {
		path, ok = strings.CutPrefix(path, host)
	}
	return path, ok && isPath(path)
}

// Join returns the URL of a path that Cut returned.
func Join(host, path string) string {
	if isPath(path) {
		return "https://" + host + path
	}
	if path, ok := strings.CutPrefix(path, plain); ok {
		return "http://" + host + path
	}
	return path
}

func isPath(s string) bool { return s == "" || strings.IndexByte("/?#", s[0]) >= 0 }
