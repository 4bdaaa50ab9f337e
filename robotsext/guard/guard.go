package guard

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"syscall"
)

// Guard decides which addresses may be connected to. It does not change, so it is safe
// for concurrent use. The zero value is that of New().
type Guard struct {
	allowed []netip.Prefix
}

// New returns a Guard that refuses every address that is not public, except those in
// allow. A prefix of IPv4 addresses allows them in every form that IPv6 has for them.
func New(allow ...netip.Prefix) *Guard {
	g := &Guard{allowed: slices.Clone(allow)}
	for i, p := range g.allowed {
		if p.Addr().Is4In6() && p.Bits() >= mappedBits {
			g.allowed[i] = netip.PrefixFrom(p.Addr().Unmap(), p.Bits()-mappedBits)
		}
	}
	return g
}

// mappedBits is the length of ::ffff:0:0/96, before the IPv4 address.
const mappedBits = 96

// Control is for the field of that name of a [net.Dialer], which calls it with the
// address it is about to connect to. An address that may not be connected to is an
// [*AddressError], and the connection is not made; what is no IP address, such as the
// path of a socket, is [ErrRefused] too.
func (g *Guard) Control(network, address string, _ syscall.RawConn) error {
	target, err := netip.ParseAddrPort(address)
	if err != nil || strings.ContainsAny(target.Addr().Zone(), "[]") { // in which netip and net see different hosts
		return fmt.Errorf("%w: %s %q is not an IP address with a port", ErrRefused, network, address)
	}
	return g.Check(target.Addr())
}

// Check returns nil if addr may be connected to, else an [*AddressError]. The zone of an
// address changes nothing.
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

// allows reports whether addr is in one of the prefixes that New was given.
func (g *Guard) allows(addr netip.Addr) bool {
	return slices.ContainsFunc(g.allowed, func(p netip.Prefix) bool { return p.Contains(addr) })
}
