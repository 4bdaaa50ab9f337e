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
	{name: "kinds and owners", run: func(s *subject) {
		all := sameURL()
		for i := range all {
			want := make([]bool, len(all))
			for j := range i {
				want[j] = true
			}
			if got, err := s.f.Known(s.Context(), keysOf(all)); err != nil || !slices.Equal(got, want) {
				s.Fatalf("Known(%v) = %v, %v, want %v", keysOf(all), got, err, want)
			}
			if added := s.addAny(all[:i+1]...); !added[i] || slices.Contains(added[:i], true) {
				s.Fatalf("Add(%v) = %v, want only the last one to be new", keysOf(all[:i+1]), added)
			}
		}
		for _, it := range all {
			s.finish(s.lease(it.Key().String()), frontier.Outcome{Result: frontier.Done, Links: all})
		}
		s.counts(frontier.Counts{URLs: len(all), Done: len(all)})
	}},
}

// sameURL returns different items of one URL.
func sameURL() []frontier.Item {
	return []frontier.Item{
		{URL: one},
		{URL: one, Owner: "2"},
		{Kind: "sitemap", URL: one},
		{Kind: "check-head", URL: one},
		{Kind: "check", URL: one, Owner: "head"},
		{Kind: "check-head", URL: one, Owner: "3"},
		{Kind: "check-head", URL: one, Owner: "3-1"},
		{Kind: "check-head", URL: one, Owner: "3#again"},
	}
}

func keysOf(items []frontier.Item) []frontier.Key {
	keys := make([]frontier.Key, len(items))
	for i := range items {
		keys[i] = items[i].Key()
	}
	return keys
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
