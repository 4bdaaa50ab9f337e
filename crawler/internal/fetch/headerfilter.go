package fetch

import (
	"bufio"
	"bytes"
	"net"
	"strings"

	"golang.org/x/net/http/httpguts"
)

// A headerFilter is a connection without the lines of a response header that are not fields, such as one
// without a colon. Browsers ignore these lines, while net/http rejects the response. White space
// before a colon is removed too. A headerFilter is for one response.
type headerFilter struct {
	net.Conn
	in      *bufio.Reader
	line    []byte // what is left of a line to be read
	header  bool   // the status line was read
	interim bool   // its status is 1xx
	body    bool   // the header was read
	kept    bool   // the last line was kept
	cut     bool   // it continues after a full buffer
}

// Read implements io.Reader.
func (f *headerFilter) Read(b []byte) (int, error) {
	for len(f.line) == 0 {
		if f.body {
			return f.in.Read(b)
		}
		line, err := f.in.ReadSlice('\n')
		if len(line) == 0 {
			return 0, err
		}
		f.line = f.filter(line)
	}
	n := copy(b, f.line)
	f.line = f.line[n:]
	return n, nil
}

// filter returns the next line of the header, or nothing if it is not a field.
func (f *headerFilter) filter(line []byte) []byte {
	continues := f.cut || f.header && (line[0] == ' ' || line[0] == '\t')
	text, whole := bytes.CutSuffix(line, []byte("\n"))
	if f.cut = !whole; whole {
		text = bytes.TrimSuffix(text, []byte("\r"))
	}
	switch {
	case continues:
	case !f.header: // HTTP/1.1 200
		f.header, f.kept = true, f.cut
		f.interim = len(line) > len("HTTP/1.1 ") && line[len("HTTP/1.1 ")] == '1'
		return line
	case len(text) == 0 && !f.cut:
		f.header, f.body = false, !f.interim
		return line
	default:
		name, _, found := bytes.Cut(text, []byte(":"))
		f.kept = found && httpguts.ValidHeaderFieldName(string(bytes.ReplaceAll(name, []byte(" "), nil))) // net/http takes spaces
	}
	if bytes.IndexByte(line, 0) >= 0 { // browsers reject it too
		return line
	}
	if !f.kept {
		return nil
	}
	for i, c := range text {
		if c < ' ' && c != '\t' || c == 0x7f {
			text[i] = ' '
		}
	}
	return line
}

// newHeaderFilter returns a connection with a headerFilter.
func newHeaderFilter(conn net.Conn) net.Conn {
	return &headerFilter{Conn: conn, in: bufio.NewReader(conn)}
}

// isMalformedHeader reports whether net/http has rejected a line of a response header. Only the text
// of the error says so.
func isMalformedHeader(err error) bool { return strings.Contains(err.Error(), "malformed MIME header") }
