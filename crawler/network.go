package crawler

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"os"
	"strconv"
	"strings"

	"golang.org/x/net/http/httpproxy"

	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/robotsext/guard"
	"github.com/politecrawl/politecrawl/robotsext/secret"
)

// newGuard returns the guard of a crawl, or nil if the caller's transport decides what to connect
// to.
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

// checkProxy returns an error if the URL of a proxy is not valid. In an invalid URL, any
// part before the last @ may belong to a password.
func checkProxy(raw string) error {
	shown := withoutProxyUser(raw)
	const write = "write it as http://host:port, https://host:port or socks5://host:port"
	u, err := url.Parse(raw)
	switch {
	case err != nil && shown != raw:
		return fmt.Errorf("%q is not a URL; %s, and / ? # @ : %% in a name or password before it as %%2F %%3F %%23 %%40 %%3A %%25", shown, write)
	case err != nil:
		return fmt.Errorf("%q is not a URL: %w", raw, cause(err))
	case u.Scheme != "http" && u.Scheme != "https" && u.Scheme != "socks5" && u.Scheme != "socks5h", u.Host == "":
		return fmt.Errorf("%q is not a proxy; %s", shown, write)
	case lacksUser(u):
		return fmt.Errorf("%q: its user and password are not kept with a crawl; give the proxy again, with these", shown)
	case badPort(u.Port()):
		return fmt.Errorf("%q: there is no port %s; ports are 1 to 65535", shown, u.Port())
	case strings.Trim(u.Path, "/") != "", u.RawQuery != "", u.Fragment != "": // mostly a password that contains / ? or #
		return fmt.Errorf("%q has more parts than the URL of a proxy; %s, and / ? # in a name or password before it as %%2F %%3F %%23", shown, write)
	}
	return nil
}

// badPort reports whether digits after a host are not a valid port.
func badPort(digits string) bool {
	n, err := strconv.ParseUint(digits, 10, 16)
	return digits != "" && (err != nil || n == 0)
}

// checkProxyVariables returns an error if a proxy in the environment is not valid. net/http
// would ignore it and connect directly.
func checkProxyVariables() error {
	var bad []error
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy"} {
		raw := os.Getenv(name)
		if raw != "" && !strings.Contains(raw, "://") {
			raw = "http://" + raw
		}
		if raw == "" {
			continue
		}
		if err := checkProxy(raw); err != nil {
			bad = append(bad, fmt.Errorf("%w: the variable %s: %w", ErrConfig, name, err))
		}
	}
	return errors.Join(bad...)
}

// proxyVariables returns the environment variables with proxies that are used for the hosts of
// URLs, as http.ProxyFromEnvironment chooses them.
func proxyVariables(urls []string) (used []string) {
	choose := httpproxy.FromEnvironment().ProxyFunc()
	for _, scheme := range []string{"http", "https"} { // a site of one may lead to the other
		upper := strings.ToUpper(scheme) + "_PROXY"
		name := upper
		if os.Getenv(upper) == "" {
			name = strings.ToLower(upper)
		}
		if os.Getenv(name) == "" {
			continue
		}
		for _, raw := range urls {
			a, err := weburl.Parse(raw)
			if err != nil {
				continue
			}
			u, err := url.Parse(a.Canonical)
			if err != nil {
				continue
			}
			if by, err := choose(&url.URL{Scheme: scheme, Host: u.Host}); err == nil && by != nil {
				used = append(used, fmt.Sprintf("%s (%s://%s)", name, by.Scheme, by.Host))
				break
			}
		}
	}
	return used
}

// withoutProxyUser masks the user and password in the URL of a proxy, and its query and
// fragment, which a proxy has not. The URL may be invalid: any part before the last @ may
// belong to a password.
func withoutProxyUser(raw string) string {
	last := strings.LastIndexByte(raw, '@')
	if i := strings.IndexAny(raw[last+1:], "?#"); i >= 0 {
		raw = raw[:last+1+i+1] + secret.Mask
	}
	if last < 0 {
		return raw
	}
	scheme := ""
	if i := strings.Index(raw[:last], "://"); i >= 0 {
		scheme = raw[:i+len("://")]
	}
	return scheme + secret.Mask + raw[last:]
}

// lacksUser reports whether the user and password of a proxy were masked.
func lacksUser(u *url.URL) bool {
	_, password := u.User.Password()
	return !password && u.User.Username() == secret.Mask
}
