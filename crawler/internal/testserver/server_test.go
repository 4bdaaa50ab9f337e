package testserver

import (
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync"
	"syscall"
	"testing"
)

func start(t *testing.T, port int, addresses ...string) *Server {
	t.Helper()
	s, err := Start(port, addresses)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func TestStartUsesOnePortWhereItCan(t *testing.T) {
	for _, tc := range []struct {
		name            string
		addresses, want []string // addresses without ports
		ports           int      // number of different ports
	}{
		{"three addresses", Loopback(3), []string{"127.0.0.1", "127.0.0.2", "127.0.0.3"}, 1},
		{"the first one again", []string{"127.0.0.1", "127.0.0.1"}, []string{"127.0.0.1", "127.0.0.1"}, 2},
		// 192.0.2.1 belongs to no machine (RFC 5737).
		{"an address that the machine does not have", []string{"127.0.0.1", "192.0.2.1", "127.0.0.3"}, []string{"127.0.0.1", "127.0.0.1", "127.0.0.3"}, 2},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := start(t, 0, tc.addresses...)
			ports := make(map[string]bool)
			for i, want := range tc.want {
				host, port, err := net.SplitHostPort(s.Addr(i))
				ports[port] = true
				if err != nil || host != want {
					t.Errorf("address %d is %s, want %s", i, s.Addr(i), want)
				}
			}
			if len(ports) != tc.ports {
				t.Errorf("%d ports, want %d", len(ports), tc.ports)
			}
		})
	}
}

func TestLoopbackLeavesTheLastAddressesOfANetOut(t *testing.T) {
	if list := Loopback(251); list[249] != "127.0.0.250" || list[250] != "127.0.1.1" {
		t.Errorf("%v", list[249:])
	}
}

func TestStartReleasesPortsWhenItFails(t *testing.T) {
	taken := start(t, 0, "127.0.0.3")
	_, text, _ := net.SplitHostPort(taken.Addr(0))
	port, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Start(port, Loopback(3)); !errors.Is(err, ErrPortTaken) {
		t.Errorf("%v", err)
	}
	start(t, port, Loopback(2)...)
}

// ErrPortTaken is only for a port that another program listens on.
func TestErrorsOfListening(t *testing.T) {
	for err, taken := range map[syscall.Errno]bool{syscall.EADDRINUSE: true, 10048: true, syscall.EACCES: false, syscall.EADDRNOTAVAIL: false} {
		got := explained(&net.OpError{Op: "listen", Net: "tcp", Err: os.NewSyscallError("bind", err)})
		if errors.Is(got, ErrPortTaken) != taken || !errors.Is(got, err) {
			t.Errorf("%v: %v", err, got)
		}
	}
}

// Close ends connections in the middle of a response, and waits for what Serve calls.
func TestCloseEndsConnections(t *testing.T) {
	s := start(t, 0, Loopback(2)...)
	s.Handle(0, func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	served := make(chan struct{}, 1)
	s.Serve(1, func(c *net.TCPConn) {
		_, _ = c.Write([]byte("x"))
		_, _ = io.Copy(io.Discard, c)
		served <- struct{}{}
	})
	resp, err := http.Get("http://" + s.Addr(0))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	c, err := net.Dial("tcp", s.Addr(1))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	if _, err := io.ReadFull(c, make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() { _, _ = io.Copy(io.Discard, resp.Body) })
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	wg.Wait()
	select {
	case <-served:
	default:
		t.Error("a connection is still served after Close")
	}
}
