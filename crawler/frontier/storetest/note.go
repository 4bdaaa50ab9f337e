package storetest

import (
	"bytes"
	"errors"
	"strings"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

var noteChecks = []check{
	{name: "a note", run: func(s *subject) {
		s.hasNote(nil)
		for _, note := range []string{"first", "second\x00\xff\n", "", string(bytes.Repeat([]byte("n"), frontier.MaxNote))} {
			s.note([]byte(note))
			s.hasNote([]byte(note))
			s.note(nil) // changes nothing
			s.hasNote([]byte(note))
		}
		given := []byte("given")
		s.note(given)
		clear(given)
		got, err := s.f.Note(s.Context())
		if err != nil {
			s.Fatalf("Note: %v", err)
		}
		clear(got)
		s.hasNote([]byte("given"))
	}},
	{name: "a note too long", run: func(s *subject) {
		s.add(one)
		l := s.lease(one)
		s.note([]byte("before"))
		long := make([]byte, frontier.MaxNote+1)
		o := frontier.Outcome{Lease: l.ID, Result: frontier.Done, Links: items(two)}
		if _, err := s.f.Finish(s.Context(), []frontier.Outcome{o}, long); !errors.Is(err, frontier.ErrInvalid) {
			s.Fatalf("Finish with a note of %d bytes: %v, want %v", len(long), err, frontier.ErrInvalid)
		}
		s.hasNote([]byte("before"))
		s.counts(frontier.Counts{URLs: 1, InFlight: 1})
	}},
}

// note finishes outcomes with a note, or without if it is nil.
func (s *subject) note(note []byte, outcomes ...frontier.Outcome) []error {
	s.Helper()
	errs, err := s.f.Finish(s.Context(), outcomes, note)
	if err != nil || len(errs) != len(outcomes) {
		s.Fatalf("Finish of %d outcomes = %v, %v", len(outcomes), errs, err)
	}
	return errs
}

// hasNote fails unless the stored note is want. Nil means none.
func (s *subject) hasNote(want []byte) {
	s.Helper()
	got, err := s.f.Note(s.Context())
	if err != nil || (got == nil) != (want == nil) || !bytes.Equal(got, want) {
		s.Fatalf("Note = %q, %v, want %q", got, err, want)
	}
}

// noted compares the stored note.
func (p *scriptRun) noted(w args) {
	p.Helper()
	if text := strings.Join(w.list, ""); text == "-" {
		p.hasNote(nil)
	} else {
		p.hasNote([]byte(text))
	}
}
