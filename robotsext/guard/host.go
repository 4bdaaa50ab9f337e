package guard

import (
	"net/netip"
	"strings"
	"unicode"
)

// CheckHost judges the host of a URL as far as that is possible before its name is looked
// up. An IP address is judged as by [Guard.Check], and a name that means the own machine
// by definition (localhost, RFC 6761 6.3) by the address of that. Other spellings of
// addresses, which some programs take for one and some for a name (127.1, 0x7f.1,
// 2130706433, 010.0.0.1, digits that are not ASCII), are a [*HostError]. For all other
// names it returns nil: they have to be judged when they have been looked up.
//
// It is for requests whose connection somebody else makes, as a proxy does, and for
// refusing early what [Guard.Control] would refuse in any case.
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

// dots are what may stand between labels: IDNA maps the others to the first.
const dots = ".。．｡"

// isNumber tells whether the last label of a host makes an address of it, for programs
// that read more than four decimal numbers as one. No name of the public internet ends
// like this.
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
