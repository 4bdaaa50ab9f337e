package frontier

import (
	"fmt"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/robotsext/server"
)

// A Host is a server, the unit of politeness and of sharding (ROB-POL-01): the
// host name in lower case and without trailing dot, an IPv4-mapped address as
// IPv4, and the port unless it is 80 or 443, as in "example.com" and
// "[2001:db8::1]:8443". The scheme is no part of it: http://h/ and https://h/ are
// two URLs of one Host, and share its clock.
type Host string

// HostOf returns the host of an absolute URL. The error is ErrInvalid.
func HostOf(url string) (Host, error) {
	_, authority, ok := strings.Cut(url, "://")
	if end := strings.IndexAny(authority, "/?#"); end >= 0 {
		authority = authority[:end]
	}
	name := server.Name(authority[strings.LastIndexByte(authority, '@')+1:])
	if !ok || !isAbsolute(url) || name == "" {
		return "", fmt.Errorf("%w: no host in URL %q", ErrInvalid, url)
	}
	return Host(name), nil
}

// isAbsolute tells a URL that may be canonical from a path: it begins with the
// letter of a scheme.
func isAbsolute(url string) bool { return url != "" && 'a' <= url[0] && url[0] <= 'z' }

// An Item is a URL to be fetched, as Add takes it and Lease returns it.
type Item struct {
	// URL is canonical and absolute. It alone says what is the same page:
	// the frontier compares bytes.
	URL string
	// Host is the host whose clock and slots a request for URL uses. Empty:
	// taken from URL. The same URL has to come with the same Host each time.
	Host Host
	// Priority is 0 for what is wanted first.
	Priority uint8
	// NotBefore is the earliest time of the first lease. Zero: now. A lease
	// does not repeat it.
	NotBefore time.Time
	// Meta is kept for the caller and not looked at: depth, source, referrer.
	// It is held for every URL that waits, so keep it small.
	Meta []byte
}

// HostsOf returns the host of each item: its Host or, where that is empty, the
// one of its URL. It is for stores; the error is ErrInvalid.
func HostsOf(items []Item) ([]Host, error) {
	hosts := make([]Host, len(items))
	for i := range items {
		it := &items[i]
		if it.Host != "" && isAbsolute(it.URL) {
			hosts[i] = it.Host
			continue
		}
		var err error
		if hosts[i], err = HostOf(it.URL); err != nil {
			return nil, fmt.Errorf("item %d: %w", i, err)
		}
	}
	return hosts, nil
}
