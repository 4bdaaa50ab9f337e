package storetest

import (
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

var addChecks = []check{
	{name: "duplicates in a batch", run: func(s *subject) {
		got := s.addAny(items("http://a.test/2", "http://a.test/1", "http://a.test/2", "http://a.test/3", "http://a.test/1")...)
		if want := []bool{true, true, false, true, false}; !slices.Equal(got, want) {
			s.Fatalf("added %v, want %v", got, want)
		}
		if got, want := s.drain(), []string{"http://a.test/2", "http://a.test/1", "http://a.test/3"}; !slices.Equal(got, want) {
			s.Fatalf("leased %v, want %v", got, want)
		}
	}},
	{name: "in every state", run: func(s *subject) {
		url := "http://a.test/1"
		known := func(state string) {
			s.Helper()
			if !s.known(url) {
				s.Fatalf("a URL that is %s is not known", state)
			}
			if s.addAny(items(url)...)[0] {
				s.Fatalf("a URL that is %s was added again", state)
			}
		}
		if s.known(url) {
			s.Fatal("a URL that nobody has added is known")
		}
		s.add(url)
		known("pending")
		l := s.lease(url)
		known("leased")
		at := s.in(1)
		s.finish(l, frontier.Outcome{Result: frontier.Retry, NotBefore: at})
		known("scheduled")
		l = s.leaseAt(url, at)
		s.done(l)
		known("done")

		url = "http://a.test/2"
		s.add(url)
		s.finish(s.lease(url), frontier.Outcome{Result: frontier.Drop})
		known("dropped")
		s.none()
		s.counts(frontier.Counts{Added: 2, Done: 1, Dropped: 1})
	}},
	{name: "as a link", run: func(s *subject) {
		s.add("http://a.test/1", "http://a.test/2")
		s.finish(s.lease("http://a.test/1"), frontier.Outcome{
			Result: frontier.Done,
			Links:  items("http://a.test/2", "http://a.test/1", "http://a.test/3", "http://a.test/3"),
		})
		if got := s.addAny(items("http://a.test/3")...); got[0] {
			s.Fatal("a link was added again")
		}
		if got, want := s.drain(), []string{"http://a.test/2", "http://a.test/3"}; !slices.Equal(got, want) {
			s.Fatalf("leased %v, want %v", got, want)
		}
	}},
	{name: "what is known stays as it is", run: func(s *subject) {
		s.addItems(frontier.Item{URL: "http://a.test/1", Priority: 2, Meta: []byte("first")})
		s.addAny(frontier.Item{URL: "http://a.test/1", Priority: 1, Meta: []byte("second"), NotBefore: s.in(5)})
		if l := s.lease("http://a.test/1"); l.Priority != 2 || string(l.Meta) != "first" {
			s.Fatalf("leased %+v", l.Item)
		}
	}},
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
	{name: "after reopening", why: needDurable, run: func(s *subject) {
		urls := numbered(a, 4) // to be done, dropped, leased, pending
		s.add(urls...)
		s.done(s.lease(urls[0]))
		s.finish(s.lease(urls[1]), frontier.Outcome{Result: frontier.Drop})
		s.lease(urls[2])
		s.reopen()
		for i, added := range s.addAny(items(urls...)...) {
			if added || !s.known(urls[i]) {
				s.Errorf("%s is not known", urls[i])
			}
		}
		if got, want := s.drain(), []string{urls[2], urls[3]}; !slices.Equal(got, want) {
			s.Errorf("leased %v, want %v", got, want)
		}
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
