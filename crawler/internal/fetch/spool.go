package fetch

import (
	"bufio"
	"io"
	"io/fs"
	"net/http/httputil"
	"net/textproto"
	"os"
	"path/filepath"

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
	truncated bool // there was more
	err       error
}

// write keeps bytes, up to the limit.
func (s *spool) write(p []byte) {
	if left := s.max - s.size; int64(len(p)) > left {
		p, s.truncated = p[:left], true
	}
	s.size += int64(len(p))
	if s.file == nil && s.size <= maxInMemory {
		s.mem = append(s.mem, p...)
		return
	}
	if s.file == nil && s.err == nil {
		s.create()
		p, s.mem = append(s.mem, p...), nil
	}
	if s.err == nil {
		_, s.err = s.file.Write(p)
	}
}

// create creates the file. If no descriptor is free, it closes idle connections.
func (s *spool) create() {
	for range 2 {
		if s.file, s.err = os.CreateTemp(s.transport.cfg.Spool, ".body-*"); s.err == nil {
			_ = os.Remove(s.file.Name()) // Windows cannot remove an open file
		}
		if !isExhausted(s.err) {
			return
		}
		s.transport.CloseIdleConnections()
	}
}

// removeSpooled removes files of a process that was killed in create.
func removeSpooled(dir string) {
	names, _ := fs.Glob(os.DirFS(dir), ".body-[0-9]*")
	for _, name := range names {
		_ = os.Remove(filepath.Join(dir, name))
	}
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

// chunkedSize returns the size of a whole body with its chunks and trailer, without the bytes after them. Net/http has
// read it without an error.
func (s *spool) chunkedSize() int64 {
	in := io.NewSectionReader(s.first(s.size), 0, s.size)
	b := bufio.NewReader(in)
	_, _ = io.Copy(io.Discard, httputil.NewChunkedReader(b))
	_, _ = textproto.NewReader(b).ReadMIMEHeader()
	at, _ := in.Seek(0, io.SeekCurrent)
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
