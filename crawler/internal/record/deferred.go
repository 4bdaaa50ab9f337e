package record

import (
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/jsonlines"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext"
)

// Deferred keeps the origins whose robots.txt is unreachable. Their URLs wait in the
// frontier; those that still wait when the crawl ends go into rejected.jsonl. It is safe for
// concurrent use.
type Deferred struct {
	journal *journal

	mu      sync.Mutex // guards origins
	origins map[robotsext.Origin]*Deferral
}

// Deferral is the record of an origin whose URLs wait for its robots.txt.
type Deferral struct {
	Rejection output.Rejection // what each line about one of its URLs says
	ReachedAt time.Time        // when the last robots.txt was fetched that others had reached by then; zero: none was
}

func newDeferred(j *journal) *Deferred {
	return &Deferred{journal: j, origins: make(map[robotsext.Origin]*Deferral)}
}

// Add notes that the URLs of an origin wait for its robots.txt. Why is an example of their
// rejection, and seen the last known fetch of the robots.txt (see [Deferral]).
func (d *Deferred) Add(o robotsext.Origin, why output.Rejection, seen time.Time) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	old := d.origins[o]
	if old != nil {
		why = old.Rejection
	}
	why.URL, why.FoundOn, why.Source, why.Depth = "", "", "", 0
	d.origins[o] = &Deferral{why, seen} // a new pointer, so that an earlier Get does not match it in Resume
	if old != nil && old.ReachedAt.Equal(seen) {
		return d.journal.failed()
	}
	if _, err := d.journal.append(&entry{Deferred: o, Rejection: &why, ReachedAt: seen.UTC()}); err != nil {
		return err
	}
	return d.journal.sync() // before the frontier has the URL wait
}

// Get returns the record of the last Add for an origin; nil: it does not wait.
func (d *Deferred) Get(o robotsext.Origin) *Deferral {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.origins[o]
}

// Resume notes that the URLs of an origin no longer wait. Noted is what Get returned before
// its robots.txt was read. If Add was called since, that is newer, and the origin waits on.
func (d *Deferred) Resume(o robotsext.Origin, noted *Deferral) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if noted == nil || d.origins[o] != noted {
		return d.journal.failed()
	}
	delete(d.origins, o)
	_, err := d.journal.append(&entry{Resumed: o})
	return err
}

// All returns the origins whose URLs wait for their robots.txt, sorted, with what is noted
// of them.
func (d *Deferred) All() ([]robotsext.Origin, map[robotsext.Origin]*Deferral) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Sorted(maps.Keys(d.origins)), maps.Clone(d.origins)
}

// restore reads back an entry of the journal.
func (d *Deferred) restore(e *entry) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case e.Deferred == "":
		delete(d.origins, e.Resumed)
	case e.Rejection == nil:
		return jsonlines.BadLine(errors.New("an origin waits, and why is missing"))
	default:
		d.origins[e.Deferred] = &Deferral{*e.Rejection, e.ReachedAt}
	}
	return nil
}
