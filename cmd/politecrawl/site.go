package main

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/guard"
)

// allowAddr is the name of the flag that every command has which asks sites for
// something.
const allowAddr = "allow-addr"

const allowAddrUsage = "connect to the IP address or network `CIDR` although it is not public (127.0.0.1, 10.0.0.0/8); may be given several times"

// siteFlags are the flags of commands that ask sites for their robots.txt.
type siteFlags struct {
	userAgent string
	timeout   time.Duration
	allowed   []string
}

func (s *siteFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&s.userAgent, "user-agent", crawler.DefaultUserAgent, "sent when robots.txt is fetched")
	flags.DurationVar(&s.timeout, "timeout", 30*time.Second, "longest time for one robots.txt with its redirects")
	flags.StringSliceVar(&s.allowed, allowAddr, nil, allowAddrUsage)
}

// guardOf returns the guard that lets the addresses of --allow-addr through.
func guardOf(texts []string) (*guard.Guard, error) {
	var allowed []netip.Prefix
	for _, text := range texts {
		p, err := guard.ParsePrefix(text)
		if err != nil {
			return nil, cli.Misuse("--%s: %w", allowAddr, cli.WithoutPrefix(err))
		}
		allowed = append(allowed, p)
	}
	return guard.New(allowed...), nil
}

// refusedAddress says of what the guard has refused why, and how to allow it; empty: err
// is of something else. Whoever asked for the host meant it; where others have led to, as
// with the target of a redirect, host is empty, and nothing is said of how to get there.
func refusedAddress(err error, host string) string {
	refused, ok := errors.AsType[*guard.AddressError](err)
	odd, isOdd := errors.AsType[*guard.HostError](err)
	switch {
	case !errors.Is(err, guard.ErrRefused):
		return ""
	case isOdd:
		return cli.WithoutPrefix(odd).Error()
	case !ok:
		return cli.ErrorText(err)
	case host == "":
		return cli.WithoutPrefix(refused).Error()
	}
	return fmt.Sprintf("%s; if that is the site you mean, allow it with %s", cli.WithoutPrefix(refused).Error(), allowing(refused.Addr, host))
}

// allowing is the flag that lets an address of a host through.
func allowing(addr netip.Addr, host string) string {
	return "--" + allowAddr + " " + strings.Join(guard.Allowing(addr, host), ",")
}

// trusting is how to allow what a robots.txt redirects to, for whoever knows that site.
// Where machines are told their secrets there is no site: of that nobody is told.
func trusting(err error, target string) string {
	refused, ok := errors.AsType[*guard.AddressError](err)
	u, bad := url.Parse(target)
	if !ok || bad != nil || refused.Kind == guard.Metadata || refused.Kind == guard.LinkLocal {
		return ""
	}
	return "; if you trust that redirect, allow it with " + allowing(refused.Addr, u.Hostname())
}

func hostIn(o robotsext.Origin) string {
	u, err := url.Parse(string(o))
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// refusedRobots says of a robots.txt whose request the guard refused why, and how to allow
// it; empty: it was not refused.
func refusedRobots(rec *robotsext.Record) string {
	if rec == nil || rec.Outcome != robotsext.Unreachable {
		return ""
	}
	if chain := rec.Chain; len(chain) > 1 {
		if why := refusedAddress(rec.Err, ""); why != "" {
			target := chain[len(chain)-1]
			return "it redirects to " + target + ": " + why + trusting(rec.Err, target)
		}
	}
	return refusedAddress(rec.Err, hostIn(rec.Origin))
}
