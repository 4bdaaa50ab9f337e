package storetest

import (
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

var addChecks = []check{
	{name: "at the same moment", busy: true, run: func(s *subject) {
		const callers = 8
		urls := append(numbered(a, 100), numbered(b, 100)...)
		var mu sync.Mutex
		wins := make(map[string]int)
		var wg sync.WaitGroup
		for range callers {
			wg.Go(func() {
				mine := slices.Clone(urls)
				rand.Shuffle(len(mine), func(i, j int) { mine[i], mine[j] = mine[j], mine[i] })
				for part := range slices.Chunk(mine, 7) {
					added, err := s.f.Add(s.Context(), items(part...))
					if err != nil {
						s.Errorf("Add: %v", err)
						return
					}
					mu.Lock()
					for i := range added {
						if added[i] {
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
				s.Errorf("%d callers were told that %s is new, want 1", wins[u], u)
			}
		}
		s.counts(frontier.Counts{Added: len(urls), Pending: len(urls)})
	}},
}

func (s *subject) known(url string) bool {
	s.Helper()
	got, err := s.f.Known(s.Context(), []string{url, "http://a.test/nobody has added it"})
	if err != nil || len(got) != 2 || got[1] {
		s.Fatalf("Known = %v, %v", got, err)
	}
	return got[0]
}
