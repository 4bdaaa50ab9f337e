package record

import (
	"errors"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/crawldir"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// commitEntry is the outcome of one URL.
type commitEntry struct {
	outcome frontier.Outcome
	page    *output.Page   // nil: the URL has no line in pages.jsonl
	lines   crawldir.Batch // of the other files
	done    chan error
}

// maxEntries is the maximum number of entries that are written at once.
const maxEntries = 256

// Commit writes the page of a URL, unless it is nil, and its lines in other files. Then it
// reports the outcome to the frontier. When Commit returns, all of it is permanent.
func (r *Recorder) Commit(outcome frontier.Outcome, page *output.Page, lines crawldir.Batch) error {
	e := &commitEntry{outcome: outcome, page: page, lines: lines, done: make(chan error, 1)}
	r.queue <- e
	return <-e.done
}

// commitQueue commits outcomes until the queue is closed. It first writes the lines of the
// output. Then it finishes the leases in the frontier, together with the new lengths of the
// files. So a crash in between neither loses a page nor leaves a page twice: a resumed crawl
// truncates the files to the lengths in the frontier, and fetches those URLs again.
//
// One goroutine commits the outcomes of all workers, in batches.
func (r *Recorder) commitQueue() {
	ready := make([]*commitEntry, 0, maxEntries)
	var batch crawldir.Batch
	var failed error // after a failure nothing is written
	for first := range r.queue {
		ready = append(ready[:0], first)
		for more := true; more && len(ready) < maxEntries; {
			select {
			case e, ok := <-r.queue:
				if more = ok; ok {
					ready = append(ready, e)
				}
			default:
				more = false
			}
		}
		if failed == nil {
			failed = r.commitAll(ready, &batch)
		}
		for _, e := range ready {
			e.done <- failed
		}
	}
}

// commitAll commits entries. It reuses batch.
func (r *Recorder) commitAll(ready []*commitEntry, batch *crawldir.Batch) error {
	batch.Reset()
	outcomes := make([]frontier.Outcome, len(ready))
	for i, e := range ready {
		outcomes[i] = e.outcome
		if e.page != nil {
			if err := r.duplicates.mark(e.page, r.dir.Lengths().Pages, batch.PageLines()); err != nil {
				return err
			}
			if err := batch.Page(e.page); err != nil {
				return err
			}
			if err := r.previousLinks.addTo(batch, e.page); err != nil {
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
	errs, err := r.cfg.Frontier.Finish(r.cfg.CommitCtx, outcomes, r.committed.note())
	if err != nil {
		return err
	}
	for _, err := range errs {
		// If a lease was lost, another worker has the URL. The links are stored.
		if err != nil && !errors.Is(err, frontier.ErrLeaseLost) {
			return err
		}
	}
	for _, e := range ready {
		if e.page != nil {
			r.cfg.OnPage(e.page)
		}
		r.Skipped.SetInFrontier(e.outcome.Links)
	}
	return nil
}
