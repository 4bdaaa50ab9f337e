package storetest

import (
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

var countChecks = []check{
	{name: "in every state", run: func(s *subject) {
		want := frontier.Counts{}
		expect := func(added, pending, scheduled, leased, done, dropped int) {
			s.Helper()
			want.Added += added
			want.Pending += pending
			want.Scheduled += scheduled
			want.Leased += leased
			want.Done += done
			want.Dropped += dropped
			s.counts(want)
			if got := s.host(a).Counts; got != want {
				s.Fatalf("counts of the host are %+v, want %+v", got, want)
			}
		}
		expect(0, 0, 0, 0, 0, 0)
		s.add(one, two)
		expect(2, 2, 0, 0, 0, 0)
		s.addItems(frontier.Item{URL: three, NotBefore: s.in(2)})
		expect(1, 0, 1, 0, 0, 0)
		s.addAny(items(one, three)...)
		expect(0, 0, 0, 0, 0, 0)
		l := s.leaseFor(one, s.units(1))
		expect(0, -1, 0, 1, 0, 0)
		s.sleep(3) // the lease expires, and three's time comes
		expect(0, 2, -1, -1, 0, 0)
		s.lost("Finish", s.tryFinish(l.ID, frontier.Outcome{Result: frontier.Done}))
		expect(0, 0, 0, 0, 0, 0)
		all := make(map[string]frontier.Lease)
		s.update(a, frontier.HostUpdate{MaxInFlight: 3})
		for _, l := range s.leases(frontier.LeaseRequest{Max: 3}) {
			all[l.URL] = l
		}
		expect(0, -3, 0, 3, 0, 0)
		s.finish(all[one], frontier.Outcome{Result: frontier.Drop})
		expect(0, 0, 0, -1, 0, 1)
		s.finish(all[two], frontier.Outcome{Result: frontier.Defer, NotBefore: s.in(3)})
		expect(0, 0, 1, -1, 0, 0)
		s.finish(all[three], frontier.Outcome{Result: frontier.Done, Links: items(one, urlOf(a, "/4"))})
		expect(1, 1, 0, -1, 1, 0)
		s.sleep(4)
		expect(0, 1, -1, 0, 0, 0)
		s.finish(s.lease(two), frontier.Outcome{Result: frontier.Done, NotBefore: s.in(9)}) // comes again: not done
		expect(0, -1, 1, 0, 0, 0)
		release := s.hold(a)
		expect(0, 0, 0, 0, 0, 0)
		release(time.Nanosecond)
		expect(0, 0, 0, 0, 0, 0)
	}},
	{name: "hosts", run: func(s *subject) {
		s.update("settings.test", frontier.HostUpdate{MaxInFlight: 2})
		s.add(one, two, "http://b.test/1")
		s.drain()
		if got := s.stats().Hosts; got != 2 {
			s.Errorf("%d hosts, want 2", got)
		}
		if got, want := s.host(a).Counts, (frontier.Counts{Added: 2, Done: 2}); got != want {
			s.Errorf("counts of a finished host are %+v, want %+v", got, want)
		}
		if got := s.host("unknown.test"); got.Host != "unknown.test" || got.MaxInFlight != 1 || got.Counts != (frontier.Counts{}) {
			s.Errorf("a host that is not known: %+v", got)
		}
	}},
	{name: "after reopening", why: needDurable, run: func(s *subject) {
		s.add(numbered(a, 5)...)
		s.addItems(frontier.Item{URL: "http://b.test/1", NotBefore: s.in(100)})
		s.done(s.lease("http://a.test/0"))
		s.finish(s.lease("http://a.test/1"), frontier.Outcome{Result: frontier.Drop})
		s.finish(s.lease("http://a.test/2"), frontier.Outcome{Result: frontier.Retry, NotBefore: s.in(100)})
		s.lease("http://a.test/3")
		s.reopen()
		s.counts(frontier.Counts{Added: 6, Pending: 2, Scheduled: 2, Done: 1, Dropped: 1})
		if got, want := s.host(a).Counts, (frontier.Counts{Added: 5, Pending: 2, Scheduled: 1, Done: 1, Dropped: 1}); got != want {
			s.Errorf("counts of the host are %+v, want %+v", got, want)
		}
		if got := s.stats().Hosts; got != 2 {
			s.Errorf("%d hosts, want 2", got)
		}
	}},
	random,
}

var random = check{name: "random operations", run: randomOperations}
