package storetest

import (
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

var retryChecks = []check{
	{name: "not before its time", run: func(s *subject) {
		for _, r := range []frontier.Result{frontier.Retry, frontier.Defer, frontier.Done} {
			url := urlOf(a, "/"+r.String())
			s.add(url)
			at := s.in(3)
			s.finish(s.lease(url), frontier.Outcome{Result: r, NotBefore: at})
			s.finish(s.leaseAt(url, at), frontier.Outcome{Result: frontier.Drop})
		}
	}},
	{name: "nor before its host is due", run: func(s *subject) {
		s.add(one)
		due := s.in(4)
		s.finish(s.lease(one), frontier.Outcome{Result: frontier.Retry, NotBefore: s.in(2), HostDelay: s.units(4)})
		s.leaseAt(one, due)
	}},
	{name: "holds up nothing and keeps its priority", run: func(s *subject) {
		s.addItems(
			frontier.Item{URL: one, Priority: 1}, frontier.Item{URL: two, Priority: 1},
			frontier.Item{URL: three, Priority: 1}, frontier.Item{URL: urlOf(a, "/9"), Priority: 9})
		at := s.in(3)
		s.finish(s.lease(one), frontier.Outcome{Result: frontier.Retry, NotBefore: at})
		s.done(s.lease(two))
		s.sleep(4)
		if l := s.lease(one); l.Priority != 1 || l.Attempt != 2 {
			s.Fatalf("came back with priority %d, attempt %d; want 1, 2", l.Priority, l.Attempt)
		} else {
			s.done(l)
		}
		s.done(s.lease(three))
		s.done(s.lease(urlOf(a, "/9")))
	}},
	{name: "first lease not before its time", run: func(s *subject) {
		at := s.in(3)
		s.addItems(frontier.Item{URL: one, NotBefore: at, Meta: []byte("m")}, frontier.Item{URL: two})
		s.done(s.lease(two))
		if l := s.leaseAt(one, at); l.Attempt != 1 || string(l.Meta) != "m" || !l.NotBefore.IsZero() {
			s.Fatalf("leased %+v", l)
		}
	}},
	{name: "a time that has passed is now", run: func(s *subject) {
		s.addItems(frontier.Item{URL: one, NotBefore: time.Now().Add(-time.Hour)})
		s.finish(s.lease(one), frontier.Outcome{Result: frontier.Retry, NotBefore: time.Now().Add(-time.Hour)})
		s.finish(s.lease(one), frontier.Outcome{Result: frontier.Done, NotBefore: time.Unix(0, 0)})
		s.lease(one)
	}},
	{name: "far ahead is not now", run: func(s *subject) {
		at := time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)
		s.addItems(frontier.Item{URL: one, NotBefore: at})
		s.add(two)
		s.finish(s.lease(two), frontier.Outcome{Result: frontier.Retry, NotBefore: at})
		s.update(b, frontier.HostUpdate{BlockUntil: at})
		s.add("http://b.test/1", "http://c.test/1", "http://c.test/2")
		s.finish(s.lease("http://c.test/1"), frontier.Outcome{Result: frontier.Done, HostDelay: 1<<63 - 1})
		s.none()
		s.sleep(1)
		s.none()
		if due := s.stats().NextDue; due.Before(s.in(1000)) {
			s.Fatalf("next due is %v, want a time far ahead", due)
		}
	}},
	{name: "after reopening", why: needDurable, run: func(s *subject) {
		second := s.in(5)
		s.addItems(frontier.Item{URL: one, Priority: 4}, frontier.Item{URL: two, NotBefore: second, Priority: 5})
		at := s.in(3)
		s.finish(s.lease(one), frontier.Outcome{Result: frontier.Retry, NotBefore: at})
		s.reopen()
		if l := s.leaseAt(one, at); l.Priority != 4 || l.Attempt != 2 {
			s.Fatalf("came back with priority %d, attempt %d; want 4, 2", l.Priority, l.Attempt)
		} else {
			s.done(l)
		}
		s.leaseAt(two, second)
	}},
}
