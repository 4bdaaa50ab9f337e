package storetest

import (
	"strings"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

var processChecks = []check{
	{name: "second process is rejected", process: true, needs: append([]need{exclusive}, killable...), run: func(s *subject) {
		c := s.start("open")
		if got := c.line(); !strings.HasPrefix(got, "refused") || !strings.Contains(got, s.location) {
			s.Fatalf("the second process prints %q, want refused and %s", got, s.location)
		}
		c.kill()
		s.add(one)
		s.close()

		c = s.start("open")
		if got := c.line(); got != "opened" {
			s.Fatalf("a process after the first prints %q, want opened", got)
		}
		if f, err := s.store.Open(s.location); err == nil {
			_ = f.Close()
			s.Fatal("opened a store that another process has open")
		}
		c.kill()
		s.open() // the lock of a killed process is released
		s.lease(one)
	}},
	{name: "second Open in a process is rejected", needs: []need{exclusive}, run: func(s *subject) {
		s.add(one)
		f, err := s.store.Open(s.location)
		if err == nil {
			_ = f.Close()
			s.Fatal("opened twice")
		}
		if !strings.Contains(err.Error(), s.location) {
			s.Errorf("the error does not name the location: %v", err)
		}
		s.lease(one) // the first store still works
		s.reopen()
	}},
	{name: "two stores share the data", needs: append([]need{shareable}, durable...), run: func(s *subject) {
		second := &subject{TB: s.TB, store: s.store, location: s.location, unit: s.unit}
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
