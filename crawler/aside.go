package crawler

import (
	"maps"
	"slices"
	"sync"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// aside keeps the URLs that are left alone for now: out of scope, too deep,
// waiting for an unreachable robots.txt. Each may still be taken up, because the
// scope grew, a shorter way was found or the host came back; so it goes into
// rejected.jsonl only when the crawl has ended. A set that is full is written
// early. It is safe for concurrent use.
type aside struct {
	max    int
	reject func(*output.Rejection) error

	mu      sync.Mutex            // guards all below
	waiting map[string]asideEntry // by URL
	written map[string]bool       // URLs that were written since the set was full
	laters  int                   // how many of waiting are there for an unreachable robots.txt
}

type asideEntry struct {
	rejection output.Rejection
	item      frontier.Item
}

// asideMax bounds the set: about 300 bytes each.
const asideMax = 1 << 20

func newAside(limit int, reject func(*output.Rejection) error) *aside {
	return &aside{max: limit, reject: reject, waiting: make(map[string]asideEntry), written: make(map[string]bool)}
}

// put leaves a URL aside.
func (s *aside) put(r output.Rejection, item frontier.Item) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	old, ok := s.waiting[r.URL]
	if ok && (weak(r.Reason) || !weak(old.rejection.Reason)) || s.written[r.URL] {
		return nil
	}
	if ok || len(s.waiting) < s.max {
		if r.Reason == output.Later && !ok {
			s.laters++
		}
		s.waiting[r.URL] = asideEntry{rejection: r, item: item}
		return nil
	}
	if len(s.written) < s.max { // beyond that a URL may be listed twice, never lost
		s.written[r.URL] = true
	}
	return s.reject(&r)
}

// weak tells whether a reason is that of the place where a URL was found. One
// that holds for the URL itself says more, and takes its place.
func weak(r output.Reason) bool {
	return r == output.Nofollow || r == output.NotEntitled || r == output.Unchanged
}

// drop forgets a URL that was taken up after all.
func (s *aside) drop(url string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.waiting[url].rejection.Reason == output.Later {
		s.laters--
	}
	delete(s.waiting, url)
}

// later counts the URLs that wait for an unreachable robots.txt.
func (s *aside) later() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.laters
}

// take removes and returns the items that are out of scope by an older state of
// the scope and pass the test now.
func (s *aside) take(pass func(url string) bool) []frontier.Item {
	s.mu.Lock()
	defer s.mu.Unlock()
	var items []frontier.Item
	for url, e := range s.waiting {
		if e.rejection.Reason == output.OutOfScope && pass(url) {
			items = append(items, e.item)
			delete(s.waiting, url)
		}
	}
	return items
}

// flush writes what is still aside, in the order of the URLs.
func (s *aside) flush() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, url := range slices.Sorted(maps.Keys(s.waiting)) {
		r := s.waiting[url].rejection
		if err := s.reject(&r); err != nil {
			return err
		}
		delete(s.waiting, url)
	}
	return nil
}
