package crawler

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// inBubble runs a test with fake time, which passes when all goroutines wait. Sites and crawls of
// the test use a network in memory.
func inBubble(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		memoryNetworks.Store(t, &memoryNetwork{listeners: make(map[string]*memoryListener)})
		t.Cleanup(func() { memoryNetworks.Delete(t) })
		test(t)
	})
}

// bubbled is inBubble for subtests.
func bubbled(test func(t *testing.T)) func(t *testing.T) {
	return func(t *testing.T) { inBubble(t, test) }
}

// memoryNetworks has the network of each bubble, by its *testing.T.
var memoryNetworks sync.Map

// memoryOf returns the network of a test, or nil if the test is not in a bubble.
func memoryOf(t testing.TB) *memoryNetwork {
	m, _ := memoryNetworks.Load(t)
	network, _ := m.(*memoryNetwork)
	return network
}

// A memoryNetwork connects by pipes.
type memoryNetwork struct {
	mu        sync.Mutex
	listeners map[string]*memoryListener // by address and port
}

// connected returns options with the transport of the bubble, unless they have a transport or
// there is no bubble.
func connected(t testing.TB, cfg *Config, opts *Options) *Options {
	t.Helper()
	m := memoryOf(t)
	if m == nil || opts != nil && opts.Transport != nil {
		return opts
	}
	in := Options{}
	if opts != nil {
		in = *opts
	}
	in.Transport = &http.Transport{
		DialContext: m.dial, MaxIdleConnsPerHost: cfg.Politeness.PerHost, ResponseHeaderTimeout: cfg.Fetch.FirstByteTimeout,
	}
	t.Cleanup(in.Transport.(*http.Transport).CloseIdleConnections)
	return &in
}

// listen opens a port of an address, in the network of a bubble or on loopback. In a bubble, the
// address may be a name.
func listen(t testing.TB, address string) net.Listener {
	t.Helper()
	if m := memoryOf(t); m != nil {
		return m.listen(address)
	}
	l, err := net.Listen("tcp", net.JoinHostPort(address, "0"))
	if err != nil {
		t.Fatalf("a host of this test needs the loopback address %s: %v", address, err)
	}
	return l
}

func (m *memoryNetwork) listen(address string) net.Listener {
	m.mu.Lock()
	defer m.mu.Unlock()
	l := &memoryListener{conns: make(chan net.Conn), closed: make(chan struct{})}
	l.address = memoryAddr(net.JoinHostPort(address, fmt.Sprint(1000+len(m.listeners))))
	m.listeners[string(l.address)] = l
	return l
}

func (m *memoryNetwork) dial(ctx context.Context, _, address string) (net.Conn, error) {
	m.mu.Lock()
	l := m.listeners[address]
	m.mu.Unlock()
	refused := &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}
	if l == nil {
		return nil, refused
	}
	client, server := net.Pipe()
	select {
	case l.conns <- server:
		return newMemoryConn(client, address), nil
	case <-l.closed:
		return nil, refused
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// A memoryListener implements net.Listener.
type memoryListener struct {
	address  memoryAddr
	conns    chan net.Conn
	closed   chan struct{}
	once     sync.Once
	accepted atomic.Int64
}

func (l *memoryListener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conns:
		return newMemoryConn(conn, fmt.Sprint("127.0.0.1:", l.accepted.Add(1))), nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *memoryListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *memoryListener) Addr() net.Addr { return l.address }

type memoryAddr string

func (memoryAddr) Network() string  { return "tcp" }
func (a memoryAddr) String() string { return string(a) }

// A memoryConn is one end of a connection in memory. Like a socket it has a buffer, so that
// writes do not wait for reads.
type memoryConn struct {
	net.Conn
	remote        memoryAddr
	out           chan []byte
	closing, over chan struct{} // from this end; nothing is sent any more
	onceClosed    sync.Once
}

func newMemoryConn(pipe net.Conn, remote string) *memoryConn {
	c := &memoryConn{Conn: pipe, remote: memoryAddr(remote), out: make(chan []byte, 64), closing: make(chan struct{}), over: make(chan struct{})}
	go c.send()
	return c
}

func (c *memoryConn) RemoteAddr() net.Addr { return c.remote }

func (c *memoryConn) send() {
	defer close(c.over)
	defer func() { _ = c.Conn.Close() }()
	for {
		select {
		case b := <-c.out:
			if _, err := c.Conn.Write(b); err != nil {
				return
			}
		case <-c.closing:
			for len(c.out) > 0 {
				_, _ = c.Conn.Write(<-c.out)
			}
			return
		}
	}
}

func (c *memoryConn) Write(p []byte) (int, error) {
	select {
	case <-c.closing:
		return 0, net.ErrClosed
	case <-c.over:
		return 0, io.ErrClosedPipe
	case c.out <- bytes.Clone(p):
		return len(p), nil
	}
}

// Close delivers written data, unless the other end does not read.
func (c *memoryConn) Close() error {
	c.onceClosed.Do(func() { close(c.closing) })
	return c.Conn.SetDeadline(time.Now().Add(time.Second))
}

// SetDeadline and SetWriteDeadline do not affect data that was already written.
func (c *memoryConn) SetDeadline(at time.Time) error { return c.SetReadDeadline(at) }

func (c *memoryConn) SetWriteDeadline(time.Time) error { return nil }
