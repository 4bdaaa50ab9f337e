package guard

import (
	"net/netip"
	"strings"
	"testing"
)

// registry is the registries of special-purpose addresses of IANA, as updated on
// 2025-10-09: the block, its name, and whether it is globally reachable. N/A are those
// that stand for addresses of IPv4. Behind them, with IETF for a name, are rows of the
// tables of the address space as a whole.
const registry = `
0.0.0.0/8          This network                    False
10.0.0.0/8         Private-Use                     False
100.64.0.0/10      Shared Address Space            False
127.0.0.0/8        Loopback                        False
169.254.0.0/16     Link Local                      False
172.16.0.0/12      Private-Use                     False
192.0.0.0/24       IETF Protocol Assignments       False
192.0.0.0/29       IPv4 Service Continuity Prefix  False
192.0.0.8/32       IPv4 dummy address              False
192.0.0.9/32       Port Control Protocol Anycast   True
192.0.0.10/32      TURN Anycast                    True
192.0.0.170/32     NAT64/DNS64 Discovery           False
192.0.0.171/32     NAT64/DNS64 Discovery           False
192.0.2.0/24       Documentation (TEST-NET-1)      False
192.31.196.0/24    AS112-v4                        True
192.52.193.0/24    AMT                             True
192.88.99.0/24     Deprecated (6to4 Relay Anycast) False
192.168.0.0/16     Private-Use                     False
192.175.48.0/24    Direct Delegation AS112 Service True
198.18.0.0/15      Benchmarking                    False
198.51.100.0/24    Documentation (TEST-NET-2)      False
203.0.113.0/24     Documentation (TEST-NET-3)      False
240.0.0.0/4        Reserved                        False
255.255.255.255/32 Limited Broadcast               False
::1/128            Loopback Address                False
::/128             Unspecified Address             False
::ffff:0:0/96      IPv4-mapped Address             N/A
64:ff9b::/96       IPv4-IPv6 Translat.             N/A
64:ff9b:1::/48     IPv4-IPv6 Translat.             False
100::/64           Discard-Only Address Block      False
100:0:0:1::/64     Dummy IPv6 Prefix               False
2001::/23          IETF Protocol Assignments       False
2001::/32          TEREDO                          N/A
2001:1::1/128      Port Control Protocol Anycast   True
2001:1::2/128      TURN Anycast                    True
2001:1::3/128      DNS-SD SRP Anycast              True
2001:2::/48        Benchmarking                    False
2001:3::/32        AMT                             True
2001:4:112::/48    AS112-v6                        True
2001:10::/28       Deprecated (previously ORCHID)  False
2001:20::/28       ORCHIDv2                        True
2001:30::/28       Drone Remote ID DETs            True
2001:db8::/32      Documentation                   False
2002::/16          6to4                            N/A
2620:4f:8000::/48  Direct Delegation AS112 Service True
3fff::/20          Documentation                   False
5f00::/16          Segment Routing (SRv6) SIDs     False
fc00::/7           Unique-Local                    False
fe80::/10          Link-Local Unicast              False
0.0.0.0/0          IETF the rest of IPv4           True
224.0.0.0/4        IETF Multicast                  False
::/0               IETF the rest of IPv6           False
2000::/3           IETF Global Unicast             True
::/96              IETF IPv4-compatible            N/A
::ffff:0:0:0/96    IETF IPv4-translated            N/A
fec0::/10          IETF Site-Local                 False
ff00::/8           IETF Multicast                  False
`

type registryRow struct {
	prefix netip.Prefix
	name   string
	reach  string
}

func registryRows(t testing.TB) (rows []registryRow) {
	t.Helper()
	for line := range strings.Lines(strings.TrimSpace(registry)) {
		f := strings.Fields(line)
		rows = append(rows, registryRow{netip.MustParsePrefix(f[0]), strings.Join(f[1:len(f)-1], " "), f[len(f)-1]})
	}
	return rows
}

// reachable is what the registry says of an address: the smallest block counts.
func reachable(rows []registryRow, addr netip.Addr) (r registryRow) {
	r.prefix = netip.PrefixFrom(addr, 0)
	for _, row := range rows {
		if row.prefix.Contains(addr) && (r.name == "" || row.prefix.Bits() > r.prefix.Bits()) {
			r = row
		}
	}
	return r
}

// TestRegistry asks about the first and the last address of every block, and about those
// next to it: each is judged as the registry says.
func TestRegistry(t *testing.T) {
	g, rows := New(), registryRows(t)
	clouds := map[netip.Addr]bool{}
	for _, b := range special {
		if b.kind == Metadata {
			clouds[b.prefix.Addr()] = true
		}
	}
	for _, row := range rows {
		t.Run(row.prefix.String(), func(t *testing.T) {
			first, last := row.prefix.Addr(), lastOf(row.prefix)
			for _, addr := range []netip.Addr{first, first.Next(), last, last.Prev(), first.Prev(), last.Next()} {
				if !addr.IsValid() || clouds[addr] {
					continue
				}
				says := reachable(rows, addr)
				if says.reach == "N/A" { // TestEmbedded
					continue
				}
				if err := g.Check(addr); (err == nil) != (says.reach == "True") {
					t.Errorf("%s (%s, reachable: %s): %v", addr, says.name, says.reach, err)
				}
			}
		})
	}
}

func lastOf(p netip.Prefix) netip.Addr {
	bytes := p.Addr().AsSlice()
	for i := p.Bits(); i < len(bytes)*8; i++ {
		bytes[i/8] |= 0x80 >> (i % 8)
	}
	addr, _ := netip.AddrFromSlice(bytes)
	return addr
}

// FuzzCheck: whatever the address, it is judged as the registry says, or for being that
// of a cloud; in any case nothing is let through that package netip knows to be special.
func FuzzCheck(f *testing.F) {
	for _, row := range registryRows(f) {
		f.Add(row.prefix.Addr().AsSlice(), "")
		f.Add(lastOf(row.prefix).AsSlice(), "eth0")
	}
	g, rows := New(), registryRows(f)
	f.Fuzz(func(t *testing.T, bytes []byte, zone string) {
		addr, ok := netip.AddrFromSlice(bytes)
		if !ok {
			return
		}
		err := g.Check(addr.WithZone(zone))
		a := addr.Unmap()
		special := a.IsLoopback() || a.IsPrivate() || a.IsLinkLocalUnicast() || a.IsMulticast() || a.IsUnspecified() || a.IsInterfaceLocalMulticast()
		if special && err == nil {
			t.Fatalf("%s is let through", a)
		}
		switch says := reachable(rows, a).reach; {
		case says == "False" && err == nil:
			t.Fatalf("%s is let through, which is not reachable", a)
		case says == "True" && err != nil && kindOf(a) != Metadata && len(embedded(a)) == 0:
			t.Fatalf("%s, which is reachable: %v", a, err)
		}
		if err != nil && New(netip.PrefixFrom(a, a.BitLen())).Check(addr.WithZone(zone)) != nil {
			t.Fatalf("%s is refused though it is allowed", addr)
		}
	})
}
