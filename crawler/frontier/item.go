package frontier

import (
	"fmt"
	"strings"
	"time"
)

// A Host is the unit of politeness, and of sharding: an origin in canonical
// form, scheme://host or scheme://host:port, lower case, the default port left
// out, as in "https://example.com". Two URLs of the same Host share its clock.
type Host string

// HostOf returns the host of a canonical, absolute URL. It cuts and does not
// canonicalise. The error is ErrInvalid.
func HostOf(url string) (Host, error) {
	scheme, rest, ok := strings.Cut(url, "://")
	authority := rest
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		authority = rest[:end]
	}
	name := authority[strings.LastIndexByte(authority, '@')+1:]
	if !ok || !isAbsolute(url) || name == "" {
		return "", fmt.Errorf("%w: no host in URL %q", ErrInvalid, url)
	}
	if len(name) < len(authority) { // user information is no part of the host
		return Host(scheme + "://" + name), nil
	}
	return Host(url[:len(scheme)+len("://")+len(name)]), nil
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
