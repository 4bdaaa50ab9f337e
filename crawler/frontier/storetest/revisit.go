package storetest

import (
	"slices"
	"sync"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

var revisitChecks = []check{
	{name: "what is over", run: func(s *subject) {
		v := &frontier.Validators{ETag: "e", BodyHash: []byte{1}}
		s.addItems(frontier.Item{URL: one, Priority: 1, Meta: []byte("old")}, frontier.Item{URL: two, Priority: 2})
		s.finish(s.lease(one), frontier.Outcome{Result: frontier.Retry})
		s.finish(s.lease(one), frontier.Outcome{Result: frontier.Done, Validators: v})
		s.finish(s.lease(two), frontier.Outcome{Result: frontier.Drop})
		s.counts(frontier.Counts{Added: 2, Done: 1, Dropped: 1})
		s.revisit([]bool{true, true, true},
			frontier.Item{URL: one, Priority: 5, Meta: []byte("new")},
			frontier.Item{URL: two, Priority: 4},
			frontier.Item{URL: three, Priority: 3})
		s.counts(frontier.Counts{Added: 3, Pending: 3})
		if got, want := s.host(a).Counts, (frontier.Counts{Added: 3, Pending: 3}); got != want {
			s.Errorf("counts of the host are %+v, want %+v", got, want)
		}
		s.done(s.lease(three))
		if l := s.lease(two); l.Attempt != 1 || l.Validators != nil {
			s.Errorf("attempt %d with validators %+v, want 1 with none", l.Attempt, l.Validators)
		} else {
			s.done(l)
		}
		l := s.lease(one)
		if l.Attempt != 1 || l.Priority != 5 || string(l.Meta) != "new" {
			s.Errorf("leased %+v at attempt %d", l.Item, l.Attempt)
		}
		if !cmp.Equal(l.Validators, v) {
			s.Errorf("validators are %+v, want %+v", l.Validators, v)
		}
		s.finish(l, frontier.Outcome{Result: frontier.Done})
		for range 3 { // and again
			s.revisit([]bool{true}, items(one)...)
			if l = s.lease(one); l.Attempt != 1 || !cmp.Equal(l.Validators, v) {
				s.Errorf("attempt %d with validators %+v", l.Attempt, l.Validators)
			}
			s.done(l)
		}
		s.counts(frontier.Counts{Added: 3, Done: 3})
	}},
	{name: "what waits or is leased stays", run: func(s *subject) {
		at := s.in(3)
		s.addItems(frontier.Item{URL: one}, frontier.Item{URL: two, Priority: 2, Meta: []byte("two")}, frontier.Item{URL: three, NotBefore: at})
		l := s.lease(one)
		s.revisit([]bool{false, false, false},
			frontier.Item{URL: one, Priority: 9}, frontier.Item{URL: two, Priority: 9, NotBefore: s.in(9)}, frontier.Item{URL: three})
		s.counts(frontier.Counts{Added: 3, Pending: 1, Scheduled: 1, Leased: 1})
		s.finish(l, frontier.Outcome{Result: frontier.Retry})
		if l = s.lease(one); l.Attempt != 2 || l.Priority != 0 {
			s.Errorf("leased %+v at attempt %d", l.Item, l.Attempt)
		}
		s.done(l)
		if l = s.lease(two); l.Priority != 2 || string(l.Meta) != "two" {
			s.Errorf("leased %+v", l.Item)
		}
		s.done(l)
		s.done(s.leaseAt(three, at))
	}},
	{name: "in the order of a batch, behind those that wait", run: func(s *subject) {
		urls := numbered(a, 6)
		s.add(urls...)
		for _, u := range urls[:4] {
			s.done(s.lease(u))
		}
		s.revisit([]bool{true, true, true}, items(urls[2], urls[0], urls[3])...)
		if got, want := s.drain(), []string{urls[4], urls[5], urls[2], urls[0], urls[3]}; !slices.Equal(got, want) {
			s.Fatalf("leased %v, want %v", got, want)
		}
	}},
	{name: "once in a batch", run: func(s *subject) {
		s.add(one)
		s.done(s.lease(one))
		s.revisit([]bool{true, true, false, false}, items(one, two, one, two)...)
		s.counts(frontier.Counts{Added: 2, Pending: 2})
	}},
	{name: "at a time", run: func(s *subject) {
		s.add(one)
		s.done(s.lease(one))
		at := s.in(3)
		s.revisit([]bool{true, true}, frontier.Item{URL: one, NotBefore: at}, frontier.Item{URL: two, NotBefore: s.in(9)})
		s.counts(frontier.Counts{Added: 2, Scheduled: 2})
		s.done(s.leaseAt(one, at))
	}},
	{name: "wakes who waits", run: func(s *subject) {
		s.add(one)
		s.done(s.lease(one))
		s.wakes(one, 0, func() { s.revisit([]bool{true}, items(one)...) })
	}},
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
	{name: "after reopening", why: needDurable, run: func(s *subject) {
		v := &frontier.Validators{ETag: "e"}
		s.add(one, two, three)
		s.finish(s.lease(one), frontier.Outcome{Result: frontier.Done, Validators: v})
		s.finish(s.lease(two), frontier.Outcome{Result: frontier.Drop})
		s.done(s.lease(three))
		s.reopen()
		s.revisit([]bool{true, true}, frontier.Item{URL: one, Meta: []byte("new")}, frontier.Item{URL: two, NotBefore: s.in(99)})
		s.reopen()
		s.counts(frontier.Counts{Added: 3, Pending: 1, Scheduled: 1, Done: 1})
		s.revisit([]bool{false, false}, items(one, two)...)
		l := s.lease(one)
		if l.Attempt != 1 || string(l.Meta) != "new" || !cmp.Equal(l.Validators, v) {
			s.Errorf("leased %+v", l)
		}
		s.done(l)
		s.revisit([]bool{true}, items(one)...)
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
