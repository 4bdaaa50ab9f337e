package storetest

import (
	"fmt"
	"sync"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

var linkChecks = []check{
	{name: "never after the end of the lease", heavy: true, run: func(s *subject) {
		// When the page is done, its links are added.
		const pages, links = 50, 20
		s.add(numbered(a, pages)...)
		stop := make(chan struct{})
		var watch sync.WaitGroup
		watch.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				st, err := s.f.Stats(s.Context())
				if err != nil {
					s.Errorf("Stats: %v", err)
					return
				}
				if want := pages + links*st.Done; st.URLs < want {
					s.Errorf("%d pages done and %d URLs known, want %d or more", st.Done, st.URLs, want)
					return
				}
			}
		})
		for i := range pages {
			found := numbered(frontier.Host(fmt.Sprintf("b%d.test", i)), links)
			s.finish(s.lease(fmt.Sprintf("http://%s/%d", a, i)), frontier.Outcome{Result: frontier.Done, Links: later(s, found)})
		}
		close(stop)
		watch.Wait()
		s.counts(frontier.Counts{URLs: pages * (1 + links), Scheduled: pages * links, Done: pages})
	}},
}

// later returns items that cannot be leased for 100 units.
func later(s *subject, urls []string) []frontier.Item {
	links := items(urls...)
	for i := range links {
		links[i].NotBefore = s.in(100)
	}
	return links
}
