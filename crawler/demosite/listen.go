package demosite

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"syscall"
)

// ErrPortTaken says that another program listens on the port.
var ErrPortTaken = errors.New("port is already in use")

// tries limits the search for a port that is free on every address.
const tries = 20

// addresses returns 127.0.0.1 to 127.0.0.n.
func addresses(n int) []string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf("127.0.0.%d", i+1))
	}
	return list
}

// listen opens n listeners, the first on hosts[0] and port, the others on the same port of the
// following addresses.
func listen(port int, hosts []string, n int) ([]net.Listener, error) {
	if port < 0 || port > 65535 {
		return nil, fmt.Errorf("%w: port %d: choose one from 1 to 65535, or 0 for any free one", ErrOptions, port)
	}
	if len(hosts) == 0 {
		return nil, fmt.Errorf("%w: no address to listen on", ErrOptions)
	}
	for _, host := range hosts {
		if a, err := netip.ParseAddr(host); err != nil || !a.IsLoopback() {
			return nil, fmt.Errorf("%w: address %q: the site is served on loopback addresses only", ErrOptions, host)
		}
	}
	for try := 1; ; try++ {
		listeners, err := listenOnce(port, hosts, n)
		// A free port of the first address may be in use on another.
		if err == nil || port != 0 || try == tries || !errors.Is(err, ErrPortTaken) {
			return listeners, err
		}
	}
}

func listenOnce(port int, hosts []string, n int) (listeners []net.Listener, err error) {
	defer func() {
		if err != nil {
			for _, l := range listeners {
				_ = l.Close() // err says more
			}
			listeners = nil
		}
	}()
	for i := range n {
		host, wanted := hosts[0], 0
		if i < len(hosts) && (i == 0 || hosts[i] != hosts[0]) {
			host, wanted = hosts[i], port
		}
		l, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(wanted)))
		if i > 0 && err != nil && !taken(err) { // macOS has 127.0.0.1 alone
			l, err = net.Listen("tcp", net.JoinHostPort(hosts[0], "0"))
		}
		if err != nil {
			return listeners, explained(err)
		}
		listeners = append(listeners, l)
		if i == 0 {
			port = portOf(l)
		}
	}
	return listeners, nil
}

// taken reports whether err says that another program uses the port.
func taken(err error) bool {
	// Package syscall does not map the error number of Windows.
	const wsaeaddrinuse = syscall.Errno(10048)
	return errors.Is(err, syscall.EADDRINUSE) || errors.Is(err, wsaeaddrinuse)
}

// explained returns the error of Start for an error of net.Listen.
func explained(err error) error {
	if taken(err) {
		return fmt.Errorf("%w: %w; choose another port, or 0 for any free one", ErrPortTaken, err)
	}
	return err
}

// portOf returns the port of a listener.
func portOf(l net.Listener) int {
	address, _ := l.Addr().(*net.TCPAddr) // always, for "tcp"
	return address.Port
}
