package crawler

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/crawler/identity"
	"github.com/politecrawl/politecrawl/crawler/internal/credentials"
	"github.com/politecrawl/politecrawl/crawler/internal/run"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
)

// WithoutSecrets returns the configuration with *** instead of the users and passwords of proxies
// and of Credentials.BasicAuth, and instead of the values of header fields. crawl.json stores this
// form, so that you can share the directory of a crawl. Before you resume the crawl, set the values
// again: [Config.Validate] rejects ***.
func (c Config) WithoutSecrets() Config {
	c.Fetch.Proxies = masked(c.Fetch.Proxies, withoutProxyUser)
	c.Credentials.BasicAuth = masked(c.Credentials.BasicAuth, credentials.MaskBasicAuth)
	c.Credentials.Header = masked(c.Credentials.Header, credentials.MaskHeader)
	c.Credentials.HeaderFor = masked(c.Credentials.HeaderFor, credentials.MaskHeaderFor)
	return c
}

// masked returns f of each text, or nil for nil.
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

// openSecrets opens the credentials and the identity that the configuration names; the latter may be nil.
func (c *Crawler) openSecrets(set *run.Settings) (signer *identity.Identity, err error) {
	if set.Visit.Requests.Credentials, err = newCredentials(&c.cfg); err != nil {
		return nil, err
	}
	if signer, err = c.openIdentity(); err != nil {
		return nil, err
	}
	if signer != nil {
		set.Visit.Requests.Signer = signer
	}
	return signer, nil
}

// dnsTimeout is the timeout of all lookups of Fetch.CheckDNS.
const dnsTimeout = 10 * time.Second

// openIdentity opens the identity that signs the requests, and signs one to find errors now. The
// configuration keeps the absolute path, so that the crawl can be resumed in another directory.
func (c *Crawler) openIdentity() (*identity.Identity, error) {
	dir := c.cfg.Fetch.Identity
	if dir == "" {
		return nil, nil
	}
	opened, err := identity.Open(dir, nil)
	if err == nil {
		err = trySigning(opened)
	}
	if err == nil {
		if name := opened.Settings().Name; !strings.EqualFold(name, c.settings.Visit.Token) {
			err = fmt.Errorf("the identity in %q is that of %s, and the user agent that of %s; set user-agent to %q, or name another identity", dir, name, c.settings.Visit.Token, opened.Settings().UserAgent)
		}
	}
	if err == nil {
		c.cfg.Fetch.Identity, err = filepath.Abs(dir)
	}
	if err != nil {
		return nil, &ConfigError{Key: "identity", Problem: err}
	}
	return opened, nil
}

// trySigning signs a request that is not sent.
func trySigning(id *identity.Identity) error {
	signer, err := id.Signer()
	if err != nil {
		return err
	}
	req, err := http.NewRequest(http.MethodGet, "https://example.com/", http.NoBody) //nolint:noctx // it is not sent
	if err != nil {
		return err
	}
	return signer.Sign(req)
}

// checkDNS prints a notice if sites cannot recognize this machine by its name in DNS.
func (c *Crawler) checkDNS(signer *identity.Identity) {
	if !c.cfg.Fetch.CheckDNS {
		return
	}
	if len(c.cfg.Fetch.Proxies) > 0 || len(proxyVariables(c.cfg.URLs)) > 0 {
		c.board.Show("requests go through a proxy, so sites see its address; the DNS of this machine is not checked (check-dns)")
		return
	}
	ctx, cancel := context.WithTimeout(c.lifecycle.Working, dnsTimeout)
	defer cancel()
	settings := signer.Settings()
	for _, line := range settings.CheckDNS(ctx, c.dns) {
		c.board.Show(line + " (check-dns)")
	}
}
