package storetest

import (
	"slices"
	"sync"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

var revisitChecks = []check{
	{name: "at the same moment as others", busy: true, run: func(s *subject) {
		const callers = 8
		urls := append(numbered(a, 40), numbered(b, 40)...)
		s.add(urls...)
		s.drain()
		urls = append(urls, numbered("c.test", 20)...) // these are new
		var mu sync.Mutex
		wins := make(map[string]int)
		var wg sync.WaitGroup
		for range callers {
			wg.Go(func() {
				for part := range slices.Chunk(urls, 7) {
					again, err := s.revisiter().Revisit(s.Context(), items(part...))
					if err != nil {
						s.Errorf("Revisit: %v", err)
						return
					}
					mu.Lock()
					for i := range again {
						if again[i] {
							wins[part[i]]++
						}
					}
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		for _, u := range urls {
			if wins[u] != 1 {
				s.Errorf("%d callers were told that %s comes again, want 1", wins[u], u)
			}
		}
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
