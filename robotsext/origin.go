package robotsext

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/politecrawl/politecrawl/robotsext/internal/hostname"
	"github.com/politecrawl/politecrawl/robotsext/server"
)

// Errors of OriginOf, and so of every method that is given a URL.
var (
	// ErrUnsupportedScheme is the class of URLs whose scheme has no robots.txt
	// that could be asked for (ROB-LOC-12).
	ErrUnsupportedScheme = errors.New("unsupported scheme")
	// ErrInvalidHost is the class of URLs whose host is empty or cannot be a
	// host, or whose port is not 1 to 65535 (ROB-LOC-08, ROB-LOC-15, ROB-LOC-16).
	ErrInvalidHost = errors.New("invalid host")
)

// Origin is what one robots.txt speaks for: a scheme, a host and a port, as in
// "https://example.com" or "http://example.com:8080". It is in canonical form,
// so that two URLs are of one origin exactly when their Origins are equal:
// lower case, the host as it is sent in DNS (punycode), the default port left
// out, no user name and no path.
//
// Nothing is inherited between origins: not from a parent domain, not from http
// to https, not from one port to another, not from a name to its address
// (ROB-LOC-02 to ROB-LOC-06, ROB-LOC-09).
type Origin string

// RobotsURL is where the origin's robots.txt is (ROB-LOC-01, ROB-LOC-11).
func (o Origin) RobotsURL() string { return string(o) + robotsPath }

const robotsPath = "/robots.txt"

// server is the server that answers for the origin, and may answer for others.
func (o Origin) server() string {
	_, authority, _ := strings.Cut(string(o), "://")
	return server.Name(authority)
}

// OriginOf returns the origin of an absolute URL. It fails with
// ErrUnsupportedScheme unless the scheme is http, https or ftp, and with
// ErrInvalidHost when the host is empty, has invalid characters, is an IPv6
// address with a zone, or cannot be decoded, or the port is not 1 to 65535.
//
// International names are mapped by UTS 46, non-transitional (ROB-LOC-08); a
// trailing dot is kept, since such a name may be served differently
// (ROB-LOC-14); an underscore is accepted, since such hosts exist
// (ROB-LOC-17).
func OriginOf(u *url.URL) (Origin, error) {
	scheme := strings.ToLower(u.Scheme)
	var defaultPort string
	switch scheme {
	case "http":
		defaultPort = "80"
	case "https":
		defaultPort = "443"
	case "ftp":
		defaultPort = "21"
	default:
		return "", fmt.Errorf("%w %q", ErrUnsupportedScheme, u.Scheme)
	}
	host, err := hostname.Canonical(strings.TrimSuffix(u.Host, ":"+u.Port()))
	if err != nil {
		return "", fmt.Errorf("%w %q: %w", ErrInvalidHost, u.Host, err)
	}
	port := u.Port()
	if port != "" {
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil || n == 0 {
			return "", fmt.Errorf("%w %q: there is no port %s; ports are 1 to 65535", ErrInvalidHost, u.Host, port)
		}
		port = strconv.FormatUint(n, 10)
	}
	if port == "" || port == defaultPort {
		return Origin(scheme + "://" + host), nil
	}
	return Origin(scheme + "://" + host + ":" + port), nil
}
