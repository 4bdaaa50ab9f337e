package storetest

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

var addChecks = []check{
	{name: "concurrent calls", heavy: true, run: func(s *subject) {
		urls := append(numbered(a, 100), numbered(b, 100)...)
		s.acceptedOnce(urls, s.f.Add)
		s.counts(frontier.Counts{URLs: len(urls), Pending: len(urls)})
	}},
}

// acceptedOnce calls bring concurrently with the same URLs, and fails unless each URL is accepted
// from one caller.
func (s *subject) acceptedOnce(urls []string, bring func(context.Context, []frontier.Item) ([]bool, error)) {
	s.Helper()
	var mu sync.Mutex // guards wins
	wins := make(map[string]int)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			mine := slices.Clone(urls)
			rand.Shuffle(len(mine), func(i, j int) { mine[i], mine[j] = mine[j], mine[i] })
			for part := range slices.Chunk(mine, 7) {
				accepted, err := bring(s.Context(), items(part...))
				if err != nil {
					s.Errorf("bringing in %v: %v", part, err)
					return
				}
				mu.Lock()
				for i := range accepted {
					if accepted[i] {
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
			s.Errorf("%s was accepted from %d callers, want 1", u, wins[u])
		}
	}
}
