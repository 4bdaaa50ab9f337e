package identity

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"strings"
	"testing"
)

// A table is a Resolver with fixed names.
type table struct {
	names map[string]string // by address
	addrs map[string]string // by name
}

var errNone = &net.DNSError{Err: "no such host", IsNotFound: true}

func (d table) LookupAddr(_ context.Context, addr string) ([]string, error) {
	switch name := d.names[addr]; name {
	case "":
		return nil, errNone
	case "broken":
		return nil, errors.New("timeout")
	default:
		return strings.Fields(name), nil
	}
}

func (d table) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	if addr, ok := d.addrs[host]; ok {
		return []netip.Addr{netip.MustParseAddr(addr)}, nil
	}
	return nil, errNone
}

func TestCheckDNS(t *testing.T) {
	dns := table{
		names: map[string]string{
			"198.51.100.1": "crawl-1.example.com.", "198.51.100.2": "host.provider.example.", "198.51.100.3": "forged.bot.example.com.",
			"198.51.100.5": "broken", "198.51.100.6": "other.example. CRAWL-6.bot.example.com.", "2001:db8::1": "v6.example.com.", "198.51.100.7": "evilexample.com.",
		},
		addrs: map[string]string{
			"crawl-1.example.com": "198.51.100.1", "host.provider.example": "198.51.100.2", "forged.bot.example.com": "203.0.113.1",
			"crawl-6.bot.example.com": "::ffff:198.51.100.6", "v6.example.com": "2001:db8::1",
		},
	}
	tests := []struct{ name, addr, ranges, want string }{
		{"confirmed", "198.51.100.1", "", ""},
		{"confirmed, in a range", "198.51.100.1", "198.51.100.0/24", ""},
		{"second name confirmed", "198.51.100.6", "", ""},
		{"IPv6", "2001:db8::1", "2001:db8::/32", ""},
		{"not in a range", "198.51.100.1", "192.0.2.0/24", "in none of the published IP ranges"},
		{"another domain", "198.51.100.2", "", "host.provider.example, which is not under example.com"},
		{"a domain with the same end", "198.51.100.7", "", "not under example.com"},
		{"does not resolve back", "198.51.100.3", "", "does not resolve back"},
		{"no name", "198.51.100.4", "", "has no name in DNS"},
		{"resolver fails", "198.51.100.5", "", "cannot look up the name of 198.51.100.5: timeout"},
		{"no address", "", "", "no public address"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := Settings{Agent: "https://bot.example.com", IPRanges: strings.Fields(tt.ranges)}
			var addrs []netip.Addr
			if tt.addr != "" {
				addrs = append(addrs, netip.MustParseAddr(tt.addr))
			}
			got := s.CheckDNS(t.Context(), DNS{dns, func() ([]netip.Addr, error) { return addrs, nil }})
			if (tt.want == "") != (len(got) == 0) || !strings.Contains(strings.Join(got, "\n"), tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestPublicAddrsAreNotPrivate(t *testing.T) {
	addrs, err := publicAddrs()
	must(t, err)
	for _, a := range addrs {
		if !a.IsGlobalUnicast() || a.IsPrivate() {
			t.Errorf("%s is not public", a)
		}
	}
}
