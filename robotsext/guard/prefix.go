package guard

import (
	"fmt"
	"net/netip"
	"strings"
)

// PrefixesFor returns the prefixes that [New] must allow so that a host with the
// refused address addr becomes reachable. [ParsePrefix] parses them. Host is the host of
// the URL, a name or an address. If it is a name and addr is loopback, PrefixesFor returns
// the loopback networks of IPv4 and IPv6, because localhost usually resolves to both.
func PrefixesFor(addr netip.Addr, host string) []string {
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

// ParsePrefix parses a network such as 10.0.0.0/8 or fd00::/8, or one address such as
// 127.0.0.1 or ::1. It clears the host bits of a network.
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
		why = "remove the zone; "
	case err == nil:
		why = "remove the brackets; "
	case strings.Contains(s, "://"):
		why = "a URL is not accepted; "
	default:
		if _, err := netip.ParseAddrPort(s); err == nil {
			why = "remove the port; "
		}
	}
	return netip.Prefix{}, fmt.Errorf("%q is neither an IP address nor a network: %suse the form 127.0.0.1, 10.0.0.0/8 or fd00::/8", s, why)
}
