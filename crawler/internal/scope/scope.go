// Package scope decides which URLs belong to a crawl: by host or directory, by depth, by
// regular expressions, and by the limits of single URLs.
package scope

import (
	"net"
	"strings"
	"sync"

	"golang.org/x/net/publicsuffix"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
)

// Kind says which URLs belong to a crawl.
type Kind string

// The kinds of scope: the servers of the start URLs, their directories on these servers, the
// registrable domains of the servers with all sub-domains, and every URL.
const (
	Host   Kind = "host"
	Path   Kind = "path"
	Domain Kind = "domain"
	Any    Kind = "any"
)

// Valid reports whether k is one of the kinds.
func (k Kind) Valid() bool { return k == Host || k == Path || k == Domain || k == Any }

// Scope is a kind of scope with the hosts or directories that have joined it so far. It only
// grows. It is safe for concurrent use.
type Scope struct {
	kind   Kind
	bounds Bounds

	mu    sync.RWMutex    // guards the fields below
	keys  map[string]bool // see Key; with kind Path also each directory behind its key
	above map[string]bool // with kind Path: all directories that contain one of keys
}

// New returns an empty scope; with kind Any it holds every URL.
func New(kind Kind, bounds Bounds) *Scope {
	return &Scope{kind: kind, bounds: bounds, keys: make(map[string]bool), above: make(map[string]bool)}
}

// Holds reports whether u belongs to the crawl.
func (s *Scope) Holds(u weburl.URL) bool {
	if s.kind == Any {
		return true
	}
	key := s.Key(u)
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.holds(key, u)
}

// holds implements Holds. The lock is held.
func (s *Scope) holds(key string, u weburl.URL) bool {
	if s.kind != Path || !s.keys[key] {
		return s.keys[key]
	}
	below := key + directory(u)
	for i := len(key); i < len(below); i++ {
		if below[i] == '/' && s.keys[below[:i+1]] {
			return true
		}
	}
	return false
}

// HoldsServer reports whether any URL on a server belongs to the crawl.
func (s *Scope) HoldsServer(server frontier.Host) bool {
	if s.kind == Any {
		return true
	}
	key := s.key(server)
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.keys[key]
}

// Join adds the host of u to the scope, or its directory if the kind is Path. It reports
// whether it was new.
func (s *Scope) Join(u weburl.URL) bool {
	if s.kind == Any {
		return false
	}
	key := s.Key(u)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.holds(key, u) {
		return false
	}
	s.keys[key] = true
	if s.kind == Path {
		dir := key + directory(u)
		s.keys[dir] = true
		for i := len(key); i < len(dir)-1; i++ {
			if dir[i] == '/' {
				s.above[dir[:i+1]] = true
			}
		}
	}
	return true
}

// Widens reports whether u is outside the scope, and its directory contains one in the scope. With
// other kinds than Path it is false.
func (s *Scope) Widens(u weburl.URL) bool {
	if s.kind != Path {
		return false
	}
	key := s.Key(u)
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.above[key+directory(u)] && !s.holds(key, u)
}

// Root returns the URL of what u adds to the scope: its origin, or its directory if the kind
// is Path.
func (s *Scope) Root(u weburl.URL) string {
	if s.kind == Path {
		return string(u.Origin) + directory(u)
	}
	return string(u.Origin)
}

// directory returns the path of a URL up to its last slash.
func directory(u weburl.URL) string {
	path, _, _ := strings.Cut(u.Canonical[len(u.Origin):], "?")
	return path[:strings.LastIndexByte(path, '/')+1]
}

// ByPath reports whether directories belong to the crawl, not hosts.
func (s *Scope) ByPath() bool { return s.kind == Path }

// Key returns what two URLs of one scope have in common. URLs of one key may be in different
// directories.
func (s *Scope) Key(u weburl.URL) string { return s.key(u.Server) }

func (s *Scope) key(server frontier.Host) string {
	name := string(server)
	if s.kind != Domain {
		return name
	}
	if port := strings.LastIndexByte(name, ':'); port > strings.LastIndexByte(name, ']') {
		name = name[:port]
	}
	if domain, err := publicsuffix.EffectiveTLDPlusOne(name); err == nil && net.ParseIP(name) == nil {
		return domain
	}
	return name // an IP address, a public suffix itself, or a bare name such as localhost
}
