package crawler

import (
	"maps"
	"sync"
	"time"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// End says why a crawl ended.
type End string

// The ends. Scripts rely on their spelling.
const (
	EndFinished    End = "finished"    // nothing was left to fetch
	EndMaxPages    End = "max-pages"   // the limit was reached
	EndMaxTime     End = "max-time"    // the limit was reached
	EndLater       End = "later"       // only hosts that cannot be asked yet were left
	EndInterrupted End = "interrupted" // the context of Run ended
	EndFailed      End = "failed"      // Run returned an error
)

// Summary is what a crawl did, in numbers.
type Summary struct {
	End      End                   `json:"end"`
	Pages    int                   `json:"pages"`    // lines of pages.jsonl
	Statuses map[int]int           `json:"statuses"` // pages by status
	Rejected map[output.Reason]int `json:"rejected"` // lines of rejected.jsonl by reason
	Robots   int                   `json:"robots"`   // fetches of a robots.txt
	Sitemaps int                   `json:"sitemaps"` // sitemap files read
	Entries  int                   `json:"entries"`  // page URLs found in them
	Hosts    int                   `json:"hosts"`    // that URLs of the crawl are on
	Joined   []string              `json:"joined,omitempty"`
	Left     int                   `json:"left"` // URLs that still wait in the frontier
	NextDue  time.Time             `json:"next_due,omitzero"`
	Began    time.Time             `json:"began"`
	Took     time.Duration         `json:"took_ns"`
	Output   string                `json:"output"`
}

// tally collects the numbers of a Summary from all workers.
type tally struct {
	mu  sync.Mutex // guards sum
	sum Summary
}

func newTally(out string) *tally {
	return &tally{sum: Summary{
		Statuses: make(map[int]int), Rejected: make(map[output.Reason]int),
		Began: time.Now(), Output: out,
	}}
}

// count changes the numbers under the lock.
func (t *tally) count(change func(*Summary)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	change(&t.sum)
}

// summary returns a copy as of now.
func (t *tally) summary() Summary {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.sum
	s.Statuses, s.Rejected = maps.Clone(s.Statuses), maps.Clone(s.Rejected)
	s.Took = time.Since(s.Began)
	return s
}
