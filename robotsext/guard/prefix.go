package guard

import (
	"fmt"
	"net/netip"
	"strings"
)

// Allowing returns what to allow, each in the form that [ParsePrefix] reads, so that a host
// is let through that was refused at an address: of the own machine all that it has, since
// a name such as localhost means several.
func Allowing(addr netip.Addr, host string) []string {
	plain := addr.Unmap().WithZone("")
	_, err := netip.ParseAddr(strings.Trim(host, "[]"))
	switch {
	case plain.IsLoopback() && err != nil:
		return []string{"127.0.0.0/8", "::1"}
	case plain.IsLoopback() && plain.Is4():
		return []string{"127.0.0.0/8"}
	}
	return []string{plain.String()}
}

// ParsePrefix reads what a person allows: a network as in 10.0.0.0/8 or fd00::/8, or one
// address as in 127.0.0.1 or ::1. Bits beyond the length of a network are cleared.
func ParsePrefix(s string) (netip.Prefix, error) {
	if prefix, err := netip.ParsePrefix(s); err == nil {
		return prefix.Masked(), nil
	}
	if addr, err := netip.ParseAddr(s); err == nil && addr.Zone() == "" {
		return netip.PrefixFrom(addr, addr.BitLen()), nil
	}
	why := ""
	switch addr, err := netip.ParseAddr(strings.Trim(s, "[]")); {
	case err == nil && addr.Zone() != "":
		why = "an address zone is of this machine alone, leave it out; "
	case err == nil:
		why = "leave out the brackets; "
	case strings.Contains(s, "://"):
		why = "a URL has no address of its own; "
	default:
		if _, err := netip.ParseAddrPort(s); err == nil {
			why = "leave out the port; "
		}
	}
	return netip.Prefix{}, fmt.Errorf("%q is neither an IP address nor a network of them: %swrite it as 127.0.0.1, 10.0.0.0/8 or fd00::/8", s, why)
}
