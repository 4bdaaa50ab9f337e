package site

import (
	"net/netip"
	"strings"
	"testing"
)

// TestAllowAddrFlagFor: the flag that is named lets the address through, and little else.
func TestAllowAddrFlagFor(t *testing.T) {
	for _, c := range []struct{ host, addr, want string }{
		{"127.0.0.1", "127.0.0.1", "127.0.0.0/8"},
		{"[::1]", "::1", "::1"},
		{"::1", "::1", "::1"},
		{"localhost", "::1", "127.0.0.0/8,::1"},
		{"dev.example", "127.0.0.1", "127.0.0.0/8,::1"},
		{"10.0.0.1", "10.0.0.1", "10.0.0.1"},
		{"intranet.example", "192.168.1.1", "192.168.1.1"},
		{"x.example", "::ffff:10.0.0.1", "10.0.0.1"},
		{"x.example", "fe80::1%eth0", "fe80::1"},
	} {
		addr := netip.MustParseAddr(c.addr)
		got := allowing(addr, c.host)
		if got != "--allow-addr "+c.want {
			t.Errorf("%s at %s: %s, want %s", c.host, c.addr, got, c.want)
		}
		g, err := NewGuard(strings.Split(strings.TrimPrefix(got, "--allow-addr "), ","))
		if err != nil || g.Check(addr) != nil || g.Check(netip.MustParseAddr("169.254.169.254")) == nil {
			t.Errorf("%s: %v, %v", got, err, g.Check(addr))
		}
	}
}
