package crawler

import (
	"errors"
	"fmt"
	"net/netip"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/provenance"
	"github.com/politecrawl/politecrawl/crawler/internal/record"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/guard"
	"github.com/politecrawl/politecrawl/robotsext/secret"
)

// newGuard returns the guard of a crawl; nil: the caller's transport connects as it
// likes.
func newGuard(cfg *Config, opts *Options) (*guard.Guard, error) {
	if opts.Transport != nil {
		return nil, nil
	}
	allowed := make([]netip.Prefix, 0, len(cfg.Fetch.AllowAddr))
	for _, text := range cfg.Fetch.AllowAddr {
		p, err := guard.ParsePrefix(text)
		if err != nil {
			return nil, &ConfigError{Key: "allow-addr", Problem: err}
		}
		allowed = append(allowed, p)
	}
	return guard.New(allowed...), nil
}

// warnOfNetwork says what somebody may not have thought of: proxies of the environment, and
// networks in allow-addr so wide that little is left for the guard to do.
func (c *Crawler) warnOfNetwork() {
	if c.opts.Transport != nil {
		return
	}
	if used := proxyVariables(c.cfg.URLs); len(c.cfg.Fetch.Proxies) == 0 && len(used) > 0 {
		c.notice(fmt.Sprintf("requests go through a proxy, by the environment's %s; where that connects to is its own business (proxy)", strings.Join(used, " and ")))
	}
	var wide []string
	for _, text := range c.cfg.Fetch.AllowAddr {
		if p, err := guard.ParsePrefix(text); err == nil && isWide(p) {
			wide = append(wide, text)
		}
	}
	if len(wide) > 0 {
		networks := strings.Join(wide, " and ")
		c.log.Warn("guard lets almost all through", "networks", networks)
		c.notice(fmt.Sprintf("all addresses in %s may be connected to, those of cloud metadata services too (allow-addr)", networks))
	}
}

// isWide tells whether a network has an address of a metadata service in it, and one of
// another kind that is not public.
func isWide(p netip.Prefix) bool {
	g := guard.New(p)
	allows := func(addr string) bool { return g.Check(netip.MustParseAddr(addr)) == nil }
	return allows("169.254.169.254") && allows("192.168.0.1") || allows("fd00:ec2::254") && allows("fe80::1")
}

// refusalIn is what the guard said, without what those who asked it have said around it.
func refusalIn(err error) string {
	said := err
	if e, ok := errors.AsType[*guard.AddressError](err); ok {
		said = e
	} else if e, ok := errors.AsType[*guard.HostError](err); ok {
		said = e
	}
	return said.Error()
}

// addrIn is the address that the guard refused, if it refused one.
func addrIn(err error) netip.Addr {
	if e, ok := errors.AsType[*guard.AddressError](err); ok {
		return e.Addr
	}
	return netip.Addr{}
}

// mayBeRequested tells whether a URL that was refused for its address is no longer refused at
// sight.
func (d *discovery) mayBeRequested(r *output.Rejection) bool {
	a, err := weburl.Parse(r.URL)
	return err == nil && d.refusal(a) == nil
}

// barred leaves a URL aside whose host is an address that the guard refuses.
func (f *discoveries) barred(item frontier.Item, a weburl.URL, t provenance.Provenance) bool {
	err := f.d.refusal(a)
	if err != nil {
		f.leave(item, a, t, output.Address, refusalIn(err))
	}
	return err != nil
}

// isOutage reports whether a robots.txt could not be read and may be later. One at an address
// that the guard refuses may not.
func isOutage(rec *robotsext.Record) bool {
	return rec != nil && rec.Outcome == robotsext.Unreachable && !isRefused(rec)
}

// isRefused tells whether a robots.txt was not read because of its address.
func isRefused(rec *robotsext.Record) bool {
	return rec.Outcome == robotsext.Unreachable && errors.Is(rec.Err, guard.ErrRefused)
}

// isUnasked tells whether a robots.txt was not even asked for because of its address:
// where a redirect led to one, it was.
func isUnasked(rec *robotsext.Record) bool { return isRefused(rec) && len(rec.Chain) < 2 }

// shownRobots is a record as it is written down. What the guard refused is no outage that
// may pass: nobody waits for it.
func shownRobots(rec *robotsext.Record) *robotsext.Record {
	shown := *rec
	shown.Err = secret.Error(rec.Err)
	if isRefused(rec) {
		shown.Err = errors.New(refusalIn(rec.Err))
		shown.FailingSince, shown.RetryAt, shown.Failures, shown.Outage = time.Time{}, time.Time{}, 0, 0
	}
	return &shown
}

// restoreRefused brings back the start URLs that an earlier process was not allowed to
// connect to, and that are not allowed now either; see bringBack.
func (c *Crawler) restoreRefused() error {
	if c.tally.sum.Rejected[output.Address] == 0 {
		return nil
	}
	return record.Each(c.record, filepath.Join(c.cfg.Output.Dir, output.RejectedFile), func(_ int64, r *output.Rejection) error {
		if r.Reason != output.Address || provenanceOf(r).Source != provenance.Start {
			return nil
		}
		start := RefusedStart{URL: r.URL, Addr: r.Addr, Why: r.Detail}
		if a, err := weburl.Parse(r.URL); err == nil && !start.Addr.IsValid() && r.RobotsURL == "" {
			start.Addr = addrIn(c.found.refusal(a)) // an IP address in a URL needs no request to be found
		}
		c.tally.count(func(s *Summary) { s.Refused = append(s.Refused, start) })
		return nil
	})
}

// robotsTarget returns the URL at which the guard ended the redirects of a robots.txt;
// empty: err is of something else.
func (w *worker) robotsTarget(v *visit, err error) string {
	c := w.c
	if _, ok := errors.AsType[*robotsext.BlockedError](err); !ok {
		return ""
	}
	rec, err := c.network.robots.Record(c.life.working, v.u)
	if err != nil || len(rec.Chain) < 2 || !isRefused(rec) {
		return ""
	}
	return rec.Chain[len(rec.Chain)-1]
}

// refuseStart tells that what somebody asked for by name is refused. A crawl of that
// alone is over at once, and its summary says it.
func (w *worker) refuseStart(s RefusedStart) {
	c := w.c
	c.tally.count(func(sum *Summary) {
		sum.Refused = append(slices.Clip(sum.Refused), s)
	})
	c.log.Warn("start URL refused", "url", s.URL, "error", s.Why)
	if len(c.cfg.URLs) > 1 {
		c.notice(s.URL + " is not asked for: " + s.Why + "; see allow-addr")
	}
}
