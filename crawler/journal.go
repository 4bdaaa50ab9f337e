package crawler

import (
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/trap"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext"
)

// journalFile is the name of the journal in the directory of a crawl.
const journalFile = "journal.jsonl"

// journal is what a crawl has to remember beside its frontier: URLs left aside,
// hosts that joined the scope, origins whose robots.txt cannot be reached. It is a
// file that only grows; what an entry says holds until a later one says
// otherwise. It is safe for concurrent use. A nil journal remembers nothing.
type journal struct {
	name  string
	log   *output.Log
	power bool // what counts at once is to outlive the machine; see settle

	passOver func(error) error // decides about damaged lines, as Crawler.passOver; nil: they are an error
}

// entry is a line of the journal. It says one of the things below.
type entry struct {
	// Left is a URL that is not in the frontier, with the rest of what its item
	// would be there.
	Left     *output.Rejection `json:"left,omitempty"`
	Priority uint8             `json:"priority,omitempty"`
	Meta     []byte            `json:"meta,omitempty"`

	// Joined is a URL whose host belongs to the crawl since a start URL led
	// there.
	Joined string `json:"joined,omitempty"`

	// Later is an origin whose robots.txt cannot be reached, with what there is to
	// say of each of its URLs, and when it was fetched that others could reach until
	// then. Back is one that can be reached again.
	Later robotsext.Origin  `json:"later,omitempty"`
	Why   *output.Rejection `json:"why,omitempty"`
	Seen  time.Time         `json:"seen,omitzero"`
	Back  robotsext.Origin  `json:"back,omitempty"`

	// Trap is a pattern of URLs that was closed.
	Trap *trap.ClosedPattern `json:"trap,omitempty"`
}

// openJournal opens the journal, or begins one.
func openJournal(name string, power bool) (*journal, error) {
	log, err := output.OpenLog(name)
	if err != nil {
		return nil, err
	}
	return &journal{name: name, log: log, power: power}, nil
}

// append writes entries and returns where each begins.
func (j *journal) append(entries ...*entry) (at []int64, err error) {
	at = make([]int64, len(entries))
	if j == nil {
		return at, nil
	}
	var text []byte
	for i, e := range entries {
		at[i] = int64(len(text))
		if text, err = output.Line(text, e); err != nil {
			return nil, err
		}
	}
	start, err := j.log.Append(text)
	for i := range at {
		at[i] += start
	}
	return at, err
}

// settle returns when what was appended is as safe as the crawl wants its state to be. Most
// entries need no more than the sync of a commit, since what depends on them comes with it.
func (j *journal) settle() error {
	if j == nil || !j.power {
		return nil
	}
	return j.log.Sync()
}

// each calls f for everything that had been written when it was called, with
// where it begins, until f fails.
func (j *journal) each(f func(at int64, e *entry) error) error {
	err := output.Each(j.name, f)
	if j.passOver == nil {
		return err
	}
	return j.passOver(err)
}

// length returns how long the journal is.
func (j *journal) length() int64 {
	if j == nil {
		return 0
	}
	return j.log.Length()
}

func (j *journal) close() error { return j.log.Close() }
