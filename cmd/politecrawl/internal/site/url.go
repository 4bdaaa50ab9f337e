package site

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"strings"

	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
	"github.com/politecrawl/politecrawl/robotsext/secret"
)

// ParseOrigin returns scheme, host and port of an absolute http or https URL. It ignores
// the rest: URLs in pages contain stray % signs and other errors that url.Parse rejects.
// The error says what to write instead.
func ParseOrigin(raw string) (*url.URL, error) {
	u, err := readOrigin(raw)
	if shown := secret.RedactInvalidURL(raw); err != nil && shown != raw {
		// The error must not contain a part that may be a password.
		if _, err := readOrigin(shown); err != nil {
			return nil, err
		}
		return nil, fmt.Errorf("%q is not a URL; in a user or password, write / ? # @ : %% as %%2F %%3F %%23 %%40 %%3A %%25", shown)
	}
	return u, err
}

func readOrigin(raw string) (*url.URL, error) {
	scheme, rest, ok := strings.Cut(raw, "://")
	if !ok {
		return nil, incomplete(raw)
	}
	if !isWeb(scheme) {
		return nil, unsupported(raw, scheme)
	}
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		rest = rest[:i]
	}
	u, err := url.Parse(scheme + "://" + rest)
	if err != nil {
		if parse, ok := errors.AsType[*url.Error](err); ok {
			err = parse.Err
		}
		return nil, fmt.Errorf("%q is not a URL: %w", raw, err)
	}
	if u.Hostname() == "" {
		return nil, fmt.Errorf("%q has no host; write it as %s://example.com/", raw, scheme)
	}
	if _, err := robotsext.OriginOf(u); err != nil {
		return nil, fmt.Errorf("%q: %w", raw, err)
	}
	return u, nil
}

// incomplete returns the error for a text that is not an absolute URL.
func incomplete(raw string) error {
	switch {
	case raw == "":
		return errors.New("the URL is empty; write it as https://example.com/")
	case IsPath(raw):
		return fmt.Errorf("%q is a path; write the complete URL, as in https://example.com%s", raw, raw)
	}
	if m := withScheme.FindStringSubmatch(raw); m != nil {
		if scheme := m[1]; !isWeb(scheme) {
			return unsupported(raw, scheme)
		}
		return fmt.Errorf("%q is not a complete URL; write it as %s://%s", raw, m[1], strings.TrimLeft(m[2], "/"))
	}
	rest := strings.TrimPrefix(strings.TrimLeft(raw, "/"), secret.Mask+"@")
	first, second := "https", "http"
	if IsLocal(rest) {
		first, second = second, first
	}
	return fmt.Errorf("%q has no scheme; write it as %s://%s or %s://%[3]s", raw, first, rest, second)
}

func unsupported(raw, scheme string) error {
	return fmt.Errorf("%q: scheme %q is not supported; use http or https", raw, scheme)
}

// IsPath reports whether raw is a path, and does not begin with a host.
func IsPath(raw string) bool {
	return strings.HasPrefix(raw, "/") && !strings.HasPrefix(raw, "//")
}

func isWeb(scheme string) bool {
	return strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https")
}

// withScheme matches a scheme, but no host name before a port. A scheme may have dots, but none
// that users would write here has.
var withScheme = regexp.MustCompile(`^(?s)([A-Za-z+-][A-Za-z0-9+-]*):(|[^0-9].*)$`)

// IsLocal reports whether a URL without its scheme looks like a local server, which rarely
// uses https.
func IsLocal(rest string) bool {
	host, _, _ := strings.Cut(rest, "/")
	name, port, err := net.SplitHostPort(host)
	if err != nil {
		name, port = host, ""
	}
	return name == "localhost" || net.ParseIP(strings.Trim(name, "[]")) != nil || port != "" && port != "443"
}

// Target returns the URL of a user as a crawl sends it, and its origin. A URL that is too long for
// a crawl stays as it is written. If robots.txt is given as a file, raw may be a path: one file
// decides, whatever the origin.
func Target(raw string, given bool) (target string, origin *url.URL, err error) {
	switch {
	case given && raw != "" && !strings.ContainsAny(raw[:1], "/?#") && !strings.Contains(raw, ":"):
		return "", nil, fmt.Errorf("%q is neither a path nor a complete URL; write it as /%s", raw, raw)
	case !strings.HasPrefix(raw, "/") || !given && !IsPath(raw):
		target = raw
	case !given:
		return "", nil, fmt.Errorf("%q is a path; write the complete URL, as in https://example.com%s, or name the robots.txt with --robots", raw, raw)
	default:
		target = "https://localhost" + raw
	}
	if origin, err = ParseOrigin(target); err != nil {
		return "", nil, err
	}
	canonical, err := crawler.Canonical(target)
	if err != nil {
		return target, origin, nil
	}
	origin, err = ParseOrigin(canonical)
	return canonical, origin, err
}

// ParseAgent returns the product tokens of a crawler, as --agent names it: A, A+B or *, which has
// none. They are in the order in which the crawler looks for its group (ROB-UA-04). A and B are
// product tokens such as Googlebot or MJ12bot, or User-Agent headers (ROB-UA-15).
func ParseAgent(text string) (tokens []string, err error) {
	if text == "*" {
		return nil, nil
	}
	names := []string{text}
	if !strings.Contains(text, "(") { // the comment of a User-Agent header often holds a +
		names = strings.Split(text, "+")
	}
	for _, name := range names {
		token, err := robotstxt.ProductToken(name)
		switch {
		case err != nil:
			return nil, err
		case token != name && !strings.Contains(name, "/"): // no User-Agent header
			return nil, fmt.Errorf("%q is not a product token; write the one word that robots.txt files use, such as %s", name, token)
		}
		tokens = append(tokens, token)
	}
	return tokens, nil
}
