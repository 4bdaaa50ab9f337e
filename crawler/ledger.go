package crawler

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// ledger writes down what becomes of URLs: first the lines of the output, then, in
// the frontier, the end of the leases together with how long the files are then.
// So a crash in between loses no page and leaves none twice: when the crawl goes
// on, what the files hold beyond the lengths in the frontier is cut off, and its
// URLs are fetched again.
//
// One goroutine does it, and takes what all workers have ready at a time.
type ledger struct {
	books    context.Context // of telling the frontier
	frontier frontier.Frontier
	out      *outputs
	counted  counted // as the frontier knows it
	copies   *copies
	wrote    func(*output.Page)    // told of each line of pages.jsonl
	added    func([]frontier.Item) // told of what was added to the frontier

	work  chan *posting
	batch output.Batch
}

// posting is what became of one URL.
type posting struct {
	outcome frontier.Outcome
	page    *output.Page // nil: the URL brought no line of pages.jsonl
	lines   output.Batch // of the other files
	done    chan error
}

// maxPostings is how many postings are written at a time, at the most.
const maxPostings = 256

func newLedger(books context.Context, f frontier.Frontier, out *outputs, c counted, wrote func(*output.Page)) *ledger {
	return &ledger{
		books: books, frontier: f, out: out, counted: c, wrote: wrote, added: func([]frontier.Item) {},
		copies: newCopies(filepath.Join(out.dir.Path(), output.PagesFile)),
		work:   make(chan *posting, maxPostings),
	}
}

// post writes down what became of a URL. When it returns, that is for good.
func (l *ledger) post(p *posting) error {
	p.done = make(chan error, 1)
	l.work <- p
	return <-p.done
}

// run writes postings until work is closed.
func (l *ledger) run() {
	ready := make([]*posting, 0, maxPostings)
	var failed error // after which nothing is written any more
	for first := range l.work {
		ready = append(ready[:0], first)
		for more := true; more && len(ready) < maxPostings; {
			select {
			case p, ok := <-l.work:
				if more = ok; ok {
					ready = append(ready, p)
				}
			default:
				more = false
			}
		}
		if failed == nil {
			failed = l.write(ready)
		}
		for _, p := range ready {
			p.done <- failed
		}
	}
}

// write writes some postings.
func (l *ledger) write(ready []*posting) error {
	l.batch.Reset()
	outcomes := make([]frontier.Outcome, len(ready))
	for i, p := range ready {
		outcomes[i] = p.outcome
		if p.page != nil {
			if err := l.copies.mark(p.page, l.out.dir.Lengths().Pages, l.batch.PageLines()); err != nil {
				return err
			}
			if err := l.batch.Page(p.page); err != nil {
				return err
			}
		}
		l.batch.Join(&p.lines)
	}
	if err := l.out.write(&l.batch); err != nil {
		return err
	}
	if err := l.out.commit(&l.counted); err != nil {
		return err
	}
	errs, err := l.frontier.Finish(l.books, outcomes, l.counted.bytes())
	if err != nil {
		return err
	}
	for _, err := range errs {
		// A lost lease was dealt with by another worker; its links are stored.
		if err != nil && !errors.Is(err, frontier.ErrLeaseLost) {
			return err
		}
	}
	for _, p := range ready {
		if p.page != nil {
			l.wrote(p.page)
		}
		l.added(p.outcome.Links)
	}
	return nil
}
