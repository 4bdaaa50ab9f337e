package guard

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"testing"
)

// TestKinds: the word for each kind of address, as a person reads it.
func TestKinds(t *testing.T) {
	g := New()
	for want, addrs := range map[string]string{
		"(loopback)":          "127.0.0.1 127.255.255.254 ::1 ::ffff:127.0.0.1",
		"(private)":           "10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1",
		"(unique local)":      "fd12:3456::1 fc00::",
		"(link-local)":        "169.254.1.1 fe80::1 fe80::1%eth0",
		"(site-local)":        "fec0::1",
		"(shared)":            "100.64.0.1 100.127.255.255",
		"(cloud metadata)":    "169.254.169.254 169.254.170.2 169.254.170.23 168.63.129.16 100.100.100.200 192.0.0.192 169.254.0.23 169.254.42.42 fd00:ec2::254 fd00:ec2::23 fd20:ce::254 fd00:42::42 ::ffff:169.254.169.254",
		"(multicast)":         "224.0.0.1 239.255.255.255 ff02::1",
		"(broadcast)":         "255.255.255.255",
		"(unspecified)":       "0.0.0.0 0.1.2.3 ::",
		"(documentation)":     "192.0.2.1 198.51.100.1 203.0.113.1 2001:db8::1 3fff::1",
		"(benchmarking)":      "198.18.0.1 198.19.255.255 2001:2::1",
		"(discard-only)":      "100::1",
		"(local translation)": "64:ff9b:1::808:808",
		"(reserved)":          "192.0.0.1 192.88.99.1 240.0.0.1 254.255.255.255 4000::1 5f00::1 2001:10::1 2001:100::1",
		"":                    "8.8.8.8 1.1.1.1 172.15.255.255 172.32.0.0 100.63.255.255 100.128.0.0 198.17.255.255 2606:4700::1111 2001:200::1 2a00::1 3000::1",
	} {
		for addr := range strings.FieldsSeq(addrs) {
			err := g.Check(netip.MustParseAddr(addr))
			if want == "" {
				if err != nil {
					t.Errorf("%s: %v", addr, err)
				}
				continue
			}
			if full := fmt.Sprintf("address %s is not allowed %s", addr, want); err == nil || err.Error() != full {
				t.Errorf("%s: %v, want %s", addr, err, full)
			}
			refused, ok := errors.AsType[*AddressError](err)
			if !ok || !errors.Is(err, ErrRefused) || refused.Addr.String() != addr || "("+string(refused.Kind)+")" != want {
				t.Errorf("%s: error %#v", addr, err)
			}
		}
	}
	if err := g.Check(netip.Addr{}); err == nil || !errors.Is(err, ErrRefused) {
		t.Errorf("no address: %v", err)
	}
}

// spellings are the ways in which IPv6 writes an address of IPv4 down.
func spellings(v4 netip.Addr) map[string]netip.Addr {
	b := v4.As4()
	at := func(prefix string, i int) netip.Addr {
		a := netip.MustParseAddr(prefix).As16()
		copy(a[i:], b[:])
		return netip.AddrFrom16(a)
	}
	client := netip.MustParseAddr("2001:0:808:808::").As16()
	for i := range b {
		client[12+i] = ^b[i]
	}
	return map[string]netip.Addr{
		"":                at("::ffff:0:0", 12),
		"IPv4-compatible": at("::", 12),
		"IPv4-translated": at("::ffff:0:0:0", 12),
		"NAT64":           at("64:ff9b::", 12),
		"6to4":            at("2002::1", 2),
		"Teredo":          at("2001:0:0:0::f7f7:f7f7", 4), // its server; the client is 8.8.8.8
		"Teredo client":   netip.AddrFrom16(client),
		"ISATAP":          at("2a00::5efe:0:0", 12),
		"ISATAP global":   at("2a00::200:5efe:0:0", 12),
	}
}

// TestEmbedded: an address of IPv6 that stands for one of IPv4 is judged by that, in both
// directions, and is allowed with it.
func TestEmbedded(t *testing.T) {
	for _, v4 := range []string{
		"127.0.0.1", "10.1.2.3", "169.254.169.254", "100.64.0.1", "192.168.0.1", "0.0.0.2", "255.255.255.255", "198.18.0.1",
		"8.8.8.8", "93.184.215.14", "172.32.0.1",
	} {
		addr := netip.MustParseAddr(v4)
		want := New().Check(addr)
		for form, v6 := range spellings(addr) {
			err := New().Check(v6)
			if (err == nil) != (want == nil) {
				t.Errorf("%s as %s (%s): %v, but alone: %v", v4, v6, form, err, want)
			}
			if err == nil {
				continue
			}
			if e, _ := errors.AsType[*AddressError](err); form != "" && (e.Inner != addr || !strings.HasPrefix(form, e.Form) || !strings.Contains(err.Error(), " of "+v4+": ")) {
				t.Errorf("%s as %s (%s): %+v", v4, v6, form, e)
			}
			if err := New(netip.PrefixFrom(addr, 24)).Check(v6); err != nil {
				t.Errorf("%s as %s (%s) is refused though %s/24 is allowed: %v", v4, v6, form, v4, err)
			}
			if err := New(netip.PrefixFrom(v6, 96)).Check(v6); form != "" && err != nil {
				t.Errorf("%s is refused though its own network is allowed: %v", v6, err)
			}
		}
	}
	// The outer address has to be public as well, where it is more than a spelling.
	if err := New().Check(netip.MustParseAddr("fd00::5efe:808:808")); err == nil {
		t.Error("ISATAP within a unique local network is let through")
	}
}

// FuzzEmbedded: so it is with every address of IPv4.
func FuzzEmbedded(f *testing.F) {
	f.Add(byte(127), byte(0), byte(0), byte(1))
	f.Add(byte(8), byte(8), byte(8), byte(8))
	f.Fuzz(func(t *testing.T, a, b, c, d byte) {
		v4 := netip.AddrFrom4([4]byte{a, b, c, d})
		want := New().Check(v4)
		for form, v6 := range spellings(v4) {
			if err := New().Check(v6); (err == nil) != (want == nil) && !(form == "IPv4-compatible" && a|b|c == 0 && d < 2) {
				t.Fatalf("%s as %s (%s): %v, but alone: %v", v4, v6, form, err, want)
			}
		}
	})
}

// TestAllow: what is allowed, and that nothing else is.
func TestAllow(t *testing.T) {
	for _, c := range []struct{ allow, yes, no string }{
		{"127.0.0.0/8", "127.0.0.1 ::ffff:127.9.9.9 64:ff9b::7f00:1", "::1 10.0.0.1 2002:a00:1::"},
		{"127.0.0.1", "127.0.0.1", "127.0.0.2 ::1"},
		{"127.0.0.1/8", "127.9.9.9", "10.0.0.1"},
		{"::1", "::1", "127.0.0.1 ::2"},
		{"::ffff:127.0.0.0/104", "127.0.0.1 ::ffff:127.0.0.1", "10.0.0.1"},
		{"::/0", "::1 fd00::1 64:ff9b::7f00:1 fe80::1%eth0", "127.0.0.1 ::ffff:127.0.0.1"},
		{"0.0.0.0/0", "127.0.0.1 169.254.169.254 64:ff9b::7f00:1", "::1 fd00::1 64:ff9b:1::1"},
		{"64:ff9b:1::/48", "64:ff9b:1::7f00:1", "127.0.0.1"},
		{"fe80::/10", "fe80::1 fe80::1%eth0", "fd00::1"},
	} {
		p, err := ParsePrefix(c.allow)
		if err != nil {
			t.Fatal(err)
		}
		g := New(netip.MustParsePrefix("240.0.0.1/32"), p)
		for addr := range strings.FieldsSeq(c.yes) {
			if err := g.Check(netip.MustParseAddr(addr)); err != nil {
				t.Errorf("%s with %s allowed: %v", addr, c.allow, err)
			}
		}
		for addr := range strings.FieldsSeq(c.no) {
			if err := g.Check(netip.MustParseAddr(addr)); err == nil {
				t.Errorf("%s is let through with %s allowed", addr, c.allow)
			}
		}
	}
}

// TestParsePrefix: what a person may write, and what he is told otherwise.
func TestParsePrefix(t *testing.T) {
	for in, want := range map[string]string{
		"127.0.0.0/8": "127.0.0.0/8", "10.1.2.3/8": "10.0.0.0/8", "10.1.2.3": "10.1.2.3/32", "::1": "::1/128",
		"fd12::/16": "fd12::/16", "0.0.0.0/0": "0.0.0.0/0", "::ffff:10.0.0.1": "::ffff:10.0.0.1/128",
	} {
		if got, err := ParsePrefix(in); err != nil || got.String() != want {
			t.Errorf("%q: %v, %v; want %s", in, got, err, want)
		}
	}
	const form = "use the form 127.0.0.1, 10.0.0.0/8 or fd00::/8"
	for in, want := range map[string]string{
		"": form, "localhost": form, "10.0.0.0/33": form, "10.0.0/8": form, "127.1": form, "10.0.0.0-10.0.0.9": form, "*": form,
		"[::1]": "remove the brackets", "127.0.0.1:80": "remove the port", "[::1]:80": "remove the port",
		"fe80::1%eth0": "remove the zone", "[fe80::1%eth0]": "remove the zone", "http://127.0.0.1/": "a URL is not accepted",
	} {
		got, err := ParsePrefix(in)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), fmt.Sprintf("%q", in)) || !strings.Contains(err.Error(), form) {
			t.Errorf("%q: %v, %v; want %s", in, got, err, want)
		}
	}
}

// TestControl: what a net.Dialer may come with.
func TestControl(t *testing.T) {
	g := New()
	for _, c := range []struct {
		network, address string
		ok               bool
	}{
		{"tcp4", "8.8.8.8:80", true},
		{"tcp6", "[2606:4700::1111]:443", true},
		{"udp4", "8.8.8.8:443", true},
		{"tcp4", "127.0.0.1:80", false},
		{"udp4", "127.0.0.1:80", false},
		{"tcp6", "[::1]:80", false},
		{"tcp6", "[fe80::1%eth0]:80", false},
		{"tcp6", "[2000::%0]0]:80", false},
		{"tcp6", "[::ffff:127.0.0.1]:80", false},
		{"tcp", ":80", false},
		{"unix", "/var/run/docker.sock", false},
		{"ip4:icmp", "8.8.8.8", false},
		{"tcp", "localhost:80", false},
		{"", "", false},
	} {
		err := g.Control(c.network, c.address, nil)
		if (err == nil) != c.ok || err != nil && !errors.Is(err, ErrRefused) {
			t.Errorf("%s %s: %v", c.network, c.address, err)
		}
	}
	if err := (&Guard{}).Control("tcp4", "10.0.0.1:1", nil); err == nil {
		t.Error("the zero value lets 10.0.0.1 through")
	}
}

// FuzzControl: whatever a dialer comes with, it is let through only if it is a public
// address.
func FuzzControl(f *testing.F) {
	for _, seed := range []string{"127.0.0.1:80", "[::1]:80", "[fe80::1%eth0]:1", ":80", "/a.sock", "8.8.8.8:53", "[::ffff:1.2.3.4]:0", "0x7f.1:80", "127.1:80"} {
		f.Add("tcp", seed)
	}
	g := New()
	f.Fuzz(func(t *testing.T, network, address string) {
		err := g.Control(network, address, nil)
		if err == nil {
			host, _, split := net.SplitHostPort(address)
			addr, parsed := netip.ParseAddr(host)
			if split != nil || parsed != nil || !addr.Unmap().IsGlobalUnicast() || addr.Unmap().IsPrivate() {
				t.Fatalf("%q is let through", address)
			}
		} else if !errors.Is(err, ErrRefused) {
			t.Fatalf("%q: %v", address, err)
		}
	})
}
