package fetch

import (
	"bufio"
	"io"
	"net/http/httputil"
	"net/textproto"
	"os"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// maxInMemory is the maximum size in bytes of a recorded body in memory.
const maxInMemory = 64 << 10

// A spool keeps the body of an exchange, in memory or, if it is large, in a file without a name.
type spool struct {
	transport *Transport
	max       int64  // maximum bytes to keep
	size      int64  // bytes kept
	mem       []byte // the body, if there is no file
	file      *os.File
	cut       bool // there was more
	err       error
}

// write keeps bytes, up to the limit.
func (s *spool) write(p []byte) {
	if left := s.max - s.size; int64(len(p)) > left {
		p, s.cut = p[:left], true
	}
	s.size += int64(len(p))
	if s.file == nil && s.size <= maxInMemory {
		s.mem = append(s.mem, p...)
		return
	}
	if s.file == nil && s.err == nil {
		s.file, s.err = s.transport.createSpoolFile()
		p, s.mem = append(s.mem, p...), nil
	}
	if s.err == nil {
		_, s.err = s.file.Write(p)
	}
}

// createSpoolFile creates a file without a name. If no descriptor is free, it closes idle connections.
func (t *Transport) createSpoolFile() (*os.File, error) {
	file, err := os.CreateTemp(t.spool, ".body-*")
	if isExhausted(err) {
		t.CloseIdleConnections()
		file, err = os.CreateTemp(t.spool, ".body-*")
	}
	if err == nil {
		_ = os.Remove(file.Name()) // Windows cannot remove an open file
	}
	return file, err
}

// first returns the first bytes that were kept, or nil if there are none.
func (s *spool) first(size int64) output.Body {
	switch {
	case s.file != nil:
		return fileBody{io.NewSectionReader(s.file, 0, size), s.file}
	case size == 0 || s.err != nil:
		return nil
	}
	return output.BytesBody(s.mem[:size])
}

// chunkedSize returns the size of a body with its chunks and trailer, without the bytes after them.
func (s *spool) chunkedSize() int64 {
	body := s.first(s.size)
	if body == nil {
		return 0
	}
	in := io.NewSectionReader(body, 0, s.size)
	b := bufio.NewReader(in)
	if _, err := io.Copy(io.Discard, httputil.NewChunkedReader(b)); err != nil { // it is cut
		return -1
	}
	_, _ = textproto.NewReader(b).ReadMIMEHeader() // net/http has read it
	at, _ := in.Seek(0, io.SeekCurrent)            // does not fail
	return at - int64(b.Buffered())
}

// A fileBody is a body in a file.
type fileBody struct {
	*io.SectionReader

	file *os.File
}

// Close closes the file.
func (b fileBody) Close() error {
	err := b.file.Close()
	_ = os.Remove(b.file.Name()) // on Windows; elsewhere the name is gone
	return err
}
