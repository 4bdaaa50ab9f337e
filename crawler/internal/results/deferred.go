package results

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

// Deferred stores the origins with an unreachable robots.txt. Their URLs wait in the frontier. At
// the end of the crawl, the URLs that still wait are written to rejected.jsonl. It is safe for
// concurrent use.
type Deferred struct {
	journal *journal

	mu      sync.Mutex // guards origins
	origins map[robotsext.Origin]*Deferral
}

// Deferral is the record of an origin with URLs that wait for its robots.txt.
type Deferral struct {
	Rejection output.Rejection // the line for each of its URLs, without the URL
	ReachedAt time.Time        // the last successful fetch that other processes had made; zero if none
}

func newDeferred(j *journal) *Deferred {
	return &Deferred{journal: j, origins: make(map[robotsext.Origin]*Deferral)}
}

// Add records that the URLs of an origin wait for its robots.txt. Why and seen are the fields
// of the [Deferral].
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
	return d.journal.sync() // before the frontier reschedules the URL
}

// Get returns the Deferral of an origin, or nil if its URLs do not wait.
func (d *Deferred) Get(o robotsext.Origin) *Deferral {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.origins[o]
}

// Resume records that the URLs of an origin no longer wait. Noted is the result of Get before
// its robots.txt was read. If Add was called since, the origin keeps waiting.
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

// All returns the deferred origins, sorted, and their Deferrals.
func (d *Deferred) All() ([]robotsext.Origin, map[robotsext.Origin]*Deferral) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Sorted(maps.Keys(d.origins)), maps.Clone(d.origins)
}

// restore applies an entry of the journal.
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
