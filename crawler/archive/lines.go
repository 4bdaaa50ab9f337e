package archive

import (
	"bufio"
	"bytes"
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

// readLines yields lines without their line feeds, of at most a number of bytes. They are valid until the next one.
func readLines(r io.Reader, longest int) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		lines := bufio.NewScanner(r)
		lines.Buffer(nil, longest)
		for lines.Scan() {
			if !yield(lines.Bytes(), nil) {
				return
			}
		}
		if err := lines.Err(); err != nil {
			yield(nil, err)
		}
	}
}

var errTooManyLines = errors.New("index of more than 16 GB")

// A sorter sorts lines by their bytes. It keeps at most maxRun bytes in memory, the others in a temporary file.
type sorter struct {
	lines [][]byte
	size  int
	file  *os.File // nil if lines has all
	ends  []int64  // of the sorted runs in file
}

func (s *sorter) add(line []byte) error {
	s.lines = append(s.lines, bytes.Clone(line))
	if s.size += len(line); s.size < maxRun {
		return nil
	}
	return s.spill()
}

// spill writes the lines in memory into the file.
func (s *sorter) spill() (err error) {
	start := int64(0)
	switch {
	case s.file == nil:
		if s.file, err = os.CreateTemp("", "politecrawl-index-"); err != nil {
			return err
		}
	case len(s.ends) == maxRuns:
		return errTooManyLines
	default:
		start = s.ends[len(s.ends)-1]
	}
	slices.SortFunc(s.lines, bytes.Compare)
	out := bufio.NewWriter(s.file)
	for _, line := range s.lines {
		start += int64(len(line)) + 1
		_, _ = out.Write(line)
		_ = out.WriteByte('\n') // Flush returns the errors
	}
	s.lines, s.size, s.ends = nil, 0, append(s.ends, start)
	return out.Flush()
}

// all yields the lines in order. They are valid until the next one.
func (s *sorter) all() iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		slices.SortFunc(s.lines, bytes.Compare)
		type run struct {
			next func() ([]byte, error, bool)
			line []byte
		}
		var runs []*run
		add := func(lines iter.Seq2[[]byte, error]) (stop func()) {
			next, stop := iter.Pull2(lines)
			runs = append(runs, &run{next: next})
			return stop
		}
		defer add(func(yield func([]byte, error) bool) {
			for _, line := range s.lines {
				if !yield(line, nil) {
					return
				}
			}
		})()
		start := int64(0)
		for _, end := range s.ends {
			defer add(readLines(io.NewSectionReader(s.file, start, end-start), 2*maxLine))()
			start = end
		}
		advance := func(r *run) bool {
			line, err, ok := r.next()
			r.line = line
			if !ok {
				runs = slices.DeleteFunc(runs, func(other *run) bool { return other == r })
			}
			return err == nil || yield(nil, err) && false
		}
		for _, r := range slices.Clone(runs) {
			if !advance(r) {
				return
			}
		}
		for len(runs) > 0 {
			first := slices.MinFunc(runs, func(a, b *run) int { return bytes.Compare(a.line, b.line) })
			if !yield(first.line, nil) || !advance(first) {
				return
			}
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
