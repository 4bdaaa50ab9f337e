// Package ftpfetch opens files by FTP, so that robots.txt of ftp: sites can be
// heeded too (ROB-LOC-10). It is a package of its own because few crawlers visit
// such sites and no other should carry an FTP client:
//
//	robots, err := robotsext.New(userAgent, &robotsext.Options{
//		Fetch: robotsext.FetchOptions{Schemes: map[string]robotsext.Fetcher{"ftp": ftpfetch.New(nil)}},
//	})
//
// It logs in as anonymous and retrieves the file in passive mode, from the address that
// it is connected to already: another one that the server may name in its reply to PASV
// is not used. FTP has no status codes of HTTP, but replies that come near to them
// (RFC 959 4.2): 550 to RETR, by which servers say that there is no such file, or 551,
// which goftp.io/server says in its place, is fs.ErrNotExist; for robots.txt that means
// that all is allowed. The same replies to another command, every other refusal, and all
// trouble with connections are errors that mean not to know.
package ftpfetch

import (
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

// Options changes how files are fetched. The zero value, like nil, has no guard.
type Options struct {
	// Guard says which addresses may be connected to, for commands and for data. Nil: all
	// may.
	Guard *guard.Guard
}

// New returns a function that opens the file at an ftp: URL. A user name or
// password in the URL is not used. The end of the context ends the transfer.
// Reading fails if the server does not confirm the transfer at its end: that is
// the only sign by which a whole file can be told from a cut one. It is a
// robotsext.Fetcher.
func New(opts *Options) func(ctx context.Context, u *url.URL) (io.ReadCloser, error) {
	return opener(opts, net.Dialer{})
}

// opener is New, by connections of dialer.
func opener(opts *Options, dialer net.Dialer) func(ctx context.Context, u *url.URL) (io.ReadCloser, error) {
	if opts != nil && opts.Guard != nil {
		dialer.Control = opts.Guard.Control
	}
	return func(ctx context.Context, u *url.URL) (io.ReadCloser, error) { return open(ctx, &dialer, u) }
}

func open(ctx context.Context, dialer *net.Dialer, u *url.URL) (io.ReadCloser, error) {
	port := u.Port()
	if port == "" {
		port = "21"
	}
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

// maxReplies is how many bytes a server may say to all commands together. The client
// keeps each reply whole, of whatever length; servers send less than 4 KiB.
const maxReplies = 64 << 10

// errReplies says that a server talks and does not come to the file.
var errReplies = errors.New("the replies have no end")

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

// file is a transfer under way.
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
		// With a connection for data open, RETR is all that was left to answer:
		// before, the reply is to EPSV or PASV, and says nothing of the file.
		if f.dialled == 2 && (reply.Code == ftp.StatusFileUnavailable || reply.Code == ftp.StatusPageTypeUnknown) {
			err = fmt.Errorf("%w: %w", fs.ErrNotExist, err)
		}
		_ = conn.Quit()
	}
	return err
}

// Read reads the file. Its end is reported when the server has confirmed it.
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
