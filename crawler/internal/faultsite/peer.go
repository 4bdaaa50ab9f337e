package faultsite

import (
	"bufio"
	"io"
	"net"
)

// A peer is a client. Its connection is read all the time, so that the site notices at once when
// the client goes.
type peer struct {
	net.Conn               // of TLS where the host speaks that
	tcp      *net.TCPConn  // below
	in       *bufio.Reader // what the client sends
	pipe     *io.PipeReader
	left     chan struct{} // closed when the client has left, or the connection was closed
}

// newPeer returns the peer of a connection after its handshake.
func newPeer(c net.Conn, tcp *net.TCPConn) *peer {
	r, w := io.Pipe()
	p := &peer{Conn: c, tcp: tcp, in: bufio.NewReader(r), pipe: r, left: make(chan struct{})}
	go func() {
		buf := make([]byte, 4<<10)
		for {
			n, err := c.Read(buf)
			if n > 0 {
				_, _ = w.Write(buf[:n]) // fails when the reader has gone
			}
			if err != nil {
				close(p.left)
				_ = w.CloseWithError(err)
				return
			}
		}
	}()
	return p
}

// reset resets the connection.
func (p *peer) reset() {
	_ = p.tcp.SetLinger(0) // if it fails, the connection is closed as it should be
	_ = p.tcp.Close()
}

// Close closes the connection.
func (p *peer) Close() error {
	_ = p.pipe.Close() // the received data is dropped
	return p.Conn.Close()
}
