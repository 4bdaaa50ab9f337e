// Package extsort sorts more lines than fit into memory: it sorts parts of them, writes these
// runs into a temporary file, and merges them.
package extsort

import (
	"bufio"
	"cmp"
	"container/heap"
	"errors"
	"io"
	"iter"
	"os"
	"slices"
)

// Memory is the default size of a run in bytes.
const Memory = 8 << 20

// overhead is the memory that a line needs beside its text.
const overhead = 16

// A Sorter sorts lines by their bytes.
type Sorter struct {
	memory int
	run    []string // lines that are not in the file
	size   int      // of the run in memory
	file   *os.File // nil: all lines are in memory
	ends   []int64  // where each run in the file ends
}

// New returns a Sorter whose runs have this many bytes (0: [Memory]).
func New(memory int) *Sorter { return &Sorter{memory: cmp.Or(memory, Memory)} }

// Add adds a line, which must not contain a line break.
func (s *Sorter) Add(line string) error {
	if s.size += len(line) + overhead; s.size > s.memory && len(s.run) > 0 {
		if err := s.spill(); err != nil {
			return err
		}
		s.size = len(line) + overhead
	}
	s.run = append(s.run, line)
	return nil
}

// spill writes the run in memory into the file.
func (s *Sorter) spill() error {
	if s.file == nil {
		file, err := os.CreateTemp("", "politecrawl-sort-*")
		if err != nil {
			return err
		}
		s.file = file
		// Where the system allows it, the file vanishes even if the process is killed.
		_ = os.Remove(file.Name())
	}
	slices.Sort(s.run)
	w := bufio.NewWriterSize(s.file, 1<<16)
	end := int64(0)
	if n := len(s.ends); n > 0 {
		end = s.ends[n-1]
	}
	for _, line := range s.run {
		// A bufio.Writer keeps its error for Flush.
		_, _ = w.WriteString(line)
		_ = w.WriteByte('\n')
		end += int64(len(line)) + 1
	}
	if err := w.Flush(); err != nil {
		return err
	}
	s.ends = append(s.ends, end)
	clear(s.run)
	s.run = s.run[:0]
	return nil
}

// All yields the lines in order, duplicates too. It may be called again, but not Add.
func (s *Sorter) All() iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		slices.Sort(s.run)
		runs, err := s.runs()
		for err == nil && len(runs) > 0 {
			first := runs[0]
			if !yield(first.line, nil) {
				return
			}
			var more bool
			if more, err = first.next(); more {
				heap.Fix(&runs, 0)
			} else {
				heap.Pop(&runs)
			}
		}
		if err != nil {
			yield("", err)
		}
	}
}

// Close removes the temporary file.
func (s *Sorter) Close() error {
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	if removed := os.Remove(s.file.Name()); !errors.Is(removed, os.ErrNotExist) {
		err = errors.Join(err, removed)
	}
	return err
}

// runs returns the runs, each with its first line.
func (s *Sorter) runs() (runHeap, error) {
	readers := []*reader{{rest: s.run}}
	start := int64(0)
	for _, end := range s.ends {
		readers = append(readers, &reader{file: bufio.NewReaderSize(io.NewSectionReader(s.file, start, end-start), 1<<16)})
		start = end
	}
	var runs runHeap
	for _, r := range readers {
		switch more, err := r.next(); {
		case err != nil:
			return nil, err
		case more:
			runs = append(runs, r)
		}
	}
	heap.Init(&runs)
	return runs, nil
}

// A reader reads one run.
type reader struct {
	line string
	file *bufio.Reader // nil: the run is in memory
	rest []string      // of the run in memory
}

// next reads the next line. It returns false at the end of the run.
func (r *reader) next() (bool, error) {
	if r.file == nil {
		if len(r.rest) == 0 {
			return false, nil
		}
		r.line, r.rest = r.rest[0], r.rest[1:]
		return true, nil
	}
	line, err := r.file.ReadString('\n')
	switch {
	case err == io.EOF && line == "":
		return false, nil
	case err == io.EOF:
		return false, io.ErrUnexpectedEOF
	case err != nil:
		return false, err
	}
	r.line = line[:len(line)-1]
	return true, nil
}

// A runHeap has the run with the first line at index 0.
type runHeap []*reader

// Len implements heap.Interface.
func (h *runHeap) Len() int { return len(*h) }

// Less implements heap.Interface.
func (h *runHeap) Less(i, j int) bool { return (*h)[i].line < (*h)[j].line }

// Swap implements heap.Interface.
func (h *runHeap) Swap(i, j int) { (*h)[i], (*h)[j] = (*h)[j], (*h)[i] }

// Push implements heap.Interface.
func (h *runHeap) Push(x any) { *h = append(*h, x.(*reader)) }

// Pop implements heap.Interface.
func (h *runHeap) Pop() any {
	last := len(*h) - 1
	r := (*h)[last]
	*h = (*h)[:last]
	return r
}
