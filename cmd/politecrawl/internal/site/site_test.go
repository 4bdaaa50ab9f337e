package site

import (
	"net/netip"
	"strings"
	"testing"
)

// TestOriginURL holds that what is wrong with a URL is told with what to write in
// its place.
func TestOriginURL(t *testing.T) {
	for _, tt := range []struct {
		raw  string
		want string // the origin, or what the error says
	}{
		{"https://example.com", "https://example.com"},
		{"HTTP://EXAMPLE.com:8080/a?b#c", "http://EXAMPLE.com:8080"},
		{"http://h/private/%zz", "http://h"},
		{"http://[::1]:80/", "http://[::1]:80"},
		{"http://h:65535", "http://h:65535"},

		{"", `the URL is empty; write it as https://example.com/`},
		{"example.com", `"example.com" has no scheme; write it as https://example.com or http://example.com`},
		{"example.com:443/a", `write it as https://example.com:443/a or http://`},
		{"//example.com/a", `write it as https://example.com/a or http://`},
		{"127.0.0.1:8080/", `"127.0.0.1:8080/" has no scheme; write it as http://127.0.0.1:8080/ or https://127.0.0.1:8080/`},
		{"127.0.0.1", `write it as http://127.0.0.1 or https`},
		{"[::1]/a", `write it as http://[::1]/a or https`},
		{"localhost:8080", `"localhost:8080" has no scheme; write it as http://localhost:8080 or https`},
		{"localhost", `write it as http://localhost or https`},
		{"example.com:8080", `write it as http://example.com:8080 or https`},
		{"/private/", `"/private/" is a path; write the complete URL, as in https://example.com/private/`},
		{"http:/example.com", `"http:/example.com" is not a complete URL; write it as http://example.com`},
		{"https:example.com", `write it as https://example.com`},
		{"mailto:clerk@example.com", `scheme "mailto" is not supported; use http or https`},
		{"gopher://h/", `scheme "gopher" is not supported; use http or https`},
		{"://h/", `scheme "" is not supported`},
		{"http://", `"http://" has no host`},
		{"http:///x", `has no host; write it as http://example.com/`},
		{"http://:80/", `has no host`},
		{"http://h:99999/", `"http://h:99999/": invalid host "h:99999": there is no port 99999; ports are 1 to 65535`},
		{"http://h:0/", `there is no port 0; ports are 1 to 65535`},
		{"https://[::1]:00", `there is no port 00; ports are 1 to 65535`},
		{"http://h:x/", `"http://h:x/" is not a URL: invalid port ":x" after host`},
		{"http://a b/", `is not a URL`},
		{"http://[fe80::1%25eth0]/", `zone`},
	} {
		u, err := ParseOrigin(tt.raw)
		switch {
		case err == nil:
			if got := u.Scheme + "://" + u.Host; got != tt.want {
				t.Errorf("%q: origin %s, want %s", tt.raw, got, tt.want)
			}
		case !strings.Contains(err.Error(), tt.want):
			t.Errorf("%q: error %v, want %s", tt.raw, err, tt.want)
		}
	}
}

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
