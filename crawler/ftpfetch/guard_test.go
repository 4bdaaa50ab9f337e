package ftpfetch

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/politecrawl/politecrawl/robotsext/guard"
	"github.com/politecrawl/politecrawl/robotsext/guard/guardtest"
)

// A counter is a listener that counts connections.
type counter struct {
	net.Listener
	connected atomic.Int32
}

// listen counts the connections to an address and passes them to serve.
func listen(t *testing.T, addr string, serve func(net.Conn)) *counter {
	t.Helper()
	l, err := net.Listen("tcp4", addr)
	if err != nil {
		t.Fatalf("cannot listen on %s: %v", addr, err)
	}
	c := &counter{Listener: l}
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			c.connected.Add(1)
			serve(conn)
			_ = conn.Close()
		}
	})
	t.Cleanup(func() { _ = l.Close(); wg.Wait() })
	return c
}

func (c *counter) port() int { return c.Addr().(*net.TCPAddr).Port }

// passive simulates an FTP server up to the command for a data connection. It replies with a
// port, or an address and a port.
func passive(epsv, pasv string) func(net.Conn) {
	return func(conn net.Conn) {
		fmt.Fprint(conn, "220 hello\r\n")
		replies := map[string]string{
			"USER": "331 password", "PASS": "230 in", "FEAT": "211 none", "TYPE": "200 ok", "QUIT": "221 bye",
			"EPSV": epsv, "PASV": pasv,
		}
		for in := bufio.NewScanner(conn); in.Scan(); {
			command, _, _ := strings.Cut(in.Text(), " ")
			fmt.Fprintf(conn, "%s\r\n", replies[command])
		}
	}
}

func openWith(t *testing.T, opts *Options, dialer net.Dialer, raw string) error {
	t.Helper()
	u, err := url.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	f, err := opener(opts, dialer)(t.Context(), u)
	if err == nil {
		_ = f.Close()
	}
	return err
}

// TestGuardOfCommands: the server itself is at a blocked address.
func TestGuardOfCommands(t *testing.T) {
	inside := listen(t, "127.0.0.1:0", func(net.Conn) {})
	err := openWith(t, &Options{Guard: guard.New()}, net.Dialer{}, fmt.Sprintf("ftp://127.0.0.1:%d/robots.txt", inside.port()))
	if !errors.Is(err, guard.ErrRefused) || !strings.Contains(err.Error(), "loopback") {
		t.Errorf("error %v", err)
	}
	if n := inside.connected.Load(); n != 0 {
		t.Errorf("%d connections", n)
	}
}

// TestGuardOfData: the server is at an allowed address, but redirects the data connection: by its
// reply, or by a new address of its name.
func TestGuardOfData(t *testing.T) {
	inside := listen(t, "127.0.0.1:0", func(net.Conn) {})
	p := inside.port()
	for epsv, pasv := range map[string]string{
		"500 what":                                       fmt.Sprintf("227 passive (127,0,0,1,%d,%d)", p/256, p%256),
		fmt.Sprintf("229 passive (|||%d|)", p):           "500 what",
		fmt.Sprintf("229 passive (|1|127.0.0.1|%d|)", p): "500 what",
	} {
		outside := listen(t, "127.0.0.2:0", passive(epsv, pasv))
		dialer := net.Dialer{Resolver: guardtest.Resolver(netip.MustParseAddr("127.0.0.2"), netip.MustParseAddr("127.0.0.1"))}
		opts := &Options{Guard: guard.New(netip.MustParsePrefix("127.0.0.2/32"))}
		if err := openWith(t, opts, dialer, fmt.Sprintf("ftp://rebind.example:%d/robots.txt", outside.port())); err == nil {
			t.Errorf("%s, %s: no error", epsv, pasv)
		}
		if c, d := outside.connected.Load(), inside.connected.Load(); c != 1 || d != 0 {
			t.Errorf("%s, %s: %d connections for commands and %d for data, want 1 and 0", epsv, pasv, c, d)
		}
	}
}

// TestRepliesWithoutEnd: endless replies are read only up to a limit for all replies.
func TestRepliesWithoutEnd(t *testing.T) {
	for name, reply := range map[string]struct{ begins, goesOn string }{
		"a line":           {"220 ", strings.Repeat("x", 1000)},
		"lines":            {"220-hello\r\n", "220-" + strings.Repeat("x", 1000) + "\r\n"},
		"lines of nothing": {"220-hello\r\n", strings.Repeat("\r\n", 500)},
	} {
		t.Run(name, func(t *testing.T) {
			var sent atomic.Int64
			server := listen(t, "127.0.0.1:0", func(conn net.Conn) {
				_, err := fmt.Fprint(conn, reply.begins)
				for err == nil && sent.Load() < 64<<20 {
					var n int
					n, err = fmt.Fprint(conn, reply.goesOn)
					sent.Add(int64(n))
				}
			})
			err := openWith(t, nil, net.Dialer{}, fmt.Sprintf("ftp://127.0.0.1:%d/robots.txt", server.port()))
			// What the sockets hold is sent and not read.
			if n := sent.Load(); !errors.Is(err, errReplies) || n > 32<<20 {
				t.Errorf("error %v after %d bytes", err, n)
			}
		})
	}
}
