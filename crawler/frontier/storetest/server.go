package storetest

import (
	"slices"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

// spellings are different URLs of one server, a.
var spellings = []string{
	"http://a.test/1", "https://a.test/1", "http://a.test./1", "https://a.test./1",
	"http://a.test:443/1", "https://a.test:80/1", "https://a.test?1", "https://a.test", "http://a.test",
}

var serverChecks = []check{
	{name: "URLs are returned unchanged", run: func(s *subject) { checkSpellings(s, func() {}) }},
	{name: "URLs are returned unchanged after reopening", needs: durable, run: func(s *subject) { checkSpellings(s, s.reopen) }},
}

// all leases all URLs that are available without waiting.
func (s *subject) all() (all []frontier.Lease) {
	s.Helper()
	for {
		got := s.leases(frontier.LeaseRequest{Max: 100})
		if len(got) == 0 {
			return all
		}
		all = append(all, got...)
	}
}

// checkSpellings checks each URL in every state, after calling between.
func checkSpellings(s *subject, between func()) {
	s.update(a, frontier.HostUpdate{MaxInFlight: 2 * len(spellings)})
	all := items(spellings...)
	expect := func() []frontier.Lease {
		s.Helper()
		between()
		s.waitsOf([]frontier.Host{a}, all...)
		got := s.all()
		if urls := urlsOf(got); !slices.Equal(urls, spellings) {
			s.Fatalf("leased %v, want %v", urls, spellings)
		}
		for _, l := range got {
			if l.Host != a {
				s.Fatalf("%s is of the host %s, want %s", l.URL, l.Host, a)
			}
		}
		return got
	}
	s.addItems(all...)
	for _, l := range expect() {
		s.finish(l, frontier.Outcome{Result: frontier.Retry})
	}
	for _, l := range expect() {
		s.done(l)
	}
	between()
	for i, fresh := range s.addAny(all...) {
		if fresh {
			s.Fatalf("%s was added twice", spellings[i])
		}
	}
	s.revisit(slices.Repeat([]bool{true}, len(all)), all...)
	expect()
}
