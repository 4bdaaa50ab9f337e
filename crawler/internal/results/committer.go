package results

import (
	"errors"
	"slices"
	"sync"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// commitEntry is the outcome of one URL.
type commitEntry struct {
	outcome frontier.Outcome
	page    *output.Page // nil: the URL has no line in pages.jsonl
	lines   Batch        // of the other files

	done bool // committed, or failed with err
	err  error
}

// A committer commits the outcomes of all workers in batches. The worker that holds mu commits its
// own outcome and those that wait for mu.
type committer struct {
	waitingMu sync.Mutex     // guards waiting; nobody writes while holding it
	waiting   []*commitEntry // not done

	mu     sync.Mutex // guards the fields below, and the fields of entries that are not done
	ready  []*commitEntry
	batch  Batch
	failed error // after a failure nothing is written
}

// maxEntries is the maximum number of entries that are written at once.
const maxEntries = 256

// Commit writes the page of a URL, unless it is nil, and its lines in other files. Then it
// reports the outcome to the frontier. When Commit returns, all of it is permanent.
//
// The lines come first. The leases are finished together with the new lengths of the files. So a
// crash in between neither loses a page nor leaves a page twice: a resumed crawl truncates the files
// to the lengths in the frontier, and fetches those URLs again.
func (r *Writer) Commit(outcome frontier.Outcome, page *output.Page, lines Batch) error {
	e := &commitEntry{outcome: outcome, page: page, lines: lines}
	c := &r.committer
	c.waitingMu.Lock()
	c.waiting = append(c.waiting, e)
	c.waitingMu.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	for !e.done {
		c.take()
		if c.failed == nil {
			c.failed = r.commitAll(c.ready, &c.batch)
		}
		for _, e := range c.ready {
			e.done, e.err = true, c.failed
		}
	}
	return e.err
}

// take makes the entries ready that have waited longest.
func (c *committer) take() {
	c.waitingMu.Lock()
	defer c.waitingMu.Unlock()
	n := min(len(c.waiting), maxEntries)
	c.ready = append(c.ready[:0], c.waiting[:n]...)
	c.waiting = slices.Delete(c.waiting, 0, n)
}

// commitAll commits entries. It reuses batch.
func (r *Writer) commitAll(ready []*commitEntry, batch *Batch) error {
	batch.Reset()
	outcomes := make([]frontier.Outcome, len(ready))
	for i, e := range ready {
		outcomes[i] = e.outcome
		if e.page != nil {
			if err := r.duplicates.mark(e.page, r.dir.Lengths().Pages, batch.PageLines()); err != nil {
				return err
			}
			if err := Pages.Add(batch, e.page); err != nil {
				return err
			}
		}
		batch.Join(&e.lines)
	}
	if err := r.write(batch); err != nil {
		return err
	}
	if err := r.commit(&r.committed); err != nil {
		return err
	}
	errs, err := r.cfg.Frontier.Finish(r.cfg.Lifecycle.CommitCtx, outcomes, r.committed.note())
	if err != nil {
		return err
	}
	for _, err := range errs {
		// If a lease was lost, another worker has the URL. The links are stored.
		if err != nil && !errors.Is(err, frontier.ErrLeaseLost) {
			return err
		}
	}
	return nil
}
