package guard

import (
	"net/netip"
	"strings"
	"unicode"
)

// CheckHost checks the host of a URL before its name is resolved. It checks an IP
// address like [Guard.Check], and localhost (RFC 6761 6.3) like a loopback address.
// Some programs read hosts such as 127.1, 0x7f.1, 2130706433 or 010.0.0.1 as
// addresses, others as names; these fail with a [*HostError]. For all other names it
// returns nil; check their addresses once they are resolved.
//
// Use it for requests through a proxy, which makes the connection itself, and to fail
// before [Guard.Control] does.
func (g *Guard) CheckHost(host string) error {
	host = strings.TrimRight(strings.Trim(host, "[]"), dots)
	if addr, err := netip.ParseAddr(host); err == nil {
		return g.Check(addr)
	}
	last := host
	for i, r := range host {
		if strings.ContainsRune(dots, r) {
			last = host[i+len(string(r)):]
		}
	}
	switch {
	case strings.EqualFold(last, "localhost"):
		if g.Check(netip.IPv6Loopback()) == nil {
			return nil
		}
		return g.Check(netip.AddrFrom4([4]byte{127, 0, 0, 1}))
	case isNumber(last):
		return &HostError{Host: host}
	}
	return nil
}

// dots are the separators of labels. IDNA maps the others to the first.
const dots = ".。．｡"

// isNumber reports whether some programs read a host with this last label as an
// address, as they do with 127.1 or 0x7f.1. No public name ends like this.
func isNumber(label string) bool {
	if strings.ContainsFunc(label, func(r rune) bool { return r > unicode.MaxASCII }) {
		return strings.ContainsFunc(label, unicode.IsNumber) // which IDNA may map to others
	}
	digits := "0123456789"
	if len(label) >= 2 && (label[:2] == "0x" || label[:2] == "0X") {
		label, digits = label[1:], digits+"abcdefABCDEFxX"
	}
	return label != "" && strings.Trim(label, digits) == ""
}
