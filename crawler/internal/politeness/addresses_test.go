package politeness

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

// A lookup is a function as resolver of an IP network.
type lookup func(name string) ([]netip.Addr, error)

func (f lookup) LookupNetIP(_ context.Context, _, name string) ([]netip.Addr, error) { return f(name) }

func TestAddresses(t *testing.T) {
	names := map[string][]string{"a.example": {"192.0.2.2", "192.0.2.1"}, "b.example": {"::ffff:192.0.2.1"}, "c.example": {"192.0.2.3"}}
	asked := 0
	a := NewAddresses(1)
	a.resolver = lookup(func(name string) (addrs []netip.Addr, err error) {
		asked++
		for _, s := range names[name] {
			addrs = append(addrs, netip.MustParseAddr(s))
		}
		if addrs == nil {
			err = &net.DNSError{Name: name, IsNotFound: true}
		}
		return addrs, err
	})
	take := func(host frontier.Host, want bool) (release func()) {
		t.Helper()
		release, ok := a.Acquire(t.Context(), host)
		if ok != want {
			t.Errorf("take(%s) = %v", host, ok)
		}
		return release
	}
	first := take("a.example", true)
	take("b.example:8443", false) // the same address
	take("c.example", true)
	take("none.example", true) // let the request say what is wrong
	first()
	take("b.example:8443", true)
	if take("a.example", false); asked != 4 {
		t.Errorf("%d names were looked up", asked)
	}
}

// An address is looked up again after a while: it may be another one by then.
func TestAddressesExpire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		a := NewAddresses(1)
		a.resolver = lookup(func(string) ([]netip.Addr, error) {
			asked++
			return []netip.Addr{netip.AddrFrom4([4]byte{192, 0, 2, byte(asked)})}, nil
		})
		first := a.Lookup(t.Context(), "a.example")
		time.Sleep(resolvedFor - time.Second)
		if again := a.Lookup(t.Context(), "a.example"); again != first {
			t.Errorf("%s is asked for too soon", again)
		}
		time.Sleep(2 * time.Second)
		if again := a.Lookup(t.Context(), "a.example"); again == first {
			t.Errorf("%s is old", again)
		}
	})
}

// A limited number of addresses of hosts is kept.
func TestResolvedIsBounded(t *testing.T) {
	a := NewAddresses(1)
	a.resolver = lookup(func(string) ([]netip.Addr, error) { return nil, errors.New("no such host") })
	for i := range maxResolved + 10 {
		a.Lookup(t.Context(), frontier.Host(fmt.Sprintf("h%d.test", i)))
	}
	if n := len(a.known); n == 0 || n > maxResolved {
		t.Errorf("%d are kept", n)
	}
}
