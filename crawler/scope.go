package crawler

import (
	"net"
	"strings"
	"sync"

	"golang.org/x/net/publicsuffix"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
)

// Scope says which URLs belong to a crawl.
type Scope string

const (
	// ScopeHost is the servers of the start URLs: the same host name, with a dot
	// behind it or not, http and https alike, and the same port unless it is a
	// default one.
	ScopeHost Scope = "host"
	// ScopeDomain is the registrable domains of the start URLs with all their
	// sub-domains (example.co.uk for www.example.co.uk), on any port.
	ScopeDomain Scope = "domain"
	// ScopeAny is every URL that is found. Set limits with it.
	ScopeAny Scope = "any"
)

func (s Scope) valid() bool { return s == ScopeHost || s == ScopeDomain || s == ScopeAny }

// boundary is a Scope with the hosts it has been given so far. It only grows.
// It is safe for concurrent use.
type boundary struct {
	scope Scope

	mu    sync.RWMutex // guards both below
	keys  map[string]bool
	hosts map[frontier.Host]bool // that keys have been found to hold
}

func newBoundary(scope Scope) *boundary {
	return &boundary{scope: scope, keys: make(map[string]bool), hosts: make(map[frontier.Host]bool)}
}

// holds tells whether a belongs to the crawl.
func (b *boundary) holds(a weburl.URL) bool {
	if b.scope == ScopeAny {
		return true
	}
	b.mu.RLock()
	known, held := b.hosts[a.Server], false
	if !known {
		held = b.keys[b.key(a)]
	}
	b.mu.RUnlock()
	if held {
		b.mu.Lock()
		if len(b.hosts) >= maxKnownHosts { // a domain may have hosts without end
			clear(b.hosts)
		}
		b.hosts[a.Server] = true
		b.mu.Unlock()
	}
	return known || held
}

// join brings the host of a into the scope, and tells whether that is news.
func (b *boundary) join(a weburl.URL) bool {
	if b.holds(a) {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	key := b.key(a)
	news := !b.keys[key]
	b.keys[key] = true
	return news
}

// key is what two URLs of one scope have in common.
func (b *boundary) key(a weburl.URL) string {
	if b.scope == ScopeDomain {
		if ip := net.ParseIP(strings.Trim(a.Hostname, "[]")); ip != nil {
			return ip.String()
		}
		if domain, err := publicsuffix.EffectiveTLDPlusOne(a.Hostname); err == nil {
			return domain
		}
		return a.Hostname // a public suffix itself, or a bare name such as localhost
	}
	return string(a.Server)
}
