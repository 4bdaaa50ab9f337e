package crawler

import (
	"slices"
	"strings"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// skipState says whether a URL that is aside counts as skipped while the crawl is at work.
// It does, once, for the reason that it would be listed for if the crawl ended now. It does
// not when the frontier knows it: then it is, or will be, fetched or rejected in its turn.
//
// The frontier is asked after the URL was put aside, and what is added to the frontier is
// looked for here after it was. So one that is in both does not count, whichever was first.
// Where processes share a crawl, one does not see what others add later; when the crawl
// ends the frontier is asked again, and the count is that of the lines.
type skipState uint8

const (
	skipUnknown  skipState = iota // the frontier has not been asked yet
	skipCounted                   // it counts
	skipFrontier                  // the frontier knows it
)

// countSkip counts a URL that is aside, or takes it back, and tells the sinks.
func (c *Crawler) countSkip(r *output.Rejection, change int) {
	c.tally.reject(r.Reason, change)
	c.out.skipped(r, change < 0)
}

// numberOf is a reason in a byte: there are places of millions of URLs. The lock is held.
func (s *aside) numberOf(r output.Reason) uint8 {
	i := slices.Index(s.reasons, r)
	if i < 0 {
		i = len(s.reasons)
		s.reasons = append(s.reasons, r)
	}
	return uint8(i)
}

// replace returns the place p of a URL that had the place old before, with what holds on.
// The lock is held.
func (s *aside) replace(old, p place, url string) place {
	switch {
	case old.state == skipFrontier && old.sitemap == p.sitemap, old.state == skipCounted && old.reason == p.reason:
		p.state = old.state
	case old.state == skipCounted:
		s.withdraw(old, url)
	}
	return p
}

// withdraw says that a URL no longer counts. The lock is held.
func (s *aside) withdraw(p place, url string) {
	s.counted(&output.Rejection{URL: url, Reason: s.reasons[p.reason]}, -1)
}

// count counts URLs that were just put aside, unless the frontier knows them.
func (s *aside) count(fresh []*entry) error {
	if err := s.mark(fresh); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range fresh {
		url := s.hash(e.Left.URL)
		p, ok := s.urls[url]
		if !ok || p.state != skipUnknown || s.reasons[p.reason] != e.Left.Reason {
			continue // it was taken, or put aside again
		}
		p.state = skipCounted
		s.urls[url] = p
		s.counted(e.Left, 1)
	}
	return nil
}

// countRestored counts all that restore has read, and returns how many there are by reason.
func (s *aside) countRestored() map[output.Reason]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	counts := make(map[output.Reason]int)
	for url, p := range s.urls {
		if p.state == skipUnknown {
			counts[s.reasons[p.reason]]++
			p.state = skipCounted
			s.urls[url] = p
		}
	}
	return counts
}

// mark asks the frontier which of the URLs of entries it knows. These do not count.
func (s *aside) mark(all []*entry) error {
	for some := range slices.Chunk(all, asideBatch) {
		keys := make([]string, len(some))
		for i, e := range some {
			keys[i] = e.key()
		}
		known, err := s.inFrontier(keys)
		if err != nil {
			return err
		}
		s.mu.Lock()
		for i, key := range keys {
			if known[i] {
				s.setInFrontier(key)
			}
		}
		s.mu.Unlock()
	}
	return nil
}

// added says that the frontier has items now.
func (s *aside) added(items []frontier.Item) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.urls) == 0 {
		return // nearly always, where all links stay on one site
	}
	for i := range items {
		s.setInFrontier(items[i].URL)
	}
}

// setInFrontier says that the frontier knows a URL by key. The lock is held.
func (s *aside) setInFrontier(key string) {
	url, _, sitemap := strings.Cut(key, "#") // of a sitemap's key
	hash := s.hash(url)
	p, ok := s.urls[hash]
	if !ok || p.sitemap != sitemap || p.state == skipFrontier {
		return
	}
	if p.state == skipCounted {
		s.withdraw(p, url)
	}
	p.state = skipFrontier
	s.urls[hash] = p
}

// remove says that a URL is no longer aside.
func (s *aside) remove(url string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	hash := s.hash(url)
	if p := s.urls[hash]; p.state == skipCounted {
		s.withdraw(p, url)
	}
	delete(s.urls, hash)
}

// isCounted tells whether a URL that is aside counts.
func (s *aside) isCounted(url string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.urls[s.hash(url)].state == skipCounted
}
