package record

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// committer commits outcomes: first it writes the lines of the output, then it reports, to
// the frontier, the end of the leases together with how long the files are then. So a crash
// in between loses no page and leaves none twice: a crawl that resumes cuts off what the
// files hold beyond the lengths in the frontier, and fetches those URLs again.
//
// One goroutine does it, and takes what all workers have ready at a time.
type committer struct {
	ctx        context.Context // of reports to the frontier
	frontier   frontier.Frontier
	out        *outputs
	committed  *committed // as the frontier knows it
	duplicates *duplicates
	onPage     func(*output.Page)    // called with each line of pages.jsonl
	onQueued   func([]frontier.Item) // called with what was added to the frontier

	queue chan *commitEntry
	batch output.Batch
}

// commitEntry is the outcome of one URL.
type commitEntry struct {
	outcome frontier.Outcome
	page    *output.Page // nil: the URL has no line in pages.jsonl
	lines   output.Batch // of the other files
	done    chan error
}

// maxEntries is how many entries are written at a time, at the most.
const maxEntries = 256

func newCommitter(cfg *Config, out *outputs, c *committed) *committer {
	return &committer{
		ctx: cfg.CommitCtx, frontier: cfg.Frontier, out: out, committed: c,
		duplicates: newDuplicates(filepath.Join(cfg.Dir, output.PagesFile)),
		onPage:     cfg.OnPage, onQueued: func([]frontier.Item) {},
		queue: make(chan *commitEntry, maxEntries),
	}
}

// commit writes down the outcome of a URL. When it returns, that is for good.
func (c *committer) commit(e *commitEntry) error {
	e.done = make(chan error, 1)
	c.queue <- e
	return <-e.done
}

// run writes entries until queue is closed.
func (c *committer) run() {
	ready := make([]*commitEntry, 0, maxEntries)
	var failed error // after which nothing is written any more
	for first := range c.queue {
		ready = append(ready[:0], first)
		for more := true; more && len(ready) < maxEntries; {
			select {
			case e, ok := <-c.queue:
				if more = ok; ok {
					ready = append(ready, e)
				}
			default:
				more = false
			}
		}
		if failed == nil {
			failed = c.write(ready)
		}
		for _, e := range ready {
			e.done <- failed
		}
	}
}

// write writes some entries.
func (c *committer) write(ready []*commitEntry) error {
	c.batch.Reset()
	outcomes := make([]frontier.Outcome, len(ready))
	for i, e := range ready {
		outcomes[i] = e.outcome
		if e.page != nil {
			if err := c.duplicates.mark(e.page, c.out.dir.Lengths().Pages, c.batch.PageLines()); err != nil {
				return err
			}
			if err := c.batch.Page(e.page); err != nil {
				return err
			}
		}
		c.batch.Join(&e.lines)
	}
	if err := c.out.write(&c.batch); err != nil {
		return err
	}
	if err := c.out.commit(c.committed); err != nil {
		return err
	}
	errs, err := c.frontier.Finish(c.ctx, outcomes, c.committed.note())
	if err != nil {
		return err
	}
	for _, err := range errs {
		// A lost lease was dealt with by another worker; its links are stored.
		if err != nil && !errors.Is(err, frontier.ErrLeaseLost) {
			return err
		}
	}
	for _, e := range ready {
		if e.page != nil {
			c.onPage(e.page)
		}
		c.onQueued(e.outcome.Links)
	}
	return nil
}
