package crawler

import (
	"net/netip"
	"strings"

	"github.com/politecrawl/politecrawl/robotsext/guard"
)

// newGuard returns the guard of a crawl; nil: the caller's transport decides what to
// connect to.
func newGuard(cfg *Config, opts *Options) (*guard.Guard, error) {
	if opts.Transport != nil {
		return nil, nil
	}
	allowed, err := allowedNetworks(cfg)
	if err != nil {
		return nil, err
	}
	return guard.New(allowed...), nil
}

// allowedNetworks returns the networks of Fetch.AllowAddr.
func allowedNetworks(cfg *Config) ([]netip.Prefix, error) {
	allowed := make([]netip.Prefix, 0, len(cfg.Fetch.AllowAddr))
	for _, text := range cfg.Fetch.AllowAddr {
		p, err := guard.ParsePrefix(text)
		if err != nil {
			return nil, &ConfigError{Key: "allow-addr", Problem: err}
		}
		allowed = append(allowed, p)
	}
	return allowed, nil
}

// warnOfNetwork warns of proxies in the environment, and of networks in allow-addr that are
// so wide that the guard has little effect.
func (c *Crawler) warnOfNetwork() {
	if c.opts.Transport != nil {
		return
	}
	if used := proxyVariables(c.cfg.URLs); len(c.cfg.Fetch.Proxies) == 0 && len(used) > 0 {
		c.board.Showf("requests go through a proxy, by the environment's %s; the guard cannot check where the proxy connects to (proxy)", strings.Join(used, " and "))
	}
	var wide []string
	for _, text := range c.cfg.Fetch.AllowAddr {
		if p, err := guard.ParsePrefix(text); err == nil && isWide(p) {
			wide = append(wide, text)
		}
	}
	if len(wide) > 0 {
		networks := strings.Join(wide, " and ")
		c.log.Warn("allow-addr allows most addresses", "networks", networks)
		c.board.Showf("all addresses in %s may be connected to, those of cloud metadata services too (allow-addr)", networks)
	}
}

// isWide reports whether a network contains the address of a metadata service and other
// addresses that are not public.
func isWide(p netip.Prefix) bool {
	g := guard.New(p)
	allows := func(addr string) bool { return g.Check(netip.MustParseAddr(addr)) == nil }
	return allows("169.254.169.254") && allows("192.168.0.1") || allows("fd00:ec2::254") && allows("fe80::1")
}
