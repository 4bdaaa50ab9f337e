package monitor

import (
	"net"
	"net/netip"
	"sync"

	"golang.org/x/net/netutil"
)

const (
	// maxConnections is how many connections are served at a time; more wait. The crawl has
	// its files and connections of the same supply that these take from, and whoever can
	// reach the address can open some, with a token or without.
	maxConnections = 64

	// maxPerAddress is how many of them one remote address may have. All viewers may
	// come through one proxy, and want more than their streams of events.
	maxPerAddress = maxStreams + 8
)

// bounded returns l with both limits.
func bounded(l net.Listener) net.Listener {
	return &addressLimiter{Listener: netutil.LimitListener(l, maxConnections), open: make(map[netip.Prefix]int)}
}

// An addressLimiter closes connections above maxPerAddress at once. If they waited for a
// place, those of everybody else would wait behind them.
type addressLimiter struct {
	net.Listener

	mu   sync.Mutex
	open map[netip.Prefix]int // connections by remote network, above zero; guarded by mu
}

// Accept returns the next connection that is within the limit.
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

// add counts a connection, unless there are enough.
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

// Close closes the connection and gives its place back.
func (c *limitedConn) Close() error {
	defer c.release()
	return c.Conn.Close()
}

// remoteNetwork returns what counts as one remote address: an IPv4 address, or 64 bits of an
// IPv6 address, below which a host has as many as it likes.
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
