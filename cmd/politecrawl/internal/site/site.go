// Package site has the common parts of commands that send requests to sites: URLs of users,
// flags, and errors about blocked addresses.
package site

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/flags"
	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/guard"
)

// Flags are the flags of commands that send requests to sites.
type Flags struct {
	Delay     time.Duration // of commands that send several requests to a host
	UserAgent string
	Timeout   time.Duration
	Allowed   []string
}

// Add adds the flags to a set, except --delay. Usage is the usage of --timeout.
func (f *Flags) Add(fs *pflag.FlagSet, usage string) {
	flags.Add(fs, "user-agent", &f.UserAgent)
	flags.Add(fs, "timeout", &f.Timeout)
	fs.Lookup("timeout").Usage = usage
	flags.Add(fs, flags.AllowAddr, &f.Allowed)
}

// RobotsTimeout is the usage of --timeout of commands that request robots.txt files only.
const RobotsTimeout = "stop a robots.txt request after `DURATION`, redirects included"

// AddWithDelay adds the flags to a set, as Add does, and --delay.
func (f *Flags) AddWithDelay(fs *pflag.FlagSet, usage string) {
	flags.Add(fs, "delay", &f.Delay)
	f.Add(fs, usage)
}

// Check returns a usage error of a command for invalid values.
func (f *Flags) Check(command string) error {
	switch {
	case f.Timeout <= 0:
		return cli.Misuse("%s: --timeout: %v is not positive", command, f.Timeout)
	case f.Delay < 0:
		return cli.Misuse("%s: --delay: %v is negative", command, f.Delay)
	}
	return nil
}

// NewGuard returns the guard that allows the addresses of --allow-addr.
func NewGuard(texts []string) (*guard.Guard, error) {
	var allowed []netip.Prefix
	for _, text := range texts {
		p, err := guard.ParsePrefix(text)
		if err != nil {
			return nil, cli.Misuse("--%s: %w", flags.AllowAddr, err)
		}
		allowed = append(allowed, p)
	}
	return guard.New(allowed...), nil
}

// RefusedAddress says why the guard refused an address, and how to allow it. It returns an
// empty string for any other error. If host is empty, because the user did not name it, the
// text does not say how to allow it.
func RefusedAddress(err error, host string) string {
	refused, ok := errors.AsType[*guard.AddressError](err)
	odd, isOdd := errors.AsType[*guard.HostError](err)
	switch {
	case !errors.Is(err, guard.ErrRefused):
		return ""
	case isOdd:
		return odd.Error()
	case !ok:
		return cli.ErrorText(err)
	case host == "":
		return refused.Error()
	}
	return fmt.Sprintf("%s; if that is the site you mean, allow it with %s", refused.Error(), allowing(refused.Addr, host))
}

// allowing returns the flag that allows an address of a host.
func allowing(addr netip.Addr, host string) string {
	return "--" + flags.AllowAddr + " " + strings.Join(guard.PrefixesFor(addr, host), ",")
}

// trusting says how to allow the redirect target of a robots.txt, for users who trust the site. It
// says nothing about link-local addresses and metadata services: they have secrets, but no sites.
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

// RefusedRobots says why the guard refused the request of a robots.txt, and how to allow it.
// It returns an empty string if it was not refused.
func RefusedRobots(rec *robotsext.Record) string {
	if rec == nil || rec.Outcome != robotsext.OutcomeUnreachable {
		return ""
	}
	if chain := rec.RedirectChain; len(chain) > 1 {
		if why := RefusedAddress(rec.Err, ""); why != "" {
			target := chain[len(chain)-1]
			return "it redirects to " + target + ": " + why + trusting(rec.Err, target)
		}
	}
	return RefusedAddress(rec.Err, hostIn(rec.Origin))
}
