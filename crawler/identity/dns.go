package identity

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"

	"golang.org/x/net/publicsuffix"

	"github.com/politecrawl/politecrawl/robotsext/guard"
)

// A Resolver looks up names and addresses. [net.Resolver] is one.
type Resolver interface {
	LookupAddr(ctx context.Context, addr string) (names []string, err error)
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// DNS has what [Settings.CheckDNS] looks up. Nil fields mean this machine's.
type DNS struct {
	Resolver Resolver                     // default net.DefaultResolver
	Addrs    func() ([]netip.Addr, error) // public addresses; default those of the interfaces
}

// publicAddrs returns the public addresses of this machine's interfaces.
func publicAddrs() ([]netip.Addr, error) {
	all, err := net.InterfaceAddrs()
	if err != nil {
		return nil, err
	}
	var list []netip.Addr
	for _, a := range all {
		if n, ok := a.(*net.IPNet); ok {
			if addr, ok := netip.AddrFromSlice(n.IP); ok {
				list = append(list, addr.Unmap())
			}
		}
	}
	public := guard.New()
	return slices.DeleteFunc(list, func(a netip.Addr) bool { return public.Check(a) != nil }), nil
}

// CheckDNS checks each public address of this machine as a site does. Its name is under the domain of the
// agent and resolves back to it (forward-confirmed reverse DNS). The IP ranges contain it. It returns a
// line for each address that fails, or one that says that there is no public address.
func (s *Settings) CheckDNS(ctx context.Context, dns DNS) []string {
	if dns.Resolver == nil {
		dns.Resolver = net.DefaultResolver
	}
	if dns.Addrs == nil {
		dns.Addrs = publicAddrs
	}
	addrs, err := dns.Addrs()
	if err != nil {
		return []string{fmt.Sprintf("cannot list the addresses of this machine: %v", err)}
	}
	if len(addrs) == 0 {
		return []string{"this machine has no public address, so its DNS cannot be checked; requests leave through another machine, and sites see its address"}
	}
	var lines []string
	for _, addr := range addrs {
		if err := s.checkAddr(ctx, dns.Resolver, addr); err != nil {
			lines = append(lines, err.Error())
		}
	}
	return lines
}

func (s *Settings) checkAddr(ctx context.Context, resolver Resolver, addr netip.Addr) error {
	if len(s.IPRanges) > 0 && !slices.ContainsFunc(s.IPRanges, func(text string) bool {
		p, err := netip.ParsePrefix(text)
		return err == nil && p.Contains(addr)
	}) {
		return fmt.Errorf("the address %s of this machine is in none of the published IP ranges; add it to ip_ranges in identity.json, run \"politecrawl identity show\" and upload public/", addr)
	}
	domain := s.domain()
	names, err := resolver.LookupAddr(ctx, addr.String())
	if err != nil && !isNotFound(err) {
		return fmt.Errorf("cannot look up the name of %s: %w; sites may not be able to either", addr, err)
	}
	if len(names) == 0 {
		return fmt.Errorf("the address %s of this machine has no name in DNS; ask its provider for a PTR record such as crawler.%s", addr, domain)
	}
	var below []string
	for _, name := range names {
		name = strings.TrimSuffix(strings.ToLower(name), ".")
		if name == domain || strings.HasSuffix(name, "."+domain) {
			below = append(below, name)
		}
	}
	if len(below) == 0 {
		return fmt.Errorf("the address %s of this machine has the name %s, which is not under %s; ask its provider for a PTR record such as crawler.%[3]s", addr, strings.TrimSuffix(names[0], "."), domain)
	}
	for _, name := range below {
		found, err := resolver.LookupNetIP(ctx, "ip", name)
		if err == nil && slices.ContainsFunc(found, func(a netip.Addr) bool { return a.Unmap() == addr }) {
			return nil
		}
	}
	return fmt.Errorf("the address %s of this machine has the name %s, which does not resolve back to it; add an A or AAAA record for the name", addr, below[0])
}

// domain returns the domain that names must be under: the registrable domain of the agent, or its host.
func (s *Settings) domain() string {
	host := s.host()
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if domain, err := publicsuffix.EffectiveTLDPlusOne(host); err == nil && net.ParseIP(host) == nil {
		return domain
	}
	return host
}

func isNotFound(err error) bool {
	dns, ok := errors.AsType[*net.DNSError](err)
	return ok && dns.IsNotFound
}
