// Package redirection says where a response redirects to, as the Fetch standard and browsers do.
package redirection

import (
	"net/http"
	"strings"

	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
)

// Max is the number of redirects in a row that are followed, as in the Fetch standard. Browsers show
// an error instead of the next one.
const Max = 20

// Is reports whether a response with this status and a Location is a redirect. Browsers show the body
// of other responses, such as 300 or 304, and of a redirect without a Location.
func Is(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

// hidden is the key of a Location that [Hide] has hidden. http.Header.Get does not find it.
const hidden = "location"

// Hide hides the Location of a response from http.Client, which fails if net/url cannot parse it.
// [Location] returns it nevertheless.
func Hide(h http.Header) {
	if values, ok := h["Location"]; ok {
		h[hidden] = values
		delete(h, "Location")
	}
}

// Location returns the Location of a response. Bytes beyond ASCII are escaped as they are, in any
// encoding. It is empty if the response is no redirect, or names several targets, since browsers
// then follow none.
func Location(status int, h http.Header) string {
	if !Is(status) {
		return ""
	}
	found := ""
	for _, key := range [...]string{"Location", hidden} {
		for _, value := range h[key] {
			switch value = strings.Trim(value, " \t"); {
			case value == "":
			case found == "":
				found = value
			case found != value:
				return ""
			}
		}
	}
	return weburl.EscapeOctets(found)
}

// A Target is a URL with the fragment of the Location that leads there.
type Target struct {
	weburl.URL

	fragment string // with the number sign; if empty, the fragment of the link remains
}

// Resolve returns the target of a redirect from base.
func Resolve(base, location string) (Target, error) {
	url, fragment, hasFragment, err := weburl.ResolveLocation(base, location)
	if hasFragment {
		fragment = "#" + fragment
	}
	return Target{url, fragment}, err
}

// String returns the URL with the fragment.
func (t Target) String() string { return t.Canonical + t.fragment }
