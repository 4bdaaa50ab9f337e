package storetest

import (
	"fmt"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/internal/loadtest"
)

var memoryChecks = []check{
	{name: "of a URL", needs: []need{urlLimit}, heavy: true, run: func(s *subject) {
		const hosts, each = 100, 100
		before := loadtest.Heap()
		length := 0
		for i := range hosts {
			urls := numbered(frontier.Host(fmt.Sprintf("host%d.test", i)), each)
			for _, u := range urls {
				length += len(u)
			}
			s.add(urls...)
		}
		s.atMost("a pending URL, over its length,", loadtest.Heap()-before-length, hosts*each, s.store.URLBytes)
	}},
	{name: "of a host without URLs", needs: []need{hostLimit}, heavy: true, run: func(s *subject) {
		const hosts = 500
		before := loadtest.Heap()
		for i := range hosts {
			url := fmt.Sprintf("http://host%d.test/", i)
			s.add(url)
			s.finish(s.lease(url), frontier.Outcome{Result: frontier.Done, HostDelay: s.units(1)})
		}
		s.sleep(2)
		s.none()
		s.atMost("a host without URLs", loadtest.Heap()-before, hosts, s.store.HostBytes)
	}},
}

func (s *subject) atMost(what string, bytes, n, limit int) {
	s.Helper()
	s.Logf("%s takes %d bytes", what, bytes/n)
	if bytes/n > limit {
		s.Fatalf("%s takes %d bytes, want %d at most", what, bytes/n, limit)
	}
}
