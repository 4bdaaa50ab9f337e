package identity

import (
	"cmp"
	"errors"
	"fmt"
	"net/mail"
	"net/url"
	"strconv"
	"strings"

	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/robotsext/botauth"
	"github.com/politecrawl/politecrawl/robotsext/guard"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
	"github.com/politecrawl/politecrawl/robotsext/secret"
)

// Settings say who the crawler is.
type Settings struct {
	// Agent is the URL of the host that publishes the identity, without a path: the value of
	// Signature-Agent, such as https://bot.example.com.
	Agent string `json:"agent"`

	// Name is the product token that robots.txt files and User-Agent use.
	Name string `json:"name"`

	// UserAgent is the User-Agent of the crawler. The default is NAME/1.0 and the URL of the page.
	UserAgent string `json:"user_agent"`

	// Contact is an email address for site owners. If empty, the page names none.
	Contact string `json:"contact,omitempty"`

	// Purpose says what the pages are used for, such as search. If empty, the page says nothing about it.
	Purpose string `json:"purpose,omitempty"`

	// IPRanges are the networks that the crawler sends requests from, such as 192.0.2.0/24. If
	// empty, none are published.
	IPRanges []string `json:"ip_ranges,omitempty"`
}

// parseAgent returns the normal form of the URL of an identity. Its host is in Punycode, since a signed
// field has no other letters.
func parseAgent(raw string) (string, error) {
	raw = strings.TrimSpace(raw)
	u, err := url.Parse(raw)
	shown := secret.RedactInvalidURL(raw)
	switch {
	case err != nil:
		return "", fmt.Errorf("%q is not a URL; write it as https://bot.example.com/", shown)
	case u.Scheme != "https" || u.Hostname() == "":
		return "", fmt.Errorf("%q is not an https URL with a host; sites fetch keys by https only, so write it as https://bot.example.com/", shown)
	case u.User != nil:
		return "", fmt.Errorf("%q has a user or password; leave them out", shown)
	case strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "":
		return "", fmt.Errorf("%q has more parts than a host; sites look for keys at the root of the host, so write it as https://%s/", shown, u.Host)
	}
	if port, err := strconv.ParseUint(u.Port(), 10, 16); strings.HasSuffix(u.Host, ":") || u.Port() != "" && (err != nil || port == 0 || strconv.FormatUint(port, 10) != u.Port()) {
		return "", fmt.Errorf("%q has a port that is not a number from 1 to 65535; leave it out, or write it as https://bot.example.com:8443/", shown)
	}
	a, err := weburl.Parse(raw)
	if err != nil {
		return "", fmt.Errorf("%q has a host that is not valid; write it as https://bot.example.com/", shown)
	}
	return strings.TrimSuffix(a.Canonical, "/"), nil
}

// DirectoryURL returns the URL of the key directory that a Signature-Agent names. A URL without a
// path means the well-known path of its host.
func DirectoryURL(agent string) string {
	u, err := url.Parse(agent)
	if err != nil || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" {
		return agent
	}
	return "https://" + u.Host + botauth.DirectoryPath
}

// check completes the settings and returns an error for each that is not valid.
func (s *Settings) check() error {
	var bad []error
	agent, err := parseAgent(s.Agent)
	bad = append(bad, err)
	s.UserAgent = cmp.Or(s.UserAgent, s.Name+"/1.0 (+"+agent+"/)")
	if !robotstxt.ValidToken(s.Name) {
		bad = append(bad, fmt.Errorf("the name %q is not a product token; use letters, - and _ only, such as examplebot", s.Name))
	} else if token, err := robotstxt.ProductToken(s.UserAgent); err != nil || !strings.EqualFold(token, s.Name) {
		bad = append(bad, fmt.Errorf("the user agent %q does not begin with the name %s", s.UserAgent, s.Name))
	}
	if at, err := mail.ParseAddress(s.Contact); s.Contact != "" && (err != nil || at.Address != s.Contact) {
		bad = append(bad, fmt.Errorf("the contact %q is not an email address; write it as crawler@example.com, without a name", s.Contact))
	}
	for i, text := range s.IPRanges {
		p, err := guard.ParsePrefix(text)
		if err == nil {
			s.IPRanges[i] = p.String()
		}
		bad = append(bad, err)
	}
	s.Agent = agent
	return errors.Join(bad...)
}

// host returns the host of the agent, with its port.
func (s *Settings) host() string { return strings.TrimPrefix(s.Agent, "https://") }
