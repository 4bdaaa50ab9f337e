package results

import (
	"sync"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/jsonlines"
	"github.com/politecrawl/politecrawl/crawler/internal/trap"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext"
)

// journal stores the state of a crawl that the frontier does not have: skipped URLs, hosts that
// joined the scope, deferred origins. It is a file to which entries are appended. Later entries
// override earlier ones. It is safe for concurrent use. It stores nothing without a directory, as
// in a plan.
type journal struct {
	w *Writer

	mu    sync.Mutex // guards fault
	fault error      // error of a write; after it nothing may depend on the last lines
}

// entry is a line of the journal. It sets one of these fields.
type entry struct {
	// Skipped is a URL that is not in the frontier, with the other fields of its item.
	Skipped  *output.Rejection `json:"skipped,omitempty"`
	Kind     frontier.Kind     `json:"kind,omitempty"`
	Owner    string            `json:"owner,omitempty"`
	Priority uint8             `json:"priority,omitempty"`
	Meta     []byte            `json:"meta,omitempty"`

	// Joined is a URL whose host belongs to the crawl since a start URL led there.
	Joined string `json:"joined,omitempty"`

	// Deferred is an origin with an unreachable robots.txt, and the fields of its Deferral. Resumed
	// is an origin when its robots.txt was reached again.
	Deferred  robotsext.Origin  `json:"deferred,omitempty"`
	Rejection *output.Rejection `json:"rejection,omitempty"`
	ReachedAt time.Time         `json:"reached_at,omitzero"`
	Resumed   robotsext.Origin  `json:"resumed,omitempty"`

	// Trap is a pattern of URLs that was closed.
	Trap *trap.ClosedPattern `json:"trap,omitempty"`
}

// append writes entries and returns their offsets. After a failure it always returns the same
// error.
func (j *journal) append(entries ...*entry) (at []int64, err error) {
	at = make([]int64, len(entries))
	if j.w.cfg.Dir == "" {
		return at, nil
	}
	var text []byte
	for i, e := range entries {
		at[i] = int64(len(text))
		if text, err = jsonlines.Line(text, e); err != nil {
			return nil, err
		}
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.fault != nil {
		return nil, j.fault
	}
	start, err := j.w.dir.file(journalLog).Append(text)
	j.fault = err
	for i := range at {
		at[i] += start
	}
	return at, err
}

// failed returns the first error of append or sync, or nil.
func (j *journal) failed() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.fault
}

// sync makes the appended entries as durable as the crawl is configured to be. Most entries do
// not need it: the commit that depends on them syncs the journal too.
func (j *journal) sync() error {
	if j.w.cfg.Dir == "" || !j.w.cfg.Power {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.fault == nil {
		j.fault = j.w.dir.file(journalLog).Sync()
	}
	return j.fault
}

// each calls f for each entry that is written when each is called, with its offset, until f
// fails.
func (j *journal) each(f func(at int64, e *entry) error) error {
	return j.w.skipDamage(jsonlines.Each(j.w.path(JournalFile), f))
}
