package ftpfetch

import (
	"errors"
	"fmt"
	"net"
	"strings"
	"sync/atomic"
	"testing"
)

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
