package guard

import (
	"errors"
	"net/netip"
	"strings"
	"testing"
)

// TestCheckHost: addresses in every spelling are judged, names are not.
func TestCheckHost(t *testing.T) {
	g := New()
	for _, c := range []struct{ refused, hosts string }{
		{"(loopback)", "127.0.0.1 127.0.0.1. 127.0.0.1.. 127.0.0.1。 ::1 [::1] ::ffff:127.0.0.1 [::ffff:7f00:1] localhost LOCALHOST localhost. a.b.localhost"},
		{"(cloud metadata)", "169.254.169.254 [::ffff:169.254.169.254]"},
		{"(link-local)", "fe80::1%eth0 [fe80::1%eth0]"},
		{"neither a valid name nor a valid IP", "127.1 0x7f.1 0x7F000001 2130706433 010.0.0.1 0177.0.0.1 1.2.3.4.5 256.0.0.1 0 0x example.0x7f example.123 " +
			"１２７.0.0.1 127.0.0.１ 127。0。0。1 ①②⑦.0.0.1 127.0.0.\u00ad1 𝟏𝟐𝟕.𝟏"},
		{"", "example.com example.com. a1.b2.c3 3com 0xcafe.example 1.2.3.4.example xn--p1ai пример.рф 例え。テスト x.xn--p1ai a_b localhost.example 8.8.8.8 [2606:4700::1111] . 0x7g beef"},
	} {
		for host := range strings.FieldsSeq(c.hosts) {
			switch err := g.CheckHost(host); {
			case c.refused == "" && err != nil:
				t.Errorf("%q: %v", host, err)
			case c.refused != "" && (!errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), c.refused)):
				t.Errorf("%q: %v, want %s", host, err, c.refused)
			}
		}
	}
	for _, allow := range []string{"127.0.0.0/8", "::1/128"} {
		if err := New(netip.MustParsePrefix(allow)).CheckHost("localhost"); err != nil {
			t.Errorf("localhost with %s allowed: %v", allow, err)
		}
	}
}

// FuzzCheckHost: no host of digits and dots, which some program may read as an address,
// is let through unless it is a public one.
func FuzzCheckHost(f *testing.F) {
	for _, seed := range []string{"127.1", "0x7f.1", "[::1]", "a.localhost", "8.8.8.8", "１２７.0.0.1", "xn--p1ai", ".", "[", "fe80::1%1.2"} {
		f.Add(seed)
	}
	g := New()
	f.Fuzz(func(t *testing.T, host string) {
		err := g.CheckHost(host)
		if err != nil && !errors.Is(err, ErrRefused) {
			t.Fatal(err)
		}
		plain := strings.TrimRight(host, ".")
		if err == nil && plain != "" && strings.Trim(plain, "0123456789.") == "" {
			if addr, err := netip.ParseAddr(plain); err != nil || g.Check(addr) != nil {
				t.Fatalf("%q is let through", host)
			}
		}
	})
}
