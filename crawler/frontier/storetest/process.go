package storetest

import (
	"strings"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

func needExclusive(s Store) string {
	if !s.Exclusive {
		return "the store's places are not for one process alone"
	}
	return ""
}

var processChecks = []check{
	{name: "the second is refused", process: true, why: func(s Store) string {
		if reason := needExclusive(s); reason != "" {
			return reason
		}
		return needChild(s)
	}, run: func(s *subject) {
		c := s.start("open")
		if got := c.line(); !strings.HasPrefix(got, "refused") || !strings.Contains(got, s.place) {
			s.Fatalf("the second process says %q, want refused and a word on %s", got, s.place)
		}
		c.kill()
		s.add(one)
		s.close()

		c = s.start("open")
		if got := c.line(); got != "opened" {
			s.Fatalf("a process after the first says %q, want opened", got)
		}
		if f, err := s.store.Open(s.place); err == nil {
			_ = f.Close()
			s.Fatal("opened what another process has open")
		}
		c.kill()
		s.open() // nothing is left of a process that was killed
		s.lease(one)
	}},
	{name: "the second opening is refused", why: needExclusive, run: func(s *subject) {
		s.add(one)
		f, err := s.store.Open(s.place)
		if err == nil {
			_ = f.Close()
			s.Fatal("opened twice")
		}
		if !strings.Contains(err.Error(), s.place) {
			s.Errorf("the refusal does not say where: %v", err)
		}
		s.lease(one) // the first goes on
		s.reopen()
	}},
	{name: "the second works on the same", why: func(s Store) string {
		if s.Exclusive {
			return "the store's places are for one process alone"
		}
		return needDurable(s)
	}, run: func(s *subject) {
		second := &subject{TB: s.TB, store: s.store, place: s.place, unit: s.unit}
		second.open()
		defer second.close()
		s.add(one, two)
		if second.addAny(items(one)...)[0] {
			s.Error("one URL was new twice")
		}
		l := second.lease(one)
		s.none()
		due := s.in(2)
		s.finish(l, frontier.Outcome{Result: frontier.Done, HostDelay: s.units(2)})
		second.leaseAt(two, due)
		second.wakes("http://b.test/1", 0, func() { s.add("http://b.test/1") })
	}},
}
