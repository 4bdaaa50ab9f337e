// Package ftpfetch fetches files over FTP, so that a crawler can obey the robots.txt of ftp: sites.
// Pass it to robotsext as a fetcher:
//
//	robots, err := robotsext.New(userAgent, &robotsext.Options{
//		Fetch: robotsext.FetchOptions{Schemes: map[string]robotsext.Fetcher{"ftp": ftpfetch.New(nil)}},
//	})
//
// It logs in as anonymous and retrieves the file in passive mode. Data connections
// always go to the address of the control connection, even if the reply to PASV names another.
//
// A reply 550 to RETR means that the file does not exist (RFC 959 4.2); some servers send 551.
// Both become [fs.ErrNotExist], so that a missing robots.txt allows everything. Every other
// error means that robots.txt is unreachable.
package ftpfetch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/textproto"
	"net/url"
	"strings"

	"github.com/jlaffaye/ftp"

	"github.com/politecrawl/politecrawl/robotsext/guard"
)

// Options configure fetches. Nil means the zero value.
type Options struct {
	// Guard decides which addresses may be connected to, for commands and data. Nil means all.
	Guard *guard.Guard
}

// New returns a robotsext.Fetcher, a function that opens the file at an ftp: URL. It
// ignores the user and password in the URL. Canceling ctx aborts the transfer.
// Reading fails if the server does not confirm the end of the transfer, since the file may
// be incomplete.
func New(opts *Options) func(ctx context.Context, u *url.URL) (io.ReadCloser, error) {
	return opener(opts, net.Dialer{})
}

// opener is New with a dialer.
func opener(opts *Options, dialer net.Dialer) func(ctx context.Context, u *url.URL) (io.ReadCloser, error) {
	if opts != nil && opts.Guard != nil {
		dialer.Control = opts.Guard.Control
	}
	return func(ctx context.Context, u *url.URL) (io.ReadCloser, error) { return open(ctx, &dialer, u) }
}

func open(ctx context.Context, dialer *net.Dialer, u *url.URL) (io.ReadCloser, error) {
	port := cmp.Or(u.Port(), "21")
	// The client knows no contexts once it is connected, so its connections are
	// closed under it.
	ctx, hangUp := context.WithCancel(ctx)
	f := &file{hangUp: hangUp}
	dial := func(network, addr string) (net.Conn, error) {
		conn, err := dialer.DialContext(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		context.AfterFunc(ctx, func() { _ = conn.Close() })
		if f.dialled++; f.dialled == 1 {
			return &commands{Conn: conn, left: maxReplies}, nil
		}
		return conn, nil
	}
	if err := f.retrieve(net.JoinHostPort(u.Hostname(), port), strings.TrimPrefix(u.Path, "/"), dial); err != nil {
		if ctx.Err() != nil { // the connections were closed for that
			err = context.Cause(ctx)
		}
		hangUp()
		return nil, err
	}
	return f, nil
}

// maxReplies limits the bytes of a server's replies to all commands. The client keeps each
// reply whole; servers send less than 4 KiB.
const maxReplies = 64 << 10

// errReplies says that the replies exceed maxReplies.
var errReplies = errors.New("the replies are too long")

// commands is the connection for commands, over which a bounded number of bytes is read.
type commands struct {
	net.Conn
	left int
}

func (c *commands) Read(p []byte) (int, error) {
	if c.left == 0 {
		return 0, errReplies
	}
	n, err := c.Conn.Read(p[:min(len(p), c.left)])
	c.left -= n
	return n, err
}

// file is a transfer in progress.
type file struct {
	conn    *ftp.ServerConn
	dialled int // connections: first that for commands, then that for data
	data    *ftp.Response
	ended   bool
	hangUp  context.CancelFunc
}

func (f *file) retrieve(addr, path string, dial func(network, addr string) (net.Conn, error)) error {
	conn, err := ftp.Dial(addr, ftp.DialWithDialFunc(dial))
	if err != nil {
		return err
	}
	f.conn = conn
	if err := conn.Login("anonymous", "anonymous@"); err != nil {
		return err
	}
	f.data, err = conn.Retr(path)
	if reply, ok := errors.AsType[*textproto.Error](err); ok {
		// Once a connection for data is open, the reply is to RETR. Before, it is to EPSV or PASV,
		// and says nothing about the file.
		if f.dialled == 2 && (reply.Code == ftp.StatusFileUnavailable || reply.Code == ftp.StatusPageTypeUnknown) {
			err = fmt.Errorf("%w: %w", fs.ErrNotExist, err)
		}
		_ = conn.Quit()
	}
	return err
}

// Read reads the file. It returns io.EOF after the server has confirmed the transfer.
func (f *file) Read(p []byte) (int, error) {
	if f.ended {
		return 0, io.EOF
	}
	n, err := f.data.Read(p)
	if !errors.Is(err, io.EOF) {
		return n, err
	}
	if err := f.data.Close(); err != nil {
		return n, fmt.Errorf("transfer not confirmed: %w", err)
	}
	f.ended = true
	return n, io.EOF
}

// Close ends the session, also in the middle of the transfer.
func (f *file) Close() error {
	if f.ended {
		_ = f.conn.Quit() // the file is whole, whatever the server says to that
	}
	f.hangUp()
	return nil
}
