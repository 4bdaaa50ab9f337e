// Package weburl parses URLs and references as browsers do. It returns their canonical form,
// their origin and their server.
package weburl

import (
	"cmp"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strings"

	whatwg "github.com/nlnwa/whatwg-url/url"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/escape"
	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/secret"
)

// urls parses URLs as browsers do (the WHATWG standard), with the parser and the option that
// colly uses. So the frontier, the robots.txt check and the request have the same URL, octet
// for octet. The option escapes a stray % in a path, which net/url cannot carry: browsers
// request /100%, this package /100%25, which servers read as the same path. Net/url also
// escapes | in a path, as Chromium does, but not the standard.
var urls = whatwg.NewParser(whatwg.WithPercentEncodeSinglePercentSign())

// MaxLength is the maximum length of a URL in bytes, which is what servers accept in a request
// line. Longer URLs are mistakes or attacks.
const MaxLength = 8 << 10

// MaxSegments is the maximum number of segments in the path of a URL. maxUser is the maximum
// length of userinfo with its host, in bytes.
const (
	MaxSegments = 200
	maxUser     = 1 << 10
)

// ErrTooLong says that a URL is too long, or that its path has too many segments.
var ErrTooLong = errors.New("URL too long")

// URL is a URL in canonical form, with the origin and the server that it belongs to.
type URL struct {
	Canonical string           // absolute, canonical, no fragment, no userinfo
	Origin    robotsext.Origin // its robots.txt applies
	Server    frontier.Host    // the server: the unit of politeness
	Hostname  string
}

// Parse parses an absolute URL. It returns an error if the scheme is not http or https, and for
// what cannot be requested though it is a URL: port 0, a name that DNS cannot carry (empty labels,
// other characters than letters, digits, - and _), and URLs beyond MaxLength or MaxSegments.
func Parse(raw string) (URL, error) { return Resolve("", raw) }

// Resolve resolves a reference of the document at base.
func Resolve(base, ref string) (URL, error) {
	if err := cmp.Or(checkComplexity(ref), checkComplexity(base)); err != nil {
		return URL{}, err
	}
	var u *whatwg.Url
	var err error
	if base == "" {
		u, err = urls.Parse(ref)
	} else {
		u, err = urls.ParseRef(base, ref)
	}
	return urlOf(ref, u, err)
}

// ResolveLocation resolves the Location of a redirect of the page at base. As in browsers, its
// octets that are not ASCII stay as they are and are escaped. It also returns the fragment, which
// replaces that of the link if hasFragment is set, even if it is empty. An empty Location is base.
func ResolveLocation(base, location string) (a URL, fragment string, hasFragment bool, err error) {
	ref := EscapeOctets(location)
	if err := cmp.Or(checkComplexity(ref), checkComplexity(base)); err != nil {
		return URL{}, "", false, err
	}
	u, err := urls.ParseRef(base, ref)
	if err == nil {
		_, fragment, hasFragment = strings.Cut(u.Href(false), "#")
	}
	if a, err = urlOf(ref, u, err); err != nil {
		return URL{}, "", false, err
	}
	return a, fragment, hasFragment, nil
}

// EscapeOctets escapes the octets of a text that are not ASCII.
func EscapeOctets(text string) string {
	var escaped strings.Builder
	escapeOctets(&escaped, text)
	return escaped.String()
}

// urlOf returns the URL that was parsed from a reference.
func urlOf(ref string, u *whatwg.Url, err error) (URL, error) {
	if err != nil {
		return URL{}, invalidError(ref, err)
	}
	if s := u.Scheme(); s != "http" && s != "https" {
		return URL{}, invalidError(ref, robotsext.ErrUnsupportedScheme)
	}
	u.SetUsername("")
	u.SetPassword("")
	parsed, err := url.Parse(u.Href(true))
	if err != nil {
		return URL{}, invalidError(ref, err)
	}
	// net/http escapes a little more than browsers do.
	if parsed, err = robotsext.CleanURL(parsed); err != nil {
		return URL{}, invalidError(ref, err)
	}
	origin, err := robotsext.OriginOf(parsed)
	if err != nil {
		return URL{}, invalidError(ref, err)
	}
	canonical := parsed.String()
	if len(canonical) > MaxLength {
		return URL{}, fmt.Errorf("%w: %d bytes, more than %d", ErrTooLong, len(canonical), MaxLength)
	}
	return URL{Canonical: canonical, Origin: origin, Server: ServerOf(string(origin)), Hostname: strings.TrimSuffix(u.Hostname(), ".")}, nil
}

// checkComplexity returns an error if a text is too long to parse as a URL, or would take
// quadratic time. The parser copies the user name with each character, and the path with
// each segment: at 8 KiB that is ten milliseconds and more, and a page may have ten
// thousand links.
func checkComplexity(ref string) error {
	if len(ref) > MaxLength {
		return fmt.Errorf("%w: %d bytes, more than %d", ErrTooLong, len(ref), MaxLength)
	}
	before := ref
	if i := strings.IndexAny(ref, "?#"); i >= 0 {
		before = ref[:i]
	}
	if n := Segments(before); n > MaxSegments {
		return fmt.Errorf("%w: %d path segments, more than %d", ErrTooLong, n, MaxSegments)
	}
	if len(before) <= maxUser || !strings.Contains(before, "@") {
		return nil
	}
	for part := range strings.FieldsFuncSeq(before, isSlash) {
		if len(part) > maxUser && strings.Contains(part, "@") {
			return fmt.Errorf("%w: %d bytes with a user, more than %d", ErrTooLong, len(part), maxUser)
		}
	}
	return nil
}

// Segments counts the segments of the path of a URL, or of a reference to one.
func Segments(ref string) int {
	scheme, rest, ok := strings.Cut(ref, "//")
	if ok && (scheme == "" || strings.HasSuffix(scheme, ":")) && !strings.ContainsAny(scheme, `/\`) {
		ref = rest // the host and the path
	}
	return strings.Count(ref, "/") + strings.Count(ref, `\`)
}

func isSlash(r rune) bool { return r == '/' || r == '\\' }

// invalidRef is a reference that cannot be requested. Its text is built when needed, since most
// pages have such references and it is rarely read.
type invalidRef struct {
	ref string
	err error
}

func invalidError(ref string, err error) error { return &invalidRef{ref, err} }

// Error returns the text that is written to the output, so it repeats no password, and only the
// beginning of a long reference.
func (e *invalidRef) Error() string {
	hidden := secret.RedactInvalidURL(e.ref)
	short, why := escape.Clip(hidden, escape.MaxBytes), e.err.Error()
	if hidden != e.ref && !errors.Is(e.err, robotsext.ErrUnsupportedScheme) || len(why) > 2*escape.MaxBytes { // it repeats the URL
		return fmt.Sprintf("%q is not a URL", short)
	}
	return fmt.Sprintf("%q: %v", short, e.err)
}

func (e *invalidRef) Unwrap() error { return e.err }

// IsLocal reports whether a host is the own machine, to which browsers need no encryption. An IPv6
// address may have brackets.
func IsLocal(hostname string) bool {
	hostname = strings.TrimSuffix(hostname, ".")
	ip, _ := netip.ParseAddr(strings.Trim(hostname, "[]"))
	return ip.IsLoopback() || hostname == "localhost" || strings.HasSuffix(hostname, ".localhost")
}

// ServerOf returns the server of a URL or an origin, or "" if it has none.
func ServerOf(url string) frontier.Host {
	h, err := frontier.HostOf(url)
	if err != nil {
		return ""
	}
	return h
}

// OriginOf returns the origin of a URL, or "" if it has none.
func OriginOf(raw string) robotsext.Origin {
	u, err := url.Parse(raw)
	if err != nil {
		return ""
	}
	o, err := robotsext.OriginOf(u)
	if err != nil {
		return ""
	}
	return o
}

// Absolute returns a reference with the scheme http or https as it is resolved without a base of
// that scheme: http:x is then http://x. It reports false for other references.
func Absolute(ref string) (url string, ok bool) {
	scheme, rest, _ := strings.Cut(ignored.Replace(ref), ":")
	scheme = strings.ToLower(strings.TrimLeftFunc(scheme, isControlOrSpace))
	return scheme + "://" + strings.TrimLeftFunc(rest, isSlash), scheme == "http" || scheme == "https"
}

func isControlOrSpace(r rune) bool { return r <= ' ' }

// IsWeb reports whether a reference begins with http:, https: or //. Browsers read \ as / there.
func IsWeb(ref string) bool {
	start := strings.TrimLeftFunc(ref, isControlOrSpace)
	start = strings.ToLower(ignored.Replace(start[:min(len(start), 20)]))
	return strings.HasPrefix(start, "http:") || strings.HasPrefix(start, "https:") ||
		len(start) > 1 && isSlash(rune(start[0])) && isSlash(rune(start[1]))
}

// Truncated returns the beginning of a URL that is too long to be parsed. It reports false
// if the URL was not meant to be a page's.
func Truncated(base, ref string) (URL, bool) {
	a, err := Resolve(base, escape.Clip(ref, escape.MaxBytes))
	return a, err == nil
}
