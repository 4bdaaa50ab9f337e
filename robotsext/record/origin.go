package record

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/politecrawl/politecrawl/robotsext/internal/hostname"
)

// Origin is the scope of one robots.txt, such as "https://example.com:8443": lower
// case, punycode, without default port.
type Origin string

// RobotsURL returns the URL of the origin's robots.txt.
func (o Origin) RobotsURL() string { return string(o) + RobotsPath }

// RobotsPath is the path of every robots.txt.
const RobotsPath = "/robots.txt"

// Errors of URLs for which no robots.txt can exist.
var (
	ErrUnsupportedScheme = errors.New("unsupported scheme") // neither http, https nor ftp
	ErrInvalidHost       = errors.New("invalid host")       // the host or port of the URL is invalid
)

var defaultPorts = map[string]string{"http": "80", "https": "443", "ftp": "21"}

// OriginOf returns the origin of an absolute http, https or ftp URL. It fails with
// ErrUnsupportedScheme or ErrInvalidHost. International host names are mapped by UTS 46; a trailing dot and underscores are kept.
func OriginOf(u *url.URL) (Origin, error) {
	scheme := strings.ToLower(u.Scheme)
	defaultPort, known := defaultPorts[scheme]
	if !known {
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
