package credentials

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"

	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/secret"
)

// reserved are fields that the crawl or the connection sets.
var reserved = []string{
	"Accept-Encoding", "Connection", "Content-Length", "Expect", "Host", "Keep-Alive", "Range", "Te", "Trailer", "Transfer-Encoding", "Upgrade",
}

// ParseHeader parses "Name: value". It returns the canonical name. Errors never repeat the value.
func ParseHeader(text string) (name, value string, err error) {
	name, value, found := strings.Cut(text, ":")
	if !found { // the text may be the value alone
		return "", "", errors.New(`a header field has no colon; write it as "Name: value"`)
	}
	if name = strings.TrimSpace(name); !httpguts.ValidHeaderFieldName(name) {
		return "", "", errors.New(`the name before the colon is not one of a header field; write the field as "Name: value"`)
	}
	name, value = http.CanonicalHeaderKey(name), strings.TrimSpace(value)
	switch {
	case name == "From":
		return "", "", fmt.Errorf("%s says who crawls; set it with contact", name)
	case slices.Contains(reserved, name), strings.HasPrefix(name, "Proxy-"), strings.HasPrefix(name, "If-"):
		return "", "", fmt.Errorf("the crawl sets %s itself; leave it out", name)
	case value == secret.Mask:
		return "", "", fmt.Errorf("the value of %s is not stored with a crawl; give the field again", name)
	case value == "":
		return "", "", fmt.Errorf("%s has no value", name)
	case !httpguts.ValidHeaderFieldValue(value):
		return "", "", fmt.Errorf("the value of %s has a control character", name)
	}
	return name, value, nil
}

// ParseHeaderFor parses "ORIGIN Name: value", such as "https://example.com:8443 X-Key: 1".
func ParseHeaderFor(text string) (origin robotsext.Origin, name, value string, err error) {
	raw, field, _ := strings.Cut(strings.TrimSpace(text), " ")
	u, err := url.Parse(raw)
	if err == nil && (u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || strings.Trim(u.Path, "/") != "" || u.RawQuery != "") {
		err = errors.New("no origin")
	}
	if err == nil {
		origin, err = robotsext.OriginOf(u)
	}
	if err != nil { // the text may contain the value
		return "", "", "", errors.New(`a header field does not begin with an origin; write it as "https://host:port Name: value"`)
	}
	name, value, err = ParseHeader(field)
	return origin, name, value, err
}

// ParseBasicAuth parses "https://user:password@host". The value is for Authorization.
func ParseBasicAuth(text string) (origin robotsext.Origin, value string, err error) {
	u, err := url.Parse(text)
	switch {
	case err != nil, u.Scheme != "http" && u.Scheme != "https", u.Host == "", u.User == nil, strings.Trim(u.Path, "/") != "", u.RawQuery != "", u.Fragment != "":
		return "", "", errors.New("an entry is not the URL of an origin with a user and password; write / ? # @ : % in them as %2F %3F %23 %40 %3A %25")
	case u.User.String() == url.User(secret.Mask).String():
		return "", "", fmt.Errorf("the user and password of %s are not stored with a crawl; give them again", u.Host)
	}
	if origin, err = robotsext.OriginOf(u); err != nil {
		return "", "", err
	}
	password, _ := u.User.Password()
	return origin, basic(u.User.Username(), password), nil
}

// MaskBasicAuth returns "https://user:password@host" with *** instead of user and password.
func MaskBasicAuth(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.User == nil || u.Host == "" {
		return secret.Mask
	}
	return u.Scheme + "://" + secret.Mask + "@" + u.Host
}

// MaskHeader returns "Name: value" with *** instead of the value.
func MaskHeader(text string) string {
	name, _, found := strings.Cut(text, ":")
	if !found {
		return secret.Mask
	}
	return name + ": " + secret.Mask
}

// MaskHeaderFor returns "ORIGIN Name: value" with *** instead of the value.
func MaskHeaderFor(text string) string {
	origin, field, found := strings.Cut(strings.TrimSpace(text), " ")
	if !found {
		return secret.Mask
	}
	return origin + " " + MaskHeader(strings.TrimSpace(field))
}
