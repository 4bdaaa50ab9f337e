package pageserver

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
)

var (
	// ErrAddress says that a server cannot listen on an address.
	ErrAddress = errors.New("cannot listen")

	// ErrPublic says that an address is not loopback.
	ErrPublic = errors.New("can be reached from other machines")
)

// Listen takes a TCP address, HOST:PORT, and limits its connections. The error matches [ErrAddress], or
// [ErrPublic] unless public addresses are allowed.
func Listen(addr string, public bool) (net.Listener, error) {
	_, _, err := net.SplitHostPort(addr)
	var resolved *net.TCPAddr
	if err == nil {
		resolved, err = net.ResolveTCPAddr("tcp", addr)
	}
	if err != nil {
		return nil, fmt.Errorf("%w on %q, write HOST:PORT as in 127.0.0.1:8080: %w", ErrAddress, addr, err)
	}
	if !public && !resolved.IP.IsLoopback() { // no host at all is every address of the machine
		return nil, fmt.Errorf("%q %w; listen on 127.0.0.1:%d", addr, ErrPublic, resolved.Port)
	}
	l, err := net.ListenTCP("tcp", resolved)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrAddress, err)
	}
	return bounded(l), nil
}

// URLOf is where a browser on this machine finds the server of a listener.
func URLOf(l net.Listener) string {
	at := l.Addr().(*net.TCPAddr).AddrPort() // Listen listens on TCP only
	ip := at.Addr().Unmap()
	if ip.IsUnspecified() {
		ip = netip.AddrFrom4([4]byte{127, 0, 0, 1})
	}
	return "http://" + netip.AddrPortFrom(ip, at.Port()).String() + "/"
}

// isLoopback reports whether a Host header names this machine in a way that a site cannot imitate
// with a name of its own: localhost, a loopback address, or the name to listen on.
func isLoopback(host, listened string) bool {
	name := hostName(host)
	if strings.EqualFold(name, "localhost") || name != "" && strings.EqualFold(name, hostName(listened)) {
		return true
	}
	ip, err := netip.ParseAddr(name)
	return err == nil && ip.IsLoopback()
}

// hostName is a host without its port and the brackets of IPv6.
func hostName(hostPort string) string {
	if name, _, err := net.SplitHostPort(hostPort); err == nil {
		return name
	}
	return strings.TrimSuffix(strings.TrimPrefix(hostPort, "["), "]")
}
