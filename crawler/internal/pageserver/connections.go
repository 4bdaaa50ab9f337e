package pageserver

import (
	"net"
	"net/netip"

	"golang.org/x/net/netutil"

	"github.com/politecrawl/politecrawl/crawler/internal/quota"
)

const (
	// maxConnections is the maximum number of open connections; more wait. Anyone who can
	// reach the address can open some, and they share the file descriptors of a crawl.
	maxConnections = 64

	// MaxPerAddress is the maximum per remote address. All viewers may use one proxy.
	MaxPerAddress = 24
)

// bounded returns l with both limits.
func bounded(l net.Listener) net.Listener {
	return &addressLimiter{Listener: netutil.LimitListener(l, maxConnections), open: quota.NewConcurrent[netip.Prefix](MaxPerAddress)}
}

// An addressLimiter closes connections above MaxPerAddress at once. If they waited, all
// other connections would wait behind them.
type addressLimiter struct {
	net.Listener
	open *quota.Concurrent[netip.Prefix] // connections by remote network
}

// Accept returns the next connection within the limit.
func (l *addressLimiter) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if release, ok := l.open.Acquire(remoteNetwork(conn.RemoteAddr())); ok {
			return &limitedConn{conn, release}, nil
		}
		_ = conn.Close()
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
