package main

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

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
			return nil, misuse("--%s: %w", allowAddr, withoutPrefix(err))
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
		return withoutPrefix(odd).Error()
	case !ok:
		return bare(err)
	case host == "":
		return withoutPrefix(refused).Error()
	}
	return fmt.Sprintf("%s; if that is the site you mean, allow it with %s", withoutPrefix(refused).Error(), allowing(refused.Addr, host))
}

// allowing is the flag that lets an address of a host through.
func allowing(addr netip.Addr, host string) string {
	return "--" + allowAddr + " " + strings.Join(guard.Allowing(addr, host), ",")
}

// barred says of a ruling that the guard refused why, and how to allow it; empty: it is
// another one.
func (r ruling) barred() string {
	if !r.later() {
		return ""
	}
	if chain := r.record.Chain; len(chain) > 1 {
		if why := refusedAddress(r.record.Err, ""); why != "" {
			target := chain[len(chain)-1]
			return "it redirects to " + target + ": " + why + trusting(r.record.Err, target)
		}
	}
	return refusedAddress(r.record.Err, hostIn(r.record.Origin))
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

// unread says of a robots.txt that it could not be read, why, and what to do about it, and
// has the exit code for that.
func (r ruling) unread() (text string, code int) {
	if why := r.barred(); why != "" {
		return "is refused: " + why, exitFailed
	}
	return fmt.Sprintf("is unreachable: %s; ask again after %s", r.reason(), moment(r.record.RetryAt)), exitLater
}

// notAllowed says which start URLs of a crawl are at addresses that are not allowed, and
// how to allow them; empty: none is. A crawl in dir, which allows some already, goes on
// when they are; with dir empty there is none.
func notAllowed(refused []crawler.RefusedStart, already []string, dir string) string {
	if len(refused) == 0 {
		return ""
	}
	first, why := refused[0], ""
	if flag := allowingAll(refused, already); flag != "" && dir != "" {
		why = "; if that is the site you mean, allow it and go on with: politecrawl crawl --resume " + shellWord(dir) + " " + flag
	} else if flag != "" {
		why = "; if that is the site you mean, allow it with " + flag
	}
	more := ""
	if n := len(refused) - 1; n > 0 {
		more = fmt.Sprintf(" (and %s likewise)", number(n, "start URL"))
	}
	return fmt.Sprintf("%s is not asked for: %s%s%s", first.URL, first.Why, more, why)
}

// allowingAll is the flag that lets start URLs through that were refused for their own
// addresses, beside what is allowed already: what --resume is given takes the place of what
// the crawl had. Empty: none was.
func allowingAll(refused []crawler.RefusedStart, already []string) string {
	all := slices.Clone(already)
	for _, s := range refused {
		u, err := url.Parse(s.URL)
		if err != nil || !s.Addr.IsValid() {
			continue
		}
		for _, network := range guard.Allowing(s.Addr, u.Hostname()) {
			if !slices.Contains(all, network) {
				all = append(all, network)
			}
		}
	}
	if len(all) == len(already) {
		return ""
	}
	return "--" + allowAddr + " " + strings.Join(all, ",")
}
