package credentials

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"
)

// readCookies reads a file of cookies. Each start origin sends the cookies of its host.
func (s *Store) readCookies(name string) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	parsed, err := parseCookies(string(text))
	if err != nil {
		return fmt.Errorf("%q, %w", name, err)
	}
	s.unusedFile = true
	for _, c := range parsed {
		s.unusedFile = s.unusedFile && !s.isFor(c)
		for _, own := range s.cookies {
			own.jar.SetCookies(c.from(), []*http.Cookie{c.cookie})
		}
	}
	return nil
}

// isFor reports whether a start origin gets a cookie, on some path.
func (s *Store) isFor(c hostCookie) bool {
	anyPath := *c.cookie //nolint:gosec // the cookie is not set
	anyPath.Path = "/"
	only := newCookies()
	only.jar.SetCookies(c.from(), []*http.Cookie{&anyPath})
	for origin := range s.cookies {
		if u, err := url.Parse(string(origin) + "/"); err == nil && only.field(u) != "" {
			return true
		}
	}
	return false
}

// UnusedCookieFile reports whether the cookie file has no cookie for any start origin: all belong to
// other hosts, have expired, or are for https only.
func (s *Store) UnusedCookieFile() bool { return s != nil && s.unusedFile }

// A hostCookie is a cookie with the host that sets it.
type hostCookie struct {
	host   string
	cookie *http.Cookie
}

// from returns a URL that may set the cookie.
func (c *hostCookie) from() *url.URL { return &url.URL{Scheme: "https", Host: c.host, Path: "/"} }

// httpOnly begins the line of a cookie that scripts cannot read. Other lines with # are comments.
const httpOnly = "#HttpOnly_"

// parseCookies parses a file in the Netscape format, which browsers, curl and wget write: one
// cookie in a line of seven fields with tabs between them. The fields are domain, subdomains
// (TRUE or FALSE), path, secure, expiry (Unix time in seconds; 0 or less: end of session), name and value.
func parseCookies(text string) ([]hostCookie, error) {
	var cookies []hostCookie
	number := 0
	for line := range strings.Lines(strings.TrimPrefix(text, "\uFEFF")) {
		number++
		line = strings.TrimPrefix(strings.TrimRight(line, "\r\n"), httpOnly)
		if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") {
			continue
		}
		c, err := parseCookie(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		cookies = append(cookies, c)
	}
	return cookies, nil
}

func parseCookie(line string) (hostCookie, error) {
	fields := strings.Split(line, "\t")
	if len(fields) != 7 {
		return hostCookie{}, errors.New("it is not a cookie in the Netscape format: seven fields with tabs between them; export the cookies in this format")
	}
	host := strings.ToLower(strings.TrimPrefix(fields[0], "."))
	c := new(http.Cookie) //nolint:gosec // the cookie is sent, not set
	c.Path, c.Secure, c.Name, c.Value = fields[2], fields[3] == "TRUE", fields[5], fields[6]
	switch {
	case host == "" || strings.ContainsAny(host, "/ "):
		return hostCookie{}, errors.New("the first field is not a domain")
	case fields[1] == "TRUE":
		c.Domain = host
	case fields[1] != "FALSE":
		return hostCookie{}, errors.New("the second field is neither TRUE nor FALSE")
	}
	expires, err := strconv.ParseFloat(fields[4], 64) // some browsers' extensions write fractions
	switch {
	case err != nil || !(expires < 1<<62):
		return hostCookie{}, errors.New("the fifth field is not a Unix time")
	case expires > 0:
		c.Expires = time.Unix(int64(expires), 0)
	}
	if !httpguts.ValidHeaderFieldName(c.Name) || !httpguts.ValidHeaderFieldValue(c.Value) || strings.Contains(c.Value, ";") {
		return hostCookie{}, errors.New("the name or the value has a character that no cookie can have")
	}
	return hostCookie{host, c}, nil
}
