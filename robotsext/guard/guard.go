package guard

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"syscall"
)

// Guard decides which IP addresses a program may connect to. It never changes and is
// safe for concurrent use. The zero value equals New().
type Guard struct {
	allowed []netip.Prefix
}

// New returns a Guard that refuses every address that is not public, except those in
// allow. An IPv4 prefix also allows its addresses embedded in IPv6.
func New(allow ...netip.Prefix) *Guard {
	g := &Guard{allowed: slices.Clone(allow)}
	for i, p := range g.allowed {
		if p.Addr().Is4In6() && p.Bits() >= mappedBits {
			g.allowed[i] = netip.PrefixFrom(p.Addr().Unmap(), p.Bits()-mappedBits)
		}
	}
	return g
}

// mappedBits is the number of bits before the IPv4 address in ::ffff:0:0/96.
const mappedBits = 96

// Control is a function for net.Dialer.Control. It fails with an [*AddressError] if the
// address is not allowed, so that no connection is made. Addresses that are not IP
// addresses, such as the path of a Unix socket, fail with [ErrRefused].
func (g *Guard) Control(network, address string, _ syscall.RawConn) error {
	target, err := netip.ParseAddrPort(address)
	if err != nil || strings.ContainsAny(target.Addr().Zone(), "[]") { // in which netip and net see different hosts
		return fmt.Errorf("%w: %s %q is not an IP address with a port", ErrRefused, network, address)
	}
	return g.Check(target.Addr())
}

// Check returns nil if connections to addr are allowed, else an [*AddressError]. It
// ignores the zone.
func (g *Guard) Check(addr netip.Addr) error {
	plain := addr.Unmap().WithZone("")
	if g.allows(plain) {
		return nil
	}
	if kind := kindOf(plain); kind != public {
		return &AddressError{Addr: addr, Kind: kind}
	}
	for _, in := range embedded(plain) {
		if kind := kindOf(in.addr); kind != public && !g.allows(in.addr) {
			return &AddressError{Addr: addr, Kind: kind, Form: in.form, Inner: in.addr}
		}
	}
	return nil
}

// allows reports whether New was given a prefix that contains addr.
func (g *Guard) allows(addr netip.Addr) bool {
	return slices.ContainsFunc(g.allowed, func(p netip.Prefix) bool { return p.Contains(addr) })
}
