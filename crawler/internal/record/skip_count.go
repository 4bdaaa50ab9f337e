package record

import (
	"slices"
	"strings"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/provenance"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// skipState says whether a skipped URL counts as rejected while the crawl runs. It does not if
// the frontier has it.
//
// After a URL is skipped, the frontier is queried for it. After a URL is added to the frontier,
// it is looked up here. So a URL that is in both does not count. The frontier is queried again
// at the end of the crawl, because other processes may have added URLs.
type skipState uint8

const (
	skipUnknown  skipState = iota // the frontier has not been queried yet
	skipCounted                   // it counts
	skipFrontier                  // the frontier knows it
)

// replace returns the place p with the state of the old place of the same URL. The lock is
// held.
func (s *Skipped) replace(old, p place, url string) place {
	switch {
	case old.state == skipFrontier && old.sitemap == p.sitemap, old.state == skipCounted && old.reason == p.reason:
		p.state = old.state
	case old.state == skipCounted:
		s.withdraw(old, url)
	}
	return p
}

// withdraw reports that a URL no longer counts. The lock is held.
func (s *Skipped) withdraw(p place, url string) {
	s.onCount(&output.Rejection{URL: url, Reason: s.reasons[p.reason]}, -1)
}

// count counts URLs that were just skipped, unless the frontier knows them.
func (s *Skipped) count(fresh []*entry) error {
	if err := s.mark(fresh); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range fresh {
		url := s.hash(e.Skipped.URL)
		p, ok := s.places[url]
		if !ok || p.state != skipUnknown || s.reasons[p.reason] != e.Skipped.Reason {
			continue // it was taken, or skipped for another reason
		}
		p.state = skipCounted
		s.places[url] = p
		s.onCount(e.Skipped, 1)
	}
	return nil
}

// countRestored counts all restored URLs, and returns their numbers by reason.
func (s *Skipped) countRestored() map[output.Reason]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	counts := make(map[output.Reason]int)
	for url, p := range s.places {
		if p.state == skipUnknown {
			counts[s.reasons[p.reason]]++
			p.state = skipCounted
			s.places[url] = p
		}
	}
	return counts
}

// mark queries which of the URLs the frontier knows. These do not count.
func (s *Skipped) mark(all []*entry) error {
	for some := range slices.Chunk(all, batchSize) {
		keys := make([]string, len(some))
		for i, e := range some {
			keys[i] = e.frontierKey()
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

// SetInFrontier records that the frontier has items. They no longer count if they were skipped.
func (s *Skipped) SetInFrontier(items []frontier.Item) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.places) == 0 {
		return // the usual case in a crawl of one site
	}
	for i := range items {
		s.setInFrontier(items[i].URL)
	}
}

// setInFrontier records that the frontier has a key. The lock is held.
func (s *Skipped) setInFrontier(key string) {
	if provenance.IsCheckKey(key) || provenance.IsRobotsKey(key) {
		return // the URL remains skipped as a page
	}
	url, _, _ := strings.Cut(key, "#")
	sitemap := provenance.IsSitemapKey(key)
	hash := s.hash(url)
	p, ok := s.places[hash]
	if !ok || p.sitemap != sitemap || p.state == skipFrontier {
		return
	}
	if p.state == skipCounted {
		s.withdraw(p, url)
	}
	p.state = skipFrontier
	s.places[hash] = p
}

// remove records that a URL is no longer skipped.
func (s *Skipped) remove(url string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	hash := s.hash(url)
	if p := s.places[hash]; p.state == skipCounted {
		s.withdraw(p, url)
	}
	delete(s.places, hash)
}

// isCounted reports whether a skipped URL counts.
func (s *Skipped) isCounted(url string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.places[s.hash(url)].state == skipCounted
}
