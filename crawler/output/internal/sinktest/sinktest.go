// Package sinktest is what the tests of formats share.
package sinktest

import (
	"testing"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// Open opens a sink.
func Open(t testing.TB, format output.Format, dir string, checkpoint []byte) output.Sink {
	t.Helper()
	s, err := format.Open(dir, checkpoint)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Write writes what was found.
func Write(t testing.TB, s output.Sink, f *output.Results) {
	t.Helper()
	if err := s.Write(f); err != nil {
		t.Fatal(err)
	}
}

// Commit commits what was written, and looks at the checkpoint.
func Commit(t testing.TB, s output.Sink, power bool) (checkpoint []byte) {
	t.Helper()
	checkpoint, err := s.Commit(power)
	if err != nil {
		t.Fatal(err)
	}
	if checkpoint == nil || len(checkpoint) > 200 {
		t.Errorf("a checkpoint of %d bytes: %q", len(checkpoint), checkpoint)
	}
	return checkpoint
}

// Put writes what was found and commits it.
func Put(t testing.TB, s output.Sink, f *output.Results) (checkpoint []byte) {
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
