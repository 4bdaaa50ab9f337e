package weburl

import (
	"cmp"
	"strings"
	"sync"

	whatwg "github.com/nlnwa/whatwg-url/url"
	"golang.org/x/text/encoding"

	"github.com/politecrawl/politecrawl/robotsext"
)

// Resolver resolves the references of one document.
type Resolver struct {
	base    string
	scheme  string  // of base, with the colon
	origin  string  // of base, without a slash at the end
	path    string  // of base
	folder  string  // path up to its last slash
	complex bool    // base is too complex for the parser
	legacy  *legacy // encodes queries; nil means UTF-8

	parsed *whatwg.Url // base, parsed when first needed: 8 KB take as long as a page of links
}

// NewResolver returns a resolver for a document at base, a canonical URL. Enc is the encoding of
// the document (nil means UTF-8), in which browsers send the queries of its references.
func NewResolver(base string, enc encoding.Encoding) (*Resolver, error) {
	a, err := Of(base)
	if err != nil {
		return nil, err
	}
	origin := string(a.Origin)
	path, _, _ := strings.Cut(a.Canonical[len(origin):], "?")
	return &Resolver{
		base: a.Canonical, origin: origin, path: path, folder: path[:strings.LastIndexByte(path, '/')+1],
		scheme: origin[:strings.IndexByte(origin, ':')+1], complex: checkComplexity(a.Canonical) != nil,
		legacy: legacyOf(enc),
	}, nil
}

// Of returns the parts of a URL that is canonical. It does not parse a URL of a cached origin.
func Of(canonical string) (URL, error) {
	a, _, ok := origins.split(canonical)
	path, same := strings.CutPrefix(canonical, string(a.Origin))
	if !ok || !same || !strings.HasPrefix(path, "/") {
		return Parse(canonical) // it is not canonical, or its host is unusual
	}
	a.Canonical = canonical
	return a, nil
}

// Resolve returns what the function Resolve has as Canonical for base and a query in the encoding of
// the document. It does not parse the most common references; see resolvePlain. FuzzResolver holds
// both ways against each other.
func (r *Resolver) Resolve(ref string) (canonical string, err error) {
	if len(ref) <= MaxLength/2 && !r.complex {
		if hasOtherScheme(ref) {
			return "", invalidError(ref, robotsext.ErrUnsupportedScheme)
		}
		plain, _, _ := strings.Cut(ref, "#")
		if url, ok := r.resolvePlain(plain); ok && len(url) <= MaxLength {
			return url, nil
		}
	}
	a, err := r.parse(ref)
	return a.Canonical, err
}

// resolvePlain resolves a reference without a fragment that needs no parser: paths and queries
// that parsing leaves unchanged, also after dot segments or a host that is cached. It reports
// false for others.
func (r *Resolver) resolvePlain(ref string) (canonical string, ok bool) {
	if strings.HasPrefix(ref, "//") {
		ref = r.scheme + ref
	}
	if a, path, absolute := origins.split(ref); absolute {
		return string(a.Origin) + path, isPlain(path)
	}
	switch {
	case ref == "":
		return r.base, true
	case ref[0] == '?':
		return r.origin + r.path + ref, isPlain(ref)
	case ref[0] == '/':
		return r.origin + ref, isPlain(ref)
	}
	folder, rest := skipDots(r.folder, ref)
	return r.origin + folder + rest, isPlain(rest) && strings.Count(ref, "/") <= MaxSegments
}

// skipDots applies the dot segments that a reference begins with to a folder.
func skipDots(folder, ref string) (newFolder, rest string) {
	for strings.HasPrefix(ref, ".") {
		segment, rest, _ := strings.Cut(ref, "/")
		switch segment {
		case ".":
		case "..":
			if up := folder[:len(folder)-1]; up != "" {
				folder = up[:strings.LastIndexByte(up, '/')+1]
			}
		default:
			return folder, ref
		}
		ref = rest
	}
	return folder, ref
}

// parse resolves a reference with the URL parser.
func (r *Resolver) parse(ref string) (URL, error) {
	if err := cmp.Or(checkComplexity(ref), checkComplexity(r.base)); err != nil {
		return URL{}, err
	}
	if r.parsed == nil {
		base, err := urls.Parse(r.base)
		if err != nil {
			return URL{}, invalidError(ref, err)
		}
		r.parsed = base
	}
	encoded := ref
	if r.legacy != nil {
		encoded = r.legacy.encodeQuery(ref)
	}
	u, err := r.parsed.Parse(encoded)
	return urlOf(ref, u, err)
}

// hasOtherScheme reports whether a reference has a scheme other than http and https, such as
// mailto.
func hasOtherScheme(ref string) bool {
	i := 0
	for i < len(ref) && ('a' <= ref[i]|0x20 && ref[i]|0x20 <= 'z' || i > 0 && isHostChar(ref[i]) && ref[i] != ':' || i > 0 && ref[i] == '+') {
		i++
	}
	if i == 0 || i == len(ref) || ref[i] != ':' {
		return false
	}
	return !strings.EqualFold(ref[:i], "http") && !strings.EqualFold(ref[:i], "https")
}

// The octets that parsing leaves unchanged.
const (
	plainPath uint8 = 1 << iota
	plainQuery
)

var plainOctets = func() (t [256]uint8) {
	for _, c := range []byte("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.~!$&()*+,;=:@/") {
		t[c] = plainPath | plainQuery
	}
	t['\''] = plainPath
	t['?'] = plainQuery
	return t
}()

// isPlain reports whether parsing leaves a path, with or without a query, unchanged: it has no
// dot segments, and neither invalid escapes nor characters to be escaped. A relative path has no
// colon, which might end a scheme.
func isPlain(ref string) bool {
	want, slashes := plainPath, 0
	for i := 0; i < len(ref); i++ {
		c := ref[i]
		switch {
		case c == '?':
			want = plainQuery
			continue
		case c == '%':
			if i+2 >= len(ref) || !isHex(ref[i+1]) || !isHex(ref[i+2]) || want == plainPath && ref[i+1] == '2' && ref[i+2]|0x20 == 'e' {
				return false
			}
		case plainOctets[c]&want == 0:
			return false
		}
		if want == plainQuery {
			continue
		}
		switch c {
		case '/':
			slashes++
		case '.':
			if i == 0 || ref[i-1] == '/' {
				return false
			}
		case ':':
			if ref[0] != '/' {
				return false
			}
		}
	}
	return slashes <= MaxSegments
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f'
}

// originCache caches origins by their spelling in URLs, since a crawl finds the same ones
// often. It is safe for concurrent use.
type originCache struct {
	mu    sync.RWMutex // guards known
	known map[string]URL
}

// origins depends on nothing but the URLs, so all crawls share it.
var origins = originCache{known: make(map[string]URL)}

// maxOrigins limits the number of cached origins, and maxWritten their length. A host name has
// at most 253 characters.
const (
	maxOrigins = 10_000
	maxWritten = 300
)

// split splits an absolute URL into its origin, with the path /, and the unchanged rest,
// which begins with a slash. It reports false for a URL that has to be parsed as a whole.
func (o *originCache) split(url string) (a URL, rest string, ok bool) {
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
