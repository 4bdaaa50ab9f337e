// Package sinktest is what the tests of formats share.
package sinktest

import (
	"testing"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// Open opens a sink.
func Open(t testing.TB, format output.Format, dir string, mark []byte) output.Sink {
	t.Helper()
	s, err := format.Open(dir, mark)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Write writes what was found.
func Write(t testing.TB, s output.Sink, f *output.Found) {
	t.Helper()
	if err := s.Write(f); err != nil {
		t.Fatal(err)
	}
}

// Commit commits what was written, and looks at the mark.
func Commit(t testing.TB, s output.Sink, power bool) (mark []byte) {
	t.Helper()
	mark, err := s.Commit(power)
	if err != nil {
		t.Fatal(err)
	}
	if mark == nil || len(mark) > 200 {
		t.Errorf("a mark of %d bytes: %q", len(mark), mark)
	}
	return mark
}

// Put writes what was found and commits it.
func Put(t testing.TB, s output.Sink, f *output.Found) (mark []byte) {
	t.Helper()
	Write(t, s, f)
	return Commit(t, s, false)
}

// Close closes a sink.
func Close(t testing.TB, s output.Sink) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}
