package storetest

import (
	"github.com/politecrawl/politecrawl/crawler/frontier"
)

var fencingChecks = []check{
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
		s.counts(frontier.Counts{URLs: 1, Pending: 1})
	}},
}
