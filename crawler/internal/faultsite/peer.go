package faultsite

import (
	"bufio"
	"io"
	"net"
)

// A peer is a client at the other end of a connection. What it sends is read all the
// time, so that its leaving is noticed at once, also in the middle of an answer.
type peer struct {
	net.Conn               // of TLS where the host speaks that
	tcp      *net.TCPConn  // below
	in       *bufio.Reader // what the client sends
	pipe     *io.PipeReader
	left     chan struct{} // closed when the client has left, or the connection was closed
}

// meet takes over a connection whose handshake is over.
func meet(c net.Conn, tcp *net.TCPConn) *peer {
	r, w := io.Pipe()
	p := &peer{Conn: c, tcp: tcp, in: bufio.NewReader(r), pipe: r, left: make(chan struct{})}
	go func() {
		buf := make([]byte, 4<<10)
		for {
			n, err := c.Read(buf)
			if n > 0 {
				_, _ = w.Write(buf[:n]) // fails when nobody wants it any more
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

// reset breaks the connection off.
func (p *peer) reset() {
	_ = p.tcp.SetLinger(0) // if it fails, the connection is closed as it should be
	_ = p.tcp.Close()
}

// Close closes the connection.
func (p *peer) Close() error {
	_ = p.pipe.Close() // nor does anybody read what came
	return p.Conn.Close()
}
