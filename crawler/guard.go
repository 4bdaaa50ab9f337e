package crawler

import (
	"errors"
	"fmt"
	"net/netip"
	"path/filepath"
	"slices"
	"strings"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/blocked"
	"github.com/politecrawl/politecrawl/crawler/internal/crawldir"
	"github.com/politecrawl/politecrawl/crawler/internal/provenance"
	"github.com/politecrawl/politecrawl/crawler/internal/record"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext"
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
		c.notice(fmt.Sprintf("requests go through a proxy, by the environment's %s; the guard cannot check where the proxy connects to (proxy)", strings.Join(used, " and ")))
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
		c.notice(fmt.Sprintf("all addresses in %s may be connected to, those of cloud metadata services too (allow-addr)", networks))
	}
}

// isWide reports whether a network contains the address of a metadata service and other
// addresses that are not public.
func isWide(p netip.Prefix) bool {
	g := guard.New(p)
	allows := func(addr string) bool { return g.Check(netip.MustParseAddr(addr)) == nil }
	return allows("169.254.169.254") && allows("192.168.0.1") || allows("fd00:ec2::254") && allows("fe80::1")
}

// mayBeRequested reports whether a URL that was skipped is allowed now, as far as the URL
// tells.
func (d *discovery) mayBeRequested(r *output.Rejection) bool {
	a, err := weburl.Parse(r.URL)
	return err == nil && d.checkHost(a) == nil && d.scope.Excluded(a.Canonical) == ""
}

// skipBlocked skips a URL whose host is an address that the guard refuses, and reports
// whether it did.
func (f *discoveries) skipBlocked(item frontier.Item, a weburl.URL, t provenance.Provenance) bool {
	err := f.d.checkHost(a)
	if err != nil {
		f.skip(item, a, t, output.BlockedAddress, blocked.Text(err))
	}
	return err != nil
}

// restoreBlockedStarts restores the start URLs that an earlier process was not allowed to connect
// to, and that are still not allowed; see requeueRejected.
func (c *Crawler) restoreBlockedStarts() error {
	if c.tally.sum.Rejected[output.BlockedAddress] == 0 {
		return nil
	}
	return record.Each(c.record, filepath.Join(c.cfg.Output.Dir, crawldir.RejectedFile), func(_ int64, r *output.Rejection) error {
		if r.Reason != output.BlockedAddress || provenanceOf(r).Source != provenance.Start {
			return nil
		}
		start := BlockedStart{URL: r.URL, Addr: r.Addr, Reason: r.Detail}
		if a, err := weburl.Parse(r.URL); err == nil && !start.Addr.IsValid() && r.RobotsURL == "" {
			start.Addr = blocked.Addr(c.discovery.checkHost(a)) // an IP address in a URL needs no request to be found
		}
		c.tally.count(func(s *Summary) { s.BlockedStartURLs = append(s.BlockedStartURLs, start) })
		return nil
	})
}

// robotsTarget returns the URL at which the guard ended the redirects of a robots.txt;
// empty: it did not.
func (w *worker) robotsTarget(v *visit, err error) string {
	c := w.c
	if _, ok := errors.AsType[*robotsext.BlockedError](err); !ok {
		return ""
	}
	rec, err := c.network.robots.Record(c.lifecycle.Working, v.u)
	if err != nil || len(rec.RedirectChain) < 2 || !blocked.IsRefused(rec) {
		return ""
	}
	return rec.RedirectChain[len(rec.RedirectChain)-1]
}

// blockStart reports that a start URL is at a blocked address.
func (w *worker) blockStart(s BlockedStart) {
	c := w.c
	c.tally.count(func(sum *Summary) {
		sum.BlockedStartURLs = append(slices.Clip(sum.BlockedStartURLs), s)
	})
	c.log.Warn("start URL blocked", "url", s.URL, "error", s.Reason)
	if len(c.cfg.URLs) > 1 {
		c.notice(s.URL + " is skipped: " + s.Reason + "; see allow-addr")
	}
}
