package archive

import (
	"bufio"
	"compress/gzip"
	"errors"
	"io"
)

// members reads the members of a gzip file one by one.
type members struct {
	in     counter
	member gzip.Reader // the current one
	offset int64       // where it starts in the file
}

// A counter counts the bytes that are read from it. gzip reads no more from it than it unpacks.
type counter struct {
	*bufio.Reader
	n int64
}

func newMembers(r io.Reader) *members {
	return &members{in: counter{Reader: bufio.NewReaderSize(r, 1<<16)}}
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n += int64(n)
	return n, err
}

func (c *counter) ReadByte() (byte, error) {
	b, err := c.Reader.ReadByte()
	if err == nil {
		c.n++
	}
	return b, err
}

// next goes to the next member. The error is io.EOF if there is none.
func (m *members) next() error {
	m.offset = m.in.n
	err := m.member.Reset(&m.in)
	m.member.Multistream(false)
	return err
}

// end reads the rest of the current member, and returns its length in the file.
func (m *members) end() (length int64, err error) {
	_, err = io.Copy(io.Discard, &m.member)
	return m.in.n - m.offset, err
}

// maxHead is the maximum length of the header of a record or of a message, in bytes.
const maxHead = 1 << 20

var errLongHead = errors.New("header of more than 1 MiB")

// readHead reads lines until an empty one.
func readHead(r *bufio.Reader) (head []byte, err error) {
	for isStart := true; ; isStart = err == nil {
		var line []byte
		line, err = r.ReadSlice('\n')
		head = append(head, line...)
		switch text := string(line); {
		case err != nil && !errors.Is(err, bufio.ErrBufferFull):
			return head, err
		case isStart && (text == "\r\n" || text == "\n"):
			return head, nil
		case len(head) > maxHead:
			return head, errLongHead
		}
	}
}
