package frontier

import (
	"fmt"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/robotsext/serverkey"
)

// A Host is a server, the unit of politeness and sharding: the host name in lower case and
// without trailing dot, an IPv4-mapped address as IPv4, and the port unless it is 80 or 443,
// such as "example.com" and "[2001:db8::1]:8443". It has no scheme: http://h/ and https://h/
// are URLs of one Host and share its due time.
type Host string

// HostOf returns the host of an absolute URL, or ErrInvalid.
func HostOf(url string) (Host, error) {
	_, authority, ok := strings.Cut(url, "://")
	if end := strings.IndexAny(authority, "/?#"); end >= 0 {
		authority = authority[:end]
	}
	name := serverkey.Of(authority[strings.LastIndexByte(authority, '@')+1:])
	if !ok || !isAbsolute(url) || name == "" {
		return "", fmt.Errorf("%w: no host in URL %q", ErrInvalid, url)
	}
	return Host(name), nil
}

// isAbsolute reports whether a URL begins with a letter, as a scheme does.
func isAbsolute(url string) bool { return url != "" && 'a' <= url[0] && url[0] <= 'z' }

// An Item is a URL to be fetched. Kind, URL and Owner are its Key.
type Item struct {
	Kind  Kind
	URL   string
	Owner string
	// Host is the host whose due time and slots apply to a request. Empty means the host in URL.
	// Always pass the same Host for a URL.
	Host Host
	// Priority 0 comes first.
	Priority uint8
	// NotBefore is the earliest time of the first lease. Zero means now. It is not set in leases.
	NotBefore time.Time
	// Meta is data of the caller, such as depth and source. The store does not interpret it.
	// It is stored for every waiting URL, so keep it small.
	Meta []byte
}

// Key returns the key of the item.
func (it *Item) Key() Key { return Key{it.Kind, it.URL, it.Owner} }

// HostsOf returns the host of each item: its Host or, if empty, the host of its URL. If an item
// has no host or an invalid Key, it returns ErrInvalid. It is for implementations of Frontier.
func HostsOf(items []Item) ([]Host, error) {
	hosts := make([]Host, len(items))
	for i := range items {
		it := &items[i]
		if err := it.Key().validate(); err != nil {
			return nil, fmt.Errorf("item %d: %w", i, err)
		}
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
