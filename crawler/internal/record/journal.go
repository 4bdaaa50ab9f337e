package record

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

// journal is the state of a crawl besides its frontier: skipped URLs, hosts that joined the
// scope, origins whose robots.txt is unreachable. It is a file that only grows; later
// entries override earlier ones. It is safe for concurrent use. A nil journal stores
// nothing.
type journal struct {
	name        string
	power       bool              // what counts at once is to outlive the machine; see sync
	skipDamaged func(error) error // decides about damaged lines; see Recorder.skipDamaged
	log         *jsonlines.Log    // nil: not open

	mu    sync.Mutex // guards fault
	fault error      // writing failed with this, so nothing may rely on the last lines
}

// entry is a line of the journal. It sets one of these fields.
type entry struct {
	// Skipped is a URL that is not in the frontier, with the rest of what its item
	// would be there.
	Skipped  *output.Rejection `json:"skipped,omitempty"`
	Priority uint8             `json:"priority,omitempty"`
	Meta     []byte            `json:"meta,omitempty"`

	// Joined is a URL whose host belongs to the crawl since a start URL led there.
	Joined string `json:"joined,omitempty"`

	// Deferred is an origin whose robots.txt is unreachable, with what each line about one
	// of its URLs says, and when the last robots.txt was fetched that was reached until
	// then. Resumed is an origin whose robots.txt was reached again.
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

// append writes entries and returns where each begins. After the first failure it fails with
// the same error.
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

// failed returns the error that append or sync has failed with; nil: neither has.
func (j *journal) failed() error {
	if j == nil {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.fault
}

// sync returns when what was appended is as safe as the crawl wants its state to be. Most
// entries need no more than the sync of a commit, since what depends on them comes with it.
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

// each calls f for everything that had been written when it was called, with
// where it begins, until f fails.
func (j *journal) each(f func(at int64, e *entry) error) error {
	return j.skipDamaged(jsonlines.Each(j.name, f))
}

// length returns how long the journal is.
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
