package fetch

import (
	"io"
	"os"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// maxInMemory is the maximum size in bytes of a recorded body in memory.
const maxInMemory = 64 << 10

// A spool keeps the body of an exchange, in memory or, if it is large, in a file without a name.
type spool struct {
	dir  string // of the file
	max  int64  // maximum bytes to keep
	size int64  // bytes kept
	mem  []byte // the body, if there is no file
	file *os.File
	cut  bool // there was more
	err  error
}

// write keeps bytes, up to the limit.
func (s *spool) write(p []byte) {
	if left := s.max - s.size; int64(len(p)) > left {
		p, s.cut = p[:left], true
	}
	s.size += int64(len(p))
	switch {
	case s.err != nil || len(p) == 0:
		return
	case s.file == nil && s.size <= maxInMemory:
		s.mem = append(s.mem, p...)
		return
	case s.file == nil:
		if s.file, s.err = os.CreateTemp(s.dir, ".body-*"); s.err != nil {
			return
		}
		_ = os.Remove(s.file.Name()) // Windows cannot remove an open file
		p, s.mem = append(s.mem, p...), nil
	}
	_, s.err = s.file.Write(p)
}

// end returns the first bytes that were kept, or nil if there are none. Nothing is kept from then on.
func (s *spool) end(size int64) output.Body {
	mem := s.mem
	s.max, s.mem = s.size, nil
	switch {
	case s.file != nil:
		return fileBody{io.NewSectionReader(s.file, 0, size), s.file}
	case size == 0 || s.err != nil:
		return nil
	}
	return output.BytesBody(mem[:size])
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
