package crawler

import (
	"maps"
	"slices"
	"sync"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// aside keeps what is left alone for now. That is, first, URLs which are not in
// the frontier: out of scope, too deep, behind nofollow; each may still be taken
// up, because the scope grew or another way was found. And second, those in the
// frontier whose robots.txt is unreachable. What is still aside when the crawl
// ends goes into rejected.jsonl. It is safe for concurrent use.
type aside struct {
	max    int
	reject func(*output.Rejection) error

	mu      sync.Mutex                  // guards all below
	left    map[string]left             // by URL
	written map[string]bool             // URLs that were written since left was full
	later   map[string]output.Rejection // by the frontier's key
}

// left is a URL that is not in the frontier, and the item it would be there.
type left struct {
	rejection output.Rejection
	at        address
	item      frontier.Item
}

// asideMax bounds left: at about 500 bytes each, some 500 MB.
const asideMax = 1 << 20

func newAside(limit int, reject func(*output.Rejection) error) *aside {
	return &aside{
		max: limit, reject: reject,
		left: make(map[string]left), written: make(map[string]bool), later: make(map[string]output.Rejection),
	}
}

// put leaves a URL aside. When the set is full it is written at once.
func (s *aside) put(l left) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	url := l.rejection.URL
	old, ok := s.left[url]
	if ok && (weak(l.rejection.Reason) || !weak(old.rejection.Reason)) || s.written[url] {
		return nil
	}
	if ok || len(s.left) < s.max {
		s.left[url] = l
		return nil
	}
	if len(s.written) < s.max { // beyond that a URL may be listed twice, never lost
		s.written[url] = true
	}
	return s.reject(&l.rejection)
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
	delete(s.left, url)
}

// take removes and returns what is out of scope by an older state of the scope
// and passes the test now.
func (s *aside) take(pass func(address) bool) []left {
	s.mu.Lock()
	defer s.mu.Unlock()
	var taken []left
	for url, l := range s.left {
		if l.rejection.Reason == output.OutOfScope && pass(l.at) {
			taken = append(taken, l)
			delete(s.left, url)
		}
	}
	return taken
}

// wait notes that a URL of the frontier waits for its robots.txt.
func (s *aside) wait(key string, r output.Rejection) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.later[key] = r
}

// resume notes that it no longer does.
func (s *aside) resume(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.later, key)
}

// waiting counts the URLs that wait for their robots.txt.
func (s *aside) waiting() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.later)
}

// flush writes what is still aside, in the order of the URLs.
func (s *aside) flush() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, url := range slices.Sorted(maps.Keys(s.left)) {
		r := s.left[url].rejection
		if err := s.reject(&r); err != nil {
			return err
		}
	}
	for _, key := range slices.Sorted(maps.Keys(s.later)) {
		r := s.later[key]
		if err := s.reject(&r); err != nil {
			return err
		}
	}
	clear(s.left)
	clear(s.later)
	return nil
}
