package results

import (
	"sync"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/jsonlines"
	"github.com/politecrawl/politecrawl/crawler/internal/trap"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext"
)

// JournalFile is the name of the journal in the directory of a crawl.
const JournalFile = "journal.jsonl"

// journal stores the state of a crawl that the frontier does not have: skipped URLs, hosts
// that joined the scope, origins whose robots.txt is unreachable. It is a file to which
// entries are appended. Later entries override earlier ones. It is safe for concurrent use. A
// nil journal stores nothing.
type journal struct {
	name    string
	power   bool // sync makes entries survive a power failure
	damages *damages
	log     *jsonlines.Log // nil: not open

	mu    sync.Mutex // guards fault
	fault error      // error of a write; after it nothing may depend on the last lines
}

// entry is a line of the journal. It sets one of these fields.
type entry struct {
	// Skipped is a URL that is not in the frontier, with the other fields of its item.
	Skipped  *output.Rejection `json:"skipped,omitempty"`
	Priority uint8             `json:"priority,omitempty"`
	Meta     []byte            `json:"meta,omitempty"`

	// Joined is a URL whose host belongs to the crawl since a start URL led there.
	Joined string `json:"joined,omitempty"`

	// Deferred is an origin whose robots.txt is unreachable, with the fields of its
	// Deferral. Resumed is an origin whose robots.txt was reached again.
	Deferred  robotsext.Origin  `json:"deferred,omitempty"`
	Rejection *output.Rejection `json:"rejection,omitempty"`
	ReachedAt time.Time         `json:"reached_at,omitzero"`
	Resumed   robotsext.Origin  `json:"resumed,omitempty"`

	// Trap is a pattern of URLs that was closed.
	Trap *trap.ClosedPattern `json:"trap,omitempty"`
}

// open opens the journal, or creates it.
func (j *journal) open() (err error) {
	j.log, err = jsonlines.OpenLog(j.name)
	return err
}

// append writes entries and returns their offsets. After a failure it always returns the same
// error.
func (j *journal) append(entries ...*entry) (at []int64, err error) {
	if j == nil {
		return make([]int64, len(entries)), nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.fault == nil {
		at, j.fault = j.write(entries)
	}
	return at, j.fault
}

func (j *journal) write(entries []*entry) (at []int64, err error) {
	at = make([]int64, len(entries))
	var text []byte
	for i, e := range entries {
		at[i] = int64(len(text))
		if text, err = jsonlines.Line(text, e); err != nil {
			return nil, err
		}
	}
	start, err := j.log.Append(text)
	for i := range at {
		at[i] += start
	}
	return at, err
}

// failed returns the first error of append or sync, or nil.
func (j *journal) failed() error {
	if j == nil {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.fault
}

// sync makes the appended entries as durable as the crawl is configured to be. Most entries do
// not need it: the commit that depends on them syncs the journal too.
func (j *journal) sync() error {
	if j == nil || !j.power {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.fault == nil {
		j.fault = j.log.Sync()
	}
	return j.fault
}

// each calls f for each entry that is written when each is called, with its offset, until f
// fails.
func (j *journal) each(f func(at int64, e *entry) error) error {
	return j.damages.skip(jsonlines.Each(j.name, f))
}

// length returns the length of the journal in bytes.
func (j *journal) length() int64 {
	if j == nil || j.log == nil {
		return 0
	}
	return j.log.Length()
}

func (j *journal) close() error {
	if j == nil || j.log == nil {
		return nil
	}
	return j.log.Close()
}
