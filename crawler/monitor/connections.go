package monitor

import (
	"net"
	"net/netip"
	"sync"

	"golang.org/x/net/netutil"
)

const (
	// maxConnections is the maximum number of open connections; more wait. Anyone who can
	// reach the address can open some, and they share the crawl's file descriptors.
	maxConnections = 64

	// maxPerAddress is the maximum per remote address. All viewers may use one proxy, and
	// each needs more than its event stream.
	maxPerAddress = maxStreams + 8
)

// bounded returns l with both limits.
func bounded(l net.Listener) net.Listener {
	return &addressLimiter{Listener: netutil.LimitListener(l, maxConnections), open: make(map[netip.Prefix]int)}
}

// An addressLimiter closes connections above maxPerAddress at once. If they waited, all
// other connections would wait behind them.
type addressLimiter struct {
	net.Listener

	mu   sync.Mutex
	open map[netip.Prefix]int // connections by remote network, above zero; guarded by mu
}

// Accept returns the next connection within the limit.
func (l *addressLimiter) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		remote := remoteNetwork(conn.RemoteAddr())
		if l.add(remote) {
			return &limitedConn{Conn: conn, release: sync.OnceFunc(func() { l.remove(remote) })}, nil
		}
		_ = conn.Close()
	}
}

// add counts a connection. It returns false at the limit.
func (l *addressLimiter) add(remote netip.Prefix) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open[remote] == maxPerAddress {
		return false
	}
	l.open[remote]++
	return true
}

func (l *addressLimiter) remove(remote netip.Prefix) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open[remote]--; l.open[remote] == 0 {
		delete(l.open, remote)
	}
}

// A limitedConn is counted until it is closed.
type limitedConn struct {
	net.Conn
	release func()
}

// Close closes the connection and releases its place.
func (c *limitedConn) Close() error {
	defer c.release()
	return c.Conn.Close()
}

// remoteNetwork returns the network that counts as one remote address: an IPv4 address, or
// the first 64 bits of an IPv6 address.
func remoteNetwork(addr net.Addr) netip.Prefix {
	at, err := netip.ParseAddrPort(addr.String())
	if err != nil {
		return netip.Prefix{} // not of TCP
	}
	ip := at.Addr().Unmap().WithZone("")
	bits := 64
	if ip.Is4() {
		bits = 32
	}
	return netip.PrefixFrom(ip, bits).Masked()
}
