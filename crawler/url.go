package crawler

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"strings"

	whatwg "github.com/nlnwa/whatwg-url/url"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/shown"
	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/secret"
)

// urls reads URLs as browsers do (the WHATWG standard), with the parser and the
// one option that colly uses: so the URL that the frontier knows, the one that
// robots.txt is asked about and the one that is sent are the same, octet for
// octet.
var urls = whatwg.NewParser(whatwg.WithPercentEncodeSinglePercentSign())

// maxURL is the longest URL that is read at all, in bytes: the most that servers take
// with a request line. Longer ones are made by mistake or to hurt.
const maxURL = 8 << 10

// maxPathParts is how many parts the path of a URL may have that is read, and maxUser how
// long a host may be that has a user before it, in bytes.
const (
	maxPathParts = 200
	maxUser      = 1 << 10
)

// errLongURL says that a text is too long, or its path has too many segments, to be read as
// a URL.
var errLongURL = errors.New("crawler: too long a URL")

// address is a URL in canonical form, with the parts that decide about it.
type address struct {
	url      string           // absolute, canonical, no fragment, no user info
	origin   robotsext.Origin // whose robots.txt binds
	host     frontier.Host    // the server: the unit of politeness
	hostname string
}

// Canonical returns the one form under which the crawl knows a URL: scheme and
// host in lower case, the host in punycode, no default port, no dot segments, no
// user info, no fragment; path and query otherwise as written (ROB-MAT-25).
// It fails on what is not an http or https URL.
func Canonical(raw string) (string, error) {
	a, err := resolve("", raw)
	return a.url, err
}

// resolve reads a reference as it stands in the document at base.
func resolve(base, ref string) (address, error) {
	if err := cmp.Or(tangled(ref), tangled(base)); err != nil {
		return address{}, err
	}
	var u *whatwg.Url
	var err error
	if base == "" {
		u, err = urls.Parse(ref)
	} else {
		u, err = urls.ParseRef(base, ref)
	}
	return addressOf(ref, u, err)
}

// addressOf is what was read of a reference, in canonical form.
func addressOf(ref string, u *whatwg.Url, err error) (address, error) {
	if err != nil {
		return address{}, unusable(ref, err)
	}
	if s := u.Scheme(); s != "http" && s != "https" {
		return address{}, unusable(ref, robotsext.ErrUnsupportedScheme)
	}
	u.SetUsername("")
	u.SetPassword("")
	parsed, err := url.Parse(u.Href(true))
	if err != nil {
		return address{}, unusable(ref, err)
	}
	// net/http escapes a little more than browsers do.
	if parsed, err = robotsext.CleanURL(parsed); err != nil {
		return address{}, unusable(ref, err)
	}
	origin, err := robotsext.OriginOf(parsed)
	if err != nil {
		return address{}, unusable(ref, err)
	}
	canonical := parsed.String()
	if len(canonical) > maxURL {
		return address{}, fmt.Errorf("%w: %d bytes, the longest that is taken up has %d", errLongURL, len(canonical), maxURL)
	}
	return address{url: canonical, origin: origin, host: hostOf(string(origin)), hostname: strings.TrimSuffix(u.Hostname(), ".")}, nil
}

// tangled says why a text is no URL that is read. It is too long, or the parser takes a
// time that grows with the square of it: that copies all it has of a user name with each
// character, and all it has of a path with each part. At 8 KiB this is ten milliseconds and
// more, and a page has ten thousand links.
func tangled(ref string) error {
	if len(ref) > maxURL {
		return fmt.Errorf("%w: %d bytes, the longest that is taken up has %d", errLongURL, len(ref), maxURL)
	}
	before := ref
	if i := strings.IndexAny(ref, "?#"); i >= 0 {
		before = ref[:i]
	}
	if n := pathParts(before); n > maxPathParts {
		return fmt.Errorf("%w: %d parts of a path, the longest that is taken up has %d", errLongURL, n, maxPathParts)
	}
	if len(before) <= maxUser || !strings.Contains(before, "@") {
		return nil
	}
	for part := range strings.FieldsFuncSeq(before, isSlash) {
		if len(part) > maxUser && strings.Contains(part, "@") {
			return fmt.Errorf("%w: %d bytes with a user, the longest that is taken up has %d", errLongURL, len(part), maxUser)
		}
	}
	return nil
}

// pathParts counts the parts of the path of a URL, or of a reference to one.
func pathParts(ref string) int {
	scheme, rest, ok := strings.Cut(ref, "//")
	if ok && (scheme == "" || strings.HasSuffix(scheme, ":")) && !strings.ContainsAny(scheme, `/\`) {
		ref = rest // the host and the path
	}
	return strings.Count(ref, "/") + strings.Count(ref, `\`)
}

func isSlash(r rune) bool { return r == '/' || r == '\\' }

// unusable is the error for a reference that cannot be requested. It stands in the
// output, so it repeats no password, and not all of what is long: a page may have
// thousands of them.
func unusable(ref string, err error) error {
	hidden := secret.Doubtful(ref)
	short, why := shown.Clip(hidden, shown.MaxBytes), err.Error()
	if hidden != ref && !errors.Is(err, robotsext.ErrUnsupportedScheme) || len(why) > 2*shown.MaxBytes { // it repeats the URL
		return fmt.Errorf("crawler: %q is not a URL", short)
	}
	return fmt.Errorf("crawler: %q: %w", short, err)
}

// hostOf is the host of a URL or an origin; empty: it has none.
func hostOf(url string) frontier.Host {
	h, err := frontier.HostOf(url)
	if err != nil {
		return ""
	}
	return h
}

// originOf is the origin of a URL; empty: it has none.
func originOf(raw string) robotsext.Origin {
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

// isWeb tells whether a reference is one to the web.
func isWeb(ref string) bool {
	lower := strings.ToLower(strings.TrimSpace(ref[:min(len(ref), 20)]))
	return strings.HasPrefix(lower, "http:") || strings.HasPrefix(lower, "https:") || strings.HasPrefix(lower, "//")
}

// overlong is the beginning of a URL that is too long to be read; not ok: it was never
// meant to be that of a page.
func overlong(base, ref string) (address, bool) {
	a, err := resolve(base, shown.Clip(ref, shown.MaxBytes))
	return a, err == nil
}
