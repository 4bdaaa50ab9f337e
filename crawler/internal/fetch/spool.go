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
}

// write keeps bytes, up to the limit.
func (s *spool) write(p []byte) error {
	if left := s.max - s.size; int64(len(p)) > left {
		p, s.cut = p[:left], true
	}
	if s.file == nil && s.size+int64(len(p)) > maxInMemory {
		file, err := os.CreateTemp(s.dir, ".body-*")
		if err != nil {
			return err
		}
		_ = os.Remove(file.Name()) // Windows cannot remove an open file
		s.file, p, s.mem, s.size = file, append(s.mem, p...), nil, 0
	}
	if s.file == nil {
		s.mem = append(s.mem, p...)
		s.size += int64(len(p))
		return nil
	}
	n, err := s.file.Write(p)
	s.size += int64(n)
	return err
}

// body returns the first bytes that were kept, or nil if there are none. It ends the use of s.
func (s *spool) body(size int64) output.Body {
	switch {
	case size == 0:
		s.close()
		return nil
	case s.file == nil:
		return output.BytesBody(s.mem[:size])
	}
	return fileBody{io.NewSectionReader(s.file, 0, size), s.file}
}

// close frees the file.
func (s *spool) close() {
	if s.file != nil {
		_ = fileBody{file: s.file}.Close()
	}
	s.file, s.mem = nil, nil
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
