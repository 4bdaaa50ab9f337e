package crawler

import (
	"errors"

	"github.com/politecrawl/politecrawl/crawler/internal/credentials"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
)

// WithoutSecrets returns the configuration with *** instead of the users and passwords of proxies
// and of Credentials.BasicAuth, and instead of the values of header fields. crawl.json stores this
// form, so that you can share the directory of a crawl. Before you resume such a crawl, set the
// values again: [Config.Validate] rejects ***.
func (c Config) WithoutSecrets() Config {
	c.Fetch.Proxies = masked(c.Fetch.Proxies, withoutProxyUser)
	c.Credentials.BasicAuth = masked(c.Credentials.BasicAuth, credentials.MaskBasicAuth)
	c.Credentials.Header = masked(c.Credentials.Header, credentials.MaskHeader)
	c.Credentials.HeaderFor = masked(c.Credentials.HeaderFor, credentials.MaskHeaderFor)
	return c
}

// masked returns f of each text; nil for nil.
func masked(texts []string, f func(string) string) []string {
	var out []string
	for _, text := range texts {
		out = append(out, f(text))
	}
	return out
}

// newCredentials reads the credentials of a crawl.
func newCredentials(cfg *Config) (*credentials.Store, error) {
	own := &cfg.Credentials
	opts := credentials.Config{
		Header: own.Header, HeaderFor: own.HeaderFor, BasicAuth: own.BasicAuth,
		CookieFile: own.CookieFile, KeepCookies: own.Cookies, Netrc: own.Netrc,
	}
	for _, raw := range cfg.URLs {
		a, err := weburl.Parse(raw)
		if err != nil {
			return nil, err
		}
		opts.Start = append(opts.Start, a.Origin)
	}
	store, err := credentials.New(opts)
	if bad, ok := errors.AsType[*credentials.Error](err); ok {
		return nil, &ConfigError{Key: bad.Key, Problem: bad.Problem}
	}
	return store, err
}
