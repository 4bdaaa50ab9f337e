package guard

import (
	"net/netip"
	"slices"
	"strings"
)

// Kind is what an address is used for, and thus the reason for refusing it. The text is
// for people; programs compare it with the constants.
type Kind string

// The kinds of addresses that are not public.
const (
	Loopback      Kind = "loopback"
	Private       Kind = "private"
	UniqueLocal   Kind = "unique local" // private addresses of IPv6
	LinkLocal     Kind = "link-local"
	SiteLocal     Kind = "site-local"     // obsolete private addresses of IPv6
	Shared        Kind = "shared"         // carrier-grade NAT and overlay networks
	Metadata      Kind = "cloud metadata" // metadata services of clouds, which give out credentials
	Multicast     Kind = "multicast"
	Broadcast     Kind = "broadcast"
	Unspecified   Kind = "unspecified" // 0.0.0.0 and ::, which connect to this machine
	Documentation Kind = "documentation"
	Benchmarking  Kind = "benchmarking"
	Discard       Kind = "discard-only"
	Translation   Kind = "local translation" // to IPv4 addresses in an unknown way
	Reserved      Kind = "reserved"          // for a protocol or for future use
	Invalid       Kind = "invalid"

	public Kind = ""
)

// block is a range of addresses of one kind.
type block struct {
	prefix netip.Prefix
	kind   Kind
}

// special maps address blocks to kinds; the smallest block that contains an address
// counts. It follows IANA's registries of special-purpose addresses (column "Globally
// Reachable"), its registry of the IPv6 address space, and the documentation of
// clouds.
var special = blocks([]struct {
	kind     Kind
	prefixes string
}{
	{public, "0.0.0.0/0 192.0.0.9/32 192.0.0.10/32 192.31.196.0/24 192.52.193.0/24 192.175.48.0/24"},
	{public, "2000::/3 2001:1::1/128 2001:1::2/128 2001:1::3/128 2001:3::/32 2001:4:112::/48 2001:20::/28 2001:30::/28 2620:4f:8000::/48"},
	// Decided by the IPv4 addresses in them; see embedded.
	{public, "::/96 ::ffff:0:0:0/96 64:ff9b::/96 2001::/32 2002::/16"},
	{Unspecified, "0.0.0.0/8 ::/128"},
	{Loopback, "127.0.0.0/8 ::1/128"},
	{Private, "10.0.0.0/8 172.16.0.0/12 192.168.0.0/16"},
	{UniqueLocal, "fc00::/7"},
	{LinkLocal, "169.254.0.0/16 fe80::/10"},
	{SiteLocal, "fec0::/10"},
	{Shared, "100.64.0.0/10"},
	{Multicast, "224.0.0.0/4 ff00::/8"},
	{Broadcast, "255.255.255.255/32"},
	{Documentation, "192.0.2.0/24 198.51.100.0/24 203.0.113.0/24 2001:db8::/32 3fff::/20"},
	{Benchmarking, "198.18.0.0/15 2001:2::/48"},
	{Discard, "100::/64 100:0:0:1::/64"},
	{Translation, "64:ff9b:1::/48"},
	{Reserved, "192.0.0.0/24 192.88.99.0/24 240.0.0.0/4"},
	{Reserved, "::/0 2001::/23 2001:10::/28 5f00::/16"},
	{Metadata, "169.254.169.254/32 fd00:ec2::254/128 fd20:ce::254/128"}, // EC2 and most others; EC2; Google
	{Metadata, "169.254.170.2/32 169.254.170.23/32 fd00:ec2::23/128"},   // ECS, EKS
	{Metadata, "168.63.129.16/32 100.100.100.200/32 169.254.0.23/32"},   // Azure, Alibaba, Tencent
	{Metadata, "169.254.42.42/32 fd00:42::42/128 192.0.0.192/32"},       // Scaleway, Oracle
})

// blocks parses a table of prefixes.
func blocks(table []struct {
	kind     Kind
	prefixes string
}) []block {
	var all []block
	for _, row := range table {
		for text := range strings.FieldsSeq(row.prefixes) {
			all = append(all, block{netip.MustParsePrefix(text), row.kind})
		}
	}
	slices.SortStableFunc(all, func(a, b block) int { return b.prefix.Bits() - a.prefix.Bits() })
	return all
}

// kindOf returns the kind of an address without a zone. IPv4-mapped addresses must be
// unmapped.
func kindOf(addr netip.Addr) Kind {
	for _, b := range special {
		if b.prefix.Contains(addr) {
			return b.kind
		}
	}
	return Invalid
}
