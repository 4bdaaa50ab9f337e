// Package scope decides which URLs belong to a crawl: by host, by depth, and by the limits of
// single URLs.
package scope

import (
	"net"
	"strings"
	"sync"

	"golang.org/x/net/publicsuffix"

	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
)

// Kind says which URLs belong to a crawl.
type Kind string

// The kinds of scope: the servers of the start URLs, their registrable domains with all
// sub-domains, and every URL.
const (
	Host   Kind = "host"
	Domain Kind = "domain"
	Any    Kind = "any"
)

// Valid reports whether k is one of the kinds.
func (k Kind) Valid() bool { return k == Host || k == Domain || k == Any }

// Scope is a kind of scope with the hosts that have joined it so far. It only grows. It is
// safe for concurrent use.
type Scope struct {
	kind   Kind
	bounds Bounds

	mu   sync.RWMutex // guards keys
	keys map[string]bool
}

// New returns an empty scope; with kind Any it holds every URL.
func New(kind Kind, bounds Bounds) *Scope {
	return &Scope{kind: kind, bounds: bounds, keys: make(map[string]bool)}
}

// Holds reports whether u belongs to the crawl.
func (s *Scope) Holds(u weburl.URL) bool {
	if s.kind == Any {
		return true
	}
	key := s.Key(u)
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.keys[key]
}

// Join adds the host of u to the scope. It reports whether it was new.
func (s *Scope) Join(u weburl.URL) bool {
	if s.kind == Any {
		return false
	}
	key := s.Key(u)
	s.mu.Lock()
	defer s.mu.Unlock()
	news := !s.keys[key]
	s.keys[key] = true
	return news
}

// Key returns what two URLs of one scope have in common.
func (s *Scope) Key(u weburl.URL) string {
	if s.kind == Domain {
		if ip := net.ParseIP(strings.Trim(u.Hostname, "[]")); ip != nil {
			return ip.String()
		}
		if domain, err := publicsuffix.EffectiveTLDPlusOne(u.Hostname); err == nil {
			return domain
		}
		return u.Hostname // a public suffix itself, or a bare name such as localhost
	}
	return string(u.Server)
}
