package storetest

import (
	"context"
	"errors"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

var argumentChecks = []check{
	{name: "invalid item", run: func(s *subject) {
		for _, bad := range []frontier.Item{
			{}, {URL: "/path"}, {URL: "http:///path"}, {Host: a}, {URL: "/path", Host: a},
			{URL: one + "#fragment"}, {URL: one + "#", Host: a}, {Kind: "2nd", URL: one}, {Kind: "a-", URL: one}, {Kind: "#a", URL: one},
			{Kind: "a", URL: one, Owner: "B"}, {Kind: "a", URL: one, Owner: "-b"}, {Kind: "a", URL: one, Owner: "#b"}, {URL: one, Owner: "ü"},
		} {
			if _, err := s.f.Add(s.Context(), append(items("http://a.test/1"), bad)); !errors.Is(err, frontier.ErrInvalid) {
				s.Fatalf("Add of %+v: %v, want %v", bad, err, frontier.ErrInvalid)
			}
			if _, err := s.revisiter().Revisit(s.Context(), append(items("http://a.test/1"), bad)); !errors.Is(err, frontier.ErrInvalid) {
				s.Fatalf("Revisit of %+v: %v, want %v", bad, err, frontier.ErrInvalid)
			}
		}
		s.counts(frontier.Counts{})
	}},
	{name: "invalid outcome", run: func(s *subject) {
		s.add("http://a.test/1")
		l := s.lease("http://a.test/1")
		link := items("http://a.test/2")
		for _, bad := range []frontier.Outcome{
			{Links: link},
			{Result: frontier.Drop + 1, Links: link},
			{Result: frontier.Done, Links: append(link, frontier.Item{})},
		} {
			if err := s.tryFinish(l.ID, bad); !errors.Is(err, frontier.ErrInvalid) {
				s.Fatalf("Finish with %+v: %v, want %v", bad, err, frontier.ErrInvalid)
			}
		}
		s.counts(frontier.Counts{URLs: 1, InFlight: 1})
		s.done(l)
	}},
	{name: "one bad outcome among good ones", run: func(s *subject) {
		s.add("http://a.test/1", "http://b.test/1")
		got := s.leases(frontier.LeaseRequest{Max: 2})
		errs, err := s.f.Finish(s.Context(), []frontier.Outcome{
			{Lease: got[0].ID, Result: frontier.Done},
			{Lease: got[1].ID},
		}, nil)
		if err != nil || len(errs) != 2 || errs[0] != nil || !errors.Is(errs[1], frontier.ErrInvalid) {
			s.Fatalf("Finish = %v, %v", errs, err)
		}
		s.counts(frontier.Counts{URLs: 2, InFlight: 1, Done: 1})
	}},
	{name: "host without name", run: func(s *subject) {
		if err := s.f.UpdateHost(s.Context(), "", frontier.HostUpdate{}); !errors.Is(err, frontier.ErrInvalid) {
			s.Errorf("UpdateHost: %v", err)
		}
		if _, err := s.f.Hold(s.Context(), ""); !errors.Is(err, frontier.ErrInvalid) {
			s.Errorf("Hold: %v", err)
		}
	}},
	{name: "closed", run: func(s *subject) {
		s.close()
		for name, call := range Calls(s.f) {
			if err := call(s.Context()); !errors.Is(err, frontier.ErrClosed) {
				s.Errorf("%s: %v, want %v", name, err, frontier.ErrClosed)
			}
		}
	}},
	{name: "context that has ended", run: func(s *subject) {
		ctx, cancel := context.WithCancel(s.Context())
		cancel()
		s.add("http://a.test/1")
		if got, err := s.f.Lease(ctx, frontier.LeaseRequest{}); !errors.Is(err, context.Canceled) || len(got) > 0 {
			s.Errorf("Lease = %v, %v", urlsOf(got), err)
		}
		if _, err := s.f.Hold(ctx, a); !errors.Is(err, context.Canceled) {
			s.Errorf("Hold: %v", err)
		}
		s.lease("http://a.test/1")
	}},
}
