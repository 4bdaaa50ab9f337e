package archive

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"io"
	"iter"
	"os"
	"slices"
)

const (
	maxLine = 256 << 10 // maximum length of the line of an index, in bytes
	maxRuns = 500
)

// maxRun is the maximum size of the lines that are sorted in memory. Tests reduce it.
var maxRun = 32 << 20

// newScanner returns a scanner for lines of at most a number of bytes.
func newScanner(r io.Reader, longest int) *bufio.Scanner {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, longest)
	return lines
}

var errTooManyLines = errors.New("index of more than 16 GB")

// A sorter sorts lines by their bytes. It keeps at most maxRun bytes in memory, the others in a temporary file.
type sorter struct {
	lines [][]byte
	size  int
	file  *os.File // nil if lines has all
	ends  []int64  // of the sorted runs in file
}

// add adds a line. It leaves out one that is too long: a site cannot make it.
func (s *sorter) add(line []byte) error {
	if len(line) >= 2*maxLine {
		return nil
	}
	s.lines = append(s.lines, bytes.Clone(line))
	if s.size += len(line); s.size < maxRun {
		return nil
	}
	return s.spill()
}

// spill writes the lines in memory into the file.
func (s *sorter) spill() (err error) {
	if s.file == nil {
		s.file, err = os.CreateTemp("", "politecrawl-index-")
	}
	if len(s.ends) == maxRuns {
		err = errTooManyLines
	}
	if err != nil {
		return err
	}
	slices.SortFunc(s.lines, bytes.Compare)
	out := bufio.NewWriter(s.file)
	for _, line := range s.lines {
		_, _ = out.Write(append(line, '\n')) // Flush returns the error
	}
	end, err := s.file.Seek(0, io.SeekCurrent)
	s.lines, s.size, s.ends = nil, 0, append(s.ends, end+int64(out.Buffered()))
	return cmp.Or(err, out.Flush())
}

// all yields the lines in order, and empties the sorter. They are valid until the next one.
func (s *sorter) all() iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		if s.file == nil {
			slices.SortFunc(s.lines, bytes.Compare)
			for _, line := range s.lines {
				if !yield(line, nil) {
					return
				}
			}
			return
		}
		if err := s.spill(); err != nil {
			yield(nil, err)
			return
		}
		var runs []*bufio.Scanner
		for start := int64(0); len(s.ends) > 0; s.ends = s.ends[1:] {
			runs = append(runs, newScanner(io.NewSectionReader(s.file, start, s.ends[0]-start), 2*maxLine))
			start = s.ends[0]
		}
		next := slices.Clone(runs) // those to advance
		for {
			for _, run := range next {
				if run.Scan() {
					continue
				}
				if run.Err() != nil {
					yield(nil, run.Err())
					return
				}
				runs = slices.DeleteFunc(runs, func(r *bufio.Scanner) bool { return r == run })
			}
			if len(runs) == 0 {
				return
			}
			first := slices.MinFunc(runs, func(a, b *bufio.Scanner) int { return bytes.Compare(a.Bytes(), b.Bytes()) })
			if !yield(first.Bytes(), nil) {
				return
			}
			next = []*bufio.Scanner{first}
		}
	}
}

// close removes the temporary file.
func (s *sorter) close() error {
	if s.file == nil {
		return nil
	}
	return errors.Join(s.file.Close(), os.Remove(s.file.Name()))
}
