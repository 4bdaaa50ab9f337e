package crawler

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/crawler/identity"
)

// dnsTimeout is the timeout of all lookups of Fetch.CheckDNS.
const dnsTimeout = 10 * time.Second

// openIdentity opens the identity that signs the requests, and signs one to find errors now. The
// configuration keeps the absolute path, so that the crawl can be resumed in another directory.
func (c *Crawler) openIdentity() error {
	dir := c.cfg.Fetch.Identity
	if dir == "" {
		return nil
	}
	opened, err := identity.Open(dir, nil)
	if err == nil {
		err = trySigning(opened)
	}
	if err == nil {
		if name := opened.Settings().Name; !strings.EqualFold(name, c.token) {
			err = fmt.Errorf("the identity in %q is that of %s, and the user agent that of %s; set user-agent to %q, or name another identity", dir, name, c.token, opened.Settings().UserAgent)
		}
	}
	if err == nil {
		c.cfg.Fetch.Identity, err = filepath.Abs(dir)
	}
	if err != nil {
		return &ConfigError{Key: "identity", Problem: err}
	}
	c.network.identity = opened
	return nil
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
func (c *Crawler) checkDNS() {
	if !c.cfg.Fetch.CheckDNS {
		return
	}
	if len(c.cfg.Fetch.Proxies) > 0 || len(proxyVariables(c.cfg.URLs)) > 0 {
		c.board.Show("requests go through a proxy, so sites see its address; the DNS of this machine is not checked (check-dns)")
		return
	}
	ctx, cancel := context.WithTimeout(c.lifecycle.Working, dnsTimeout)
	defer cancel()
	settings := c.network.identity.Settings()
	for _, line := range settings.CheckDNS(ctx, c.network.dns) {
		c.board.Show(line + " (check-dns)")
	}
}
