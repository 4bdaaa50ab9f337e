// Package hostname converts the hosts of URLs to the canonical form that is compared and sent
// in DNS requests.
package hostname

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// profile maps names as browsers do: UTS 46, non-transitional (ROB-LOC-08).
// Hyphens are not checked, since names such as r3---sn-abc are in use. ASCII
// characters are left to checkName, which accepts underscores (ROB-LOC-17).
var profile = idna.New(
	idna.MapForLookup(),
	idna.Transitional(false),
	idna.StrictDomainName(false),
	idna.CheckHyphens(false),
	idna.BidiRule(),
)

// ToASCII maps an international name to punycode.
func ToASCII(name string) (string, error) {
	if !utf8.ValidString(name) {
		return "", errors.New("not UTF-8") // or the octets would become U+FFFD
	}
	// Before v0.55.0, golang.org/x/net decodes "xn--example-" to "example" (CVE-2026-39821).
	for label := range strings.SplitSeq(name, ".") {
		if strings.HasSuffix(label, "-") && len(label) >= 4 && strings.EqualFold(label[:4], "xn--") {
			return "", fmt.Errorf("label %q encodes only ASCII", label)
		}
	}
	return profile.ToASCII(name)
}

// Canonical returns the canonical form of the host of a URL, without its port: an
// IPv6 address in brackets as the WHATWG URL standard writes it, a name in lower case and
// punycode. A trailing dot is kept (ROB-LOC-14). It fails for addresses with a
// zone (ROB-LOC-15) and for names that DNS cannot carry (ROB-LOC-16).
func Canonical(host string) (string, error) {
	if strings.HasPrefix(host, "[") {
		return canonicalIPv6(host)
	}
	name := strings.ToLower(host)
	if !isASCII(name) || strings.Contains(name, "xn--") {
		var err error
		if name, err = ToASCII(name); err != nil {
			return "", err
		}
	}
	return name, checkName(name)
}

func canonicalIPv6(host string) (string, error) {
	addr, err := netip.ParseAddr(strings.TrimSuffix(host[1:], "]"))
	switch {
	case err != nil || !addr.Is6() || !strings.HasSuffix(host, "]"):
		return "", errors.New("not an IPv6 address")
	case addr.Zone() != "":
		return "", errors.New("an address zone means nothing to other machines")
	}
	if addr.Is4In6() { // netip writes ::ffff:127.0.0.1, browsers write ::ffff:7f00:1
		last := addr.As16()
		return fmt.Sprintf("[::ffff:%x:%x]", binary.BigEndian.Uint16(last[12:]), binary.BigEndian.Uint16(last[14:])), nil
	}
	return "[" + addr.String() + "]", nil
}

// checkName accepts names that are valid in DNS and in use: letters, digits, hyphens and
// underscores in labels of 1 to 63 octets, up to 253 octets in total, with or without a
// trailing dot.
func checkName(name string) error {
	name = strings.TrimSuffix(name, ".")
	if len(name) == 0 || len(name) > 253 {
		return fmt.Errorf("a name has 1 to 253 octets, not %d", len(name))
	}
	for label := range strings.SplitSeq(name, ".") {
		if len(label) == 0 || len(label) > 63 {
			return fmt.Errorf("a label has 1 to 63 octets, not %d", len(label))
		}
		for i := range len(label) {
			switch c := label[i]; {
			case 'a' <= c && c <= 'z', '0' <= c && c <= '9', c == '-', c == '_':
			default:
				return fmt.Errorf("character %q", c)
			}
		}
	}
	return nil
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
