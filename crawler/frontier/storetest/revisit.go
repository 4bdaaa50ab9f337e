package storetest

import (
	"slices"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

var revisitChecks = []check{
	{name: "at the same moment as others", busy: true, run: func(s *subject) {
		urls := append(numbered(a, 40), numbered(b, 40)...)
		s.add(urls...)
		s.drain()
		urls = append(urls, numbered("c.test", 20)...) // these are new
		s.once(urls, s.revisiter().Revisit)
		s.counts(frontier.Counts{Added: len(urls), Pending: len(urls)})
	}},
}

// revisit revisits items, of which those are to come again.
func (s *subject) revisit(want []bool, items ...frontier.Item) {
	s.Helper()
	again, err := s.revisiter().Revisit(s.Context(), items)
	if err != nil || !slices.Equal(again, want) {
		s.Fatalf("Revisit = %v, %v, want %v", again, err, want)
	}
}
