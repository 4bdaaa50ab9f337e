package crawler

import (
	"net/url"
	"slices"
	"strings"

	"github.com/politecrawl/politecrawl/robotsext/secret"
)

// WithoutSecrets returns the configuration as it may be written down and shown: where a
// proxy has a user and a password, *** stands for them. It is what crawl.json has, so
// that the directory of a crawl can be handed on. A crawl that goes on has to be given
// such proxies again: [Config.Validate] refuses those with *** for a user.
func (c Config) WithoutSecrets() Config {
	c.Fetch.Proxies = slices.Clone(c.Fetch.Proxies)
	for i, raw := range c.Fetch.Proxies {
		c.Fetch.Proxies[i] = withoutProxyUser(raw)
	}
	return c
}

// withoutProxyUser puts *** in the place of the user and password of the URL of a proxy,
// and of a query or fragment, which that of a proxy has not. It may be none, or not be
// understood: any part before the last @ may belong to a password.
func withoutProxyUser(raw string) string {
	last := strings.LastIndexByte(raw, '@')
	if i := strings.IndexAny(raw[last+1:], "?#"); i >= 0 {
		raw = raw[:last+1+i+1] + secret.Hidden
	}
	if last < 0 {
		return raw
	}
	scheme := ""
	if i := strings.Index(raw[:last], "://"); i >= 0 {
		scheme = raw[:i+len("://")]
	}
	return scheme + secret.Hidden + raw[last:]
}

// lacksUser tells whether the URL of a proxy is one of which the user and password were
// left out.
func lacksUser(u *url.URL) bool {
	_, password := u.User.Password()
	return !password && u.User.Username() == secret.Hidden
}
