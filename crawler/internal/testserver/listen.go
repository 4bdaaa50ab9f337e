package testserver

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"syscall"
)

// ErrPortTaken says that another program listens on the port.
var ErrPortTaken = errors.New("port is already in use")

// tries limits the search for a port that is free on every address.
const tries = 20

// Loopback returns n loopback addresses: 127.0.0.1 to 127.0.0.250, then 127.0.1.1 and so on.
func Loopback(n int) []string {
	const perNet = 250
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf("127.0.%d.%d", i/perNet, i%perNet+1)
	}
	return list
}

// listen opens a listener for each address, all on the same port. An address that this machine does
// not have, or that is the first one again, gets a free port of the first address.
func (s *Server) listen(number int, addresses []string) error {
	port := strconv.Itoa(number)
	for i, address := range addresses {
		wanted := port
		if i > 0 && address == addresses[0] {
			wanted = "0"
		}
		l, err := net.Listen("tcp", net.JoinHostPort(address, wanted))
		if i > 0 && err != nil && !taken(err) { // macOS has 127.0.0.1 alone
			l, err = net.Listen("tcp", net.JoinHostPort(addresses[0], "0"))
		}
		if err != nil {
			return explained(err)
		}
		s.listeners = append(s.listeners, l)
		if i == 0 {
			_, port, _ = net.SplitHostPort(l.Addr().String())
		}
	}
	return nil
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
