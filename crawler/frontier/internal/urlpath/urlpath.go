// Package urlpath cuts the host off URLs that are kept by host.
package urlpath

import "strings"

// plain stands before what is cut off a URL of http. One of https, which most are,
// has nothing before it, and one that is whole begins with the letter of its scheme.
const plain = ":"

// Cut returns url without its scheme and host, when these are http or https and
// host as it is spelt here. Another URL, such as that of a host with a trailing
// dot, is returned whole.
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

// Join returns the URL that Cut has cut.
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
