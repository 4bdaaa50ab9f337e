package weburl

import (
	"cmp"
	"strings"
	"sync"

	whatwg "github.com/nlnwa/whatwg-url/url"
)

// Resolver resolves the references of one document.
type Resolver struct {
	origins *OriginCache
	base    URL
	origin  string // of base, without a slash at the end
	folder  string // the path of base up to its last slash

	parsed *whatwg.Url // base, parsed when first needed: 8 KB take as long as a page of links
}

// NewResolver returns a resolver for a document at base, a canonical URL.
func NewResolver(base string, known *OriginCache) (*Resolver, error) {
	a, _, ok := known.splitOrigin(base)
	if a.Canonical = base; !ok {
		var err error
		if a, err = Parse(base); err != nil {
			return nil, err
		}
	}
	origin := string(a.Origin)
	path, _, _ := strings.Cut(a.Canonical[len(origin):], "?")
	return &Resolver{origins: known, base: a, origin: origin, folder: path[:strings.LastIndexByte(path, '/')+1]}, nil
}

// Resolve is the function Resolve for base. It does not parse the most common references:
// paths of plain characters, with or without a host that is cached.
func (r *Resolver) Resolve(ref string) (URL, error) {
	plain, _, _ := strings.Cut(ref, "#")
	if len(plain) > MaxLength/2 {
		return r.parse(ref)
	}
	if a, path, ok := r.origins.splitOrigin(plain); ok && isPlain(path) {
		a.Canonical = string(a.Origin) + path
		return a, nil
	}
	if !isPlain(plain) {
		return r.parse(ref)
	}
	a := r.base
	if plain[0] == '/' {
		a.Canonical = r.origin + plain
	} else {
		a.Canonical = r.origin + r.folder + plain
	}
	return a, nil
}

// parse resolves a reference with the URL parser.
func (r *Resolver) parse(ref string) (URL, error) {
	if err := cmp.Or(checkComplexity(ref), checkComplexity(r.base.Canonical)); err != nil {
		return URL{}, err
	}
	if r.parsed == nil {
		base, err := urls.Parse(r.base.Canonical)
		if err != nil {
			return URL{}, invalidError(ref, err)
		}
		r.parsed = base
	}
	u, err := r.parsed.Parse(ref)
	return urlOf(ref, u, err)
}

// isPlain reports whether a reference is a path, with or without a query, that parsing
// leaves unchanged: no scheme, host, escapes, dot segments or characters to be escaped.
func isPlain(ref string) bool {
	if ref == "" || ref[0] == '?' || strings.HasPrefix(ref, "//") {
		return false
	}
	query, afterSlash := false, ref[0] != '/'
	for i := range len(ref) {
		c := ref[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_', c == '~', c == '=', c == '&', c == ';', c == '+':
		case c == '?':
			query = true
		case c == '/':
		case c == '.':
			if afterSlash && !query {
				return false
			}
		case c == ':' || c == '@' || c == ',':
			if !query {
				return false
			}
		default:
			return false
		}
		afterSlash = c == '/'
	}
	return true
}

// OriginCache caches origins by their spelling in URLs, since a crawl finds the same ones
// often. It is safe for concurrent use.
type OriginCache struct {
	mu    sync.RWMutex // guards known
	known map[string]URL
}

// maxOrigins limits the number of cached origins, and maxWritten their length. A host name has
// at most 253 characters.
const (
	maxOrigins = 10_000
	maxWritten = 300
)

// NewOriginCache returns an empty cache.
func NewOriginCache() *OriginCache { return &OriginCache{known: make(map[string]URL)} }

// splitOrigin splits an absolute URL into its origin, with the path /, and the unchanged rest,
// which begins with a slash. It reports false for a URL that has to be parsed as a whole.
func (o *OriginCache) splitOrigin(url string) (a URL, rest string, ok bool) {
	start := len("http://")
	if strings.HasPrefix(url, "https://") {
		start++
	} else if !strings.HasPrefix(url, "http://") {
		return URL{}, "", false
	}
	end := start
	for end < len(url) && isHostChar(url[end]) {
		end++
	}
	written := url[:end]
	switch {
	case end == start || end < len(url) && url[end] != '/' || len(written) > maxWritten:
		return URL{}, "", false
	case end == len(url):
		rest = "/"
	default:
		rest = url[end:]
	}
	o.mu.RLock()
	a, ok = o.known[written]
	o.mu.RUnlock()
	if ok {
		return a, rest, true
	}
	a, err := Parse(written + "/")
	if err != nil || a.Canonical != string(a.Origin)+"/" {
		return URL{}, "", false
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.known) >= maxOrigins {
		clear(o.known)
	}
	o.known[strings.Clone(written)] = a
	return a, rest, true
}

// isHostChar reports whether c can be part of a host name or port.
func isHostChar(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '.' || c == ':'
}
