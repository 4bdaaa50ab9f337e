package guard

import "net/netip"

// inner is an IPv4 address embedded in an IPv6 address. A translator or a tunnel
// forwards packets for the IPv6 address to it.
type inner struct {
	form string // how it is embedded, as in AddressError.Form
	addr netip.Addr
}

// forms are the prefixes that embed an IPv4 address, with its position in bytes.
var forms = []struct {
	name   string
	prefix netip.Prefix
	at     int
}{
	{"IPv4-compatible", netip.MustParsePrefix("::/96"), 12},           // RFC 4291 2.5.5.1
	{"IPv4-translated", netip.MustParsePrefix("::ffff:0:0:0/96"), 12}, // RFC 2765
	{"NAT64", netip.MustParsePrefix("64:ff9b::/96"), 12},              // RFC 6052
	{"6to4", netip.MustParsePrefix("2002::/16"), 2},                   // RFC 3056
	{"Teredo", netip.MustParsePrefix("2001::/32"), 4},                 // RFC 4380: its server
}

// embedded returns the IPv4 addresses in addr, which must not be IPv4-mapped.
func embedded(addr netip.Addr) []inner {
	if !addr.Is6() {
		return nil
	}
	b := addr.As16()
	v4 := func(at int) netip.Addr { return netip.AddrFrom4([4]byte(b[at : at+4])) }
	var found []inner
	for _, f := range forms {
		if f.prefix.Contains(addr) {
			found = append(found, inner{f.name, v4(f.at)})
			if f.name == "Teredo" { // and the client, with inverted bits
				client := v4(12).As4()
				for i := range client {
					client[i] = ^client[i]
				}
				found = append(found, inner{f.name, netip.AddrFrom4(client)})
			}
		}
	}
	// ISATAP, by the second half of an address (RFC 5214 6.1).
	if b[8]&^0x03 == 0 && b[9] == 0 && b[10] == 0x5e && b[11] == 0xfe {
		found = append(found, inner{"ISATAP", v4(12)})
	}
	return found
}
