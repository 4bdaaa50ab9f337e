package politeness

import (
	"context"
	"net"
	"net/netip"
	"net/url"
	"sync"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/quota"
)

// Addresses counts the requests in flight by IP address, for the many hosts that
// one machine may serve. It is safe for concurrent use.
type Addresses struct {
	inFlight *quota.Concurrent[netip.Addr]
	resolver interface {
		LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
	}

	mu    sync.Mutex // guards known
	known map[frontier.Host]resolved
}

// resolved is the address of a host.
type resolved struct {
	addr netip.Addr // not valid if it has none; requests will say so
	at   time.Time
}

const (
	// resolvedFor is how long the address of a host counts.
	resolvedFor = 5 * time.Minute

	// AddressPause is how long a host waits if its address is busy.
	AddressPause = 20 * time.Millisecond
)

// NewAddresses allows so many requests in flight on one address (per-ip). It returns nil for 0,
// which means no limit.
func NewAddresses(limit int) *Addresses {
	if limit == 0 {
		return nil
	}
	return &Addresses{
		inFlight: quota.NewConcurrent[netip.Addr](limit), resolver: net.DefaultResolver,
		known: make(map[frontier.Host]resolved),
	}
}

// Acquire takes a slot of the address of a host, the least one where its name has several. Unless
// ok, no slot is free. A nil a has slots for all.
func (a *Addresses) Acquire(ctx context.Context, host frontier.Host) (release func(), ok bool) {
	addr := a.Lookup(ctx, host)
	if !addr.IsValid() {
		return func() {}, true
	}
	return a.inFlight.Acquire(addr)
}

// Lookup returns the address of a host, the least one where its name has several, or the zero
// address if it has none. A nil a looks nothing up.
func (a *Addresses) Lookup(ctx context.Context, host frontier.Host) netip.Addr {
	if a == nil {
		return netip.Addr{}
	}
	now := time.Now()
	a.mu.Lock()
	r, ok := a.known[host]
	a.mu.Unlock()
	if ok && now.Sub(r.at) < resolvedFor {
		return r.addr
	}
	r = resolved{at: now}
	if addrs, err := a.resolver.LookupNetIP(ctx, "ip", (&url.URL{Host: string(host)}).Hostname()); err == nil {
		for _, addr := range addrs {
			if addr = addr.Unmap(); !r.addr.IsValid() || addr.Less(r.addr) {
				r.addr = addr
			}
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.known) >= maxResolved {
		clear(a.known)
	}
	a.known[host] = r
	return r.addr
}

// maxResolved is how many hosts are remembered with their addresses.
const maxResolved = 100_000
