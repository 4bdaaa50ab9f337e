package guardtest

import (
	"net/netip"
	"testing"
)

// TestResolver: names are counted each by itself, with both types of records, and also
// addresses of IPv6 are answers.
func TestResolver(t *testing.T) {
	r := Resolver(netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("2001:db8::1"))
	for _, step := range []struct{ name, want string }{
		{"a.example", "192.0.2.1"}, {"b.example", "192.0.2.1"},
		{"a.example", "2001:db8::1"}, {"a.example", "2001:db8::1"}, {"b.example", "2001:db8::1"},
	} {
		addrs, err := r.LookupNetIP(t.Context(), "ip", step.name)
		if err != nil || len(addrs) != 1 || addrs[0].String() != step.want {
			t.Errorf("%s: %v, %v; want %s", step.name, addrs, err, step.want)
		}
	}
}

// TestInvalidQueryGetsNoAnswer: an invalid query gets no answer.
func TestInvalidQueryGetsNoAnswer(t *testing.T) {
	s := &server{answers: []netip.Addr{netip.IPv6Loopback()}, asked: map[string]int{}}
	for _, query := range []string{"", "too short", "twelve octets and a name that never ends"} {
		if got := s.answer([]byte(query)); got != nil {
			t.Errorf("%q: %x", query, got)
		}
	}
}
