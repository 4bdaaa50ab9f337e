package storetest

import (
	"errors"
	"slices"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

var fencingChecks = []check{
	{name: "expired and leased again", run: func(s *subject) {
		s.add(page)
		stale := s.leaseFor(page, s.units(1))
		s.sleep(2)
		l := s.lease(page)
		for _, r := range []frontier.Result{frontier.Done, frontier.Retry, frontier.Defer, frontier.Drop} {
			s.lost("Finish", s.tryFinish(stale.ID, frontier.Outcome{
				Result: r, HostDelay: s.units(100), NotBefore: s.in(100), Validators: &frontier.Validators{ETag: "stale"},
			}))
		}
		s.lost("Extend", s.f.Extend(s.Context(), []frontier.LeaseID{stale.ID}, s.units(100)))
		s.counts(frontier.Counts{Added: 1, Leased: 1})
		if due := s.host(a).Due; !due.IsZero() {
			s.Fatalf("a lost lease has set the host's clock to %v", due)
		}
		s.finish(l, frontier.Outcome{Result: frontier.Retry})
		if l = s.lease(page); l.Attempt != 3 || l.Validators != nil {
			s.Fatalf("attempt %d with validators %v, want 3 with none", l.Attempt, l.Validators)
		}
	}},
	{name: "its links are added", run: func(s *subject) {
		s.add(page)
		stale := s.leaseFor(page, s.units(1))
		s.sleep(2)
		l := s.lease(page)
		s.lost("Finish", s.tryFinish(stale.ID, frontier.Outcome{Result: frontier.Done, Links: items("http://a.test/link", page)}))
		s.counts(frontier.Counts{Added: 2, Pending: 1, Leased: 1})
		s.done(l)
		s.lost("second Finish", s.tryFinish(l.ID, frontier.Outcome{Result: frontier.Retry, Links: items("http://a.test/link2")}))
		if got, want := s.drain(), []string{"http://a.test/link", "http://a.test/link2"}; !slices.Equal(got, want) {
			s.Fatalf("leased %v, want %v", got, want)
		}
	}},
	{name: "finished once", run: func(s *subject) {
		s.add(page)
		l := s.lease(page)
		errs, err := s.f.Finish(s.Context(), []frontier.Outcome{
			{Lease: l.ID, Result: frontier.Retry},
			{Lease: l.ID, Result: frontier.Drop},
		}, nil)
		if err != nil || len(errs) != 2 || errs[0] != nil {
			s.Fatalf("Finish = %v, %v", errs, err)
		}
		s.lost("second outcome", errs[1])
		s.lost("Extend", s.f.Extend(s.Context(), []frontier.LeaseID{l.ID}, s.unit))
		s.counts(frontier.Counts{Added: 1, Pending: 1})
	}},
	{name: "unknown lease", run: func(s *subject) {
		for _, id := range []frontier.LeaseID{"", "no such lease"} {
			s.lost("Finish", s.tryFinish(id, frontier.Outcome{Result: frontier.Done}))
			s.lost("Extend", s.f.Extend(s.Context(), []frontier.LeaseID{id}, s.unit))
		}
	}},
	{name: "some of those to be extended", run: func(s *subject) {
		s.add("http://a.test/1")
		gone := s.lease("http://a.test/1")
		s.done(gone)
		s.add("http://b.test/1")
		kept := s.leaseFor("http://b.test/1", s.units(1))
		end := s.in(3)
		err := s.f.Extend(s.Context(), []frontier.LeaseID{gone.ID, kept.ID}, s.units(3))
		s.lost("Extend", err)
		if lost, ok := errors.AsType[*frontier.LostError](err); !ok || !slices.Equal(lost.Leases, []frontier.LeaseID{gone.ID}) {
			s.Fatalf("Extend: %#v, want one that names %q", err, gone.ID)
		}
		s.leaseAt("http://b.test/1", end)
	}},
	{name: "after reopening", why: needDurable, run: func(s *subject) {
		s.add(page)
		stale := s.lease(page)
		s.reopen()
		l := s.lease(page)
		s.lost("Finish", s.tryFinish(stale.ID, frontier.Outcome{Result: frontier.Drop, Links: items("http://a.test/link")}))
		s.counts(frontier.Counts{Added: 2, Pending: 1, Leased: 1})
		s.done(l)
	}},
}
