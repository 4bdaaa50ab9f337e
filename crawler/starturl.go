package crawler

import (
	"errors"
	"fmt"
	"strings"

	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/robotsext/secret"
)

// checkStart returns an error if a start URL is not valid.
func checkStart(raw string) error {
	raw = strings.TrimSpace(raw)
	scheme, _, ok := strings.Cut(raw, "://")
	shown := secret.RedactInvalidURL(raw)
	switch {
	case raw == "":
		return errors.New("a start URL is empty")
	case !ok:
		return fmt.Errorf("%q has no scheme; write it as https://%s or http://%[2]s", shown, strings.TrimPrefix(strings.TrimLeft(shown, "/"), secret.Mask+"@"))
	case !strings.EqualFold(scheme, "http") && !strings.EqualFold(scheme, "https"):
		return fmt.Errorf("%q: scheme %q cannot be crawled; use http or https", shown, scheme)
	case secret.RedactURL(raw) != raw:
		return fmt.Errorf("%q has a user and password; leave them out, and set them with basic-auth", shown)
	}
	_, err := weburl.Parse(raw)
	switch {
	case err == nil:
		return nil
	case shown != raw: // the cause repeats it
		return fmt.Errorf("%q is not a URL", shown)
	}
	return fmt.Errorf("%q is not a URL: %w", raw, cause(err))
}

// cause returns the innermost error. Outer ones repeat the URL.
func cause(err error) error {
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	return err
}

// Canonical returns the canonical form of a URL: scheme and host in lower case, the host in
// punycode, no default port, dot segments, userinfo or fragment, and illegal characters
// escaped. Otherwise the path and the query stay as written. It fails if the URL is not an http
// or https URL.
func Canonical(raw string) (string, error) {
	u, err := weburl.Parse(raw)
	return u.Canonical, err
}
