package storetest

import (
	"slices"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

var revisitChecks = []check{
	{name: "concurrent calls", heavy: true, run: func(s *subject) {
		urls := append(numbered(a, 40), numbered(b, 40)...)
		s.add(urls...)
		s.drain()
		urls = append(urls, numbered("c.test", 20)...) // these are new
		s.acceptedOnce(urls, s.revisiter().Revisit)
		s.counts(frontier.Counts{URLs: len(urls), Pending: len(urls)})
	}},
}

// revisit revisits items, and fails unless the result is want.
func (s *subject) revisit(want []bool, items ...frontier.Item) {
	s.Helper()
	again, err := s.revisiter().Revisit(s.Context(), items)
	if err != nil || !slices.Equal(again, want) {
		s.Fatalf("Revisit = %v, %v, want %v", again, err, want)
	}
}
