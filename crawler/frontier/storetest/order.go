package storetest

import (
	"fmt"
	"slices"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

var orderChecks = []check{
	{name: "a long queue", heavy: true, run: func(s *subject) {
		urls := numbered(a, 500)
		for part := range slices.Chunk(urls, 90) {
			s.add(part...)
		}
		if got := s.drain(); !slices.Equal(got, urls) {
			s.Fatalf("500 URLs of one host came in another order: %v", got)
		}
	}},
	{name: "a big host starves nobody", run: func(s *subject) { s.fairShare(1, 0) }},
	{name: "a big host with many slots starves nobody", run: func(s *subject) { s.fairShare(50, 0) }},
	{name: "a fast host starves nobody", run: func(s *subject) { s.fairShare(1, time.Nanosecond) }},
	{name: "one call alternates hosts", run: func(s *subject) {
		s.update(a, frontier.HostUpdate{MaxInFlight: 50})
		s.add(numbered(a, 50)...)
		time.Sleep(10 * time.Millisecond) // so that a is due before b
		s.add("http://b.test/1", "http://c.test/1")
		got := urlsOf(s.leases(frontier.LeaseRequest{Max: 3}))
		slices.Sort(got[min(1, len(got)):]) // b and c are due at the same time
		if want := []string{"http://a.test/0", "http://b.test/1", "http://c.test/1"}; !slices.Equal(got, want) {
			s.Fatalf("leased %v, want %v", got, want)
		}
	}},
}

// fairShare checks that a host with many URLs gets no more leases than each small host. It has so
// many slots, and its outcomes the given delay.
func (s *subject) fairShare(slots int, delay time.Duration) {
	s.Helper()
	const small, rounds = 9, 3
	s.update(a, frontier.HostUpdate{MaxInFlight: slots})
	s.add(numbered(a, 100)...)
	for i := range small {
		s.add(numbered(frontier.Host(fmt.Sprintf("small%d.test", i)), rounds)...)
	}
	served := make(map[frontier.Host]int)
	for n := 1; n <= rounds*(small+1); n++ {
		got := s.leases(frontier.LeaseRequest{Wait: s.unit})
		if len(got) != 1 {
			s.Fatalf("nothing to lease after %d", n-1)
		}
		l := got[0]
		served[l.Host]++
		if slots == 1 || l.Host != a {
			s.finish(l, frontier.Outcome{Result: frontier.Done, HostDelay: delay})
		}
		// Otherwise all hosts would be due at the same time.
		time.Sleep(2 * time.Millisecond)
		for i := range small {
			h := frontier.Host(fmt.Sprintf("small%d.test", i))
			if want := n / (small + 1); served[h] < want {
				s.Fatalf("%s was served %d times in %d leases among %d hosts, want %d; the large host %d times",
					h, served[h], n, small+1, want, served[a])
			}
		}
	}
}
