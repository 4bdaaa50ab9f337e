package crawler

import (
	"errors"
	"fmt"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext"
)

// ended writes what is still aside, closes everything and sums up.
func (c *Crawler) ended() (*Summary, error) {
	c.ending.Lock()
	end, fault, last := c.end, c.fault, c.stats
	c.ending.Unlock()
	if c.shared != nil {
		c.shared.leave()
	}
	err := fault
	if c.books.Err() != nil { // somebody did not want to wait for Redis any longer
		end, fault, err = EndInterrupted, nil, nil
		c.notice("Redis was not told of what was fetched last; that is asked for again when the crawl goes on")
	} else if fault == nil { // else nothing can be written any more
		if err = c.recovered(); err == nil {
			err = c.writeAside(end)
		}
	}
	if err == nil {
		// Nor does the frontier know of this mark.
		err = c.out.commit(new(counted))
	}
	stats, statsErr := c.frontier.Stats(c.books)
	if statsErr != nil {
		stats = last
		if fault == nil && c.books.Err() == nil {
			err = errors.Join(err, statsErr)
		}
	}
	c.ending.Lock()
	c.stats = stats // which Status tells as long as the sinks are open
	c.ending.Unlock()
	left := stats.Pending + stats.Scheduled + stats.Leased
	if err == nil {
		c.state.Unlisted = c.tally.summary().Unlisted
		c.state.Ended = &ending{End: end, Left: left, Written: c.out.dir.Lengths().Files()}
		err = output.SaveState(c.cfg.Output, c.state)
	}
	err = errors.Join(err, c.close())
	hosts, noted := c.aside.waiting()
	c.tally.count(func(s *Summary) {
		s.End = end
		for _, h := range hosts {
			s.Waiting = append(s.Waiting, string(h))
			s.WaitingWhy = append(s.WaitingWhy, noted[h].why.Detail)
		}
		s.Left = left
		s.Hosts = stats.Hosts
		if s.Left > 0 {
			s.NextDue = stats.NextDue
		}
	})
	sum := c.tally.summary()
	if c.shared != nil {
		sum.Shared = c.shared.about()
	}
	if err != nil {
		sum.End = EndFailed
		err = fmt.Errorf("crawler: %w", err)
	}
	c.logEnded(&sum, err)
	return &sum, err
}

// writeAside writes what was left alone until the end. The frontier's note does
// not know of it: a crawl that goes on cuts it off first.
func (c *Crawler) writeAside(end End) error {
	w := &rejector{c: c}
	if err := c.aside.each(w.left); err != nil {
		return err
	}
	if err := w.flush(); err != nil {
		return err
	}
	origins, noted := c.aside.waiting()
	for _, o := range origins {
		if err := w.unreached(o, &noted[o].why); err != nil {
			return err
		}
	}
	if end == EndLater {
		if err := w.blocked(noted); err != nil {
			return err
		}
	}
	return w.flush()
}

// rejector writes lines of rejected.jsonl, many at a time.
type rejector struct {
	c       *Crawler
	batch   output.Batch
	entries []*entry // aside, unless the frontier knows them
	urls    []string
	n       int
	blocks  map[robotsext.Origin]block // see blockOf
}

// rejectBatch is how many lines are written at a time.
const rejectBatch = 1000

// left takes a URL that is aside.
func (w *rejector) left(e *entry) error {
	w.entries, w.urls = append(w.entries, e), append(w.urls, e.key())
	if len(w.entries) < rejectBatch {
		return nil
	}
	return w.flush()
}

func (w *rejector) write(r *output.Rejection) error {
	if err := w.batch.Reject(r); err != nil {
		return err
	}
	if w.n++; w.n%rejectBatch > 0 {
		return nil
	}
	return w.flush()
}

func (w *rejector) flush() error {
	if len(w.entries) > 0 {
		known, err := w.c.frontier.Known(w.c.books, w.urls)
		if err != nil {
			return err
		}
		entries, urls := w.entries, w.urls
		w.entries, w.urls = nil, nil
		for i, e := range entries {
			if known[i] { // it was taken up after all
				w.c.aside.added([]frontier.Item{{URL: urls[i]}})
				continue
			}
			if e.Left.Announced = w.c.aside.isCounted(e.Left.URL); !e.Left.Announced {
				w.c.tally.reject(e.Left.Reason, 1)
			}
			if err := w.write(e.Left); err != nil {
				return err
			}
		}
	}
	defer w.batch.Reset()
	return w.c.out.write(&w.batch)
}

// close closes what open has opened.
func (c *Crawler) close() error {
	c.learning.Lock()
	defer c.learning.Unlock()
	c.closed = true
	var errs []error
	if c.sitemaps != nil {
		c.sitemaps.CloseIdleConnections() // those of the pages too: they share a transport
	}
	if c.shared != nil && c.shared.quit != nil {
		c.shared.end()
	}
	errs = append(errs, c.out.close()) // while a sink that watches the crawl can still look at the frontier
	if c.frontier != nil {
		errs = append(errs, c.frontier.Close())
	}
	if c.ledger != nil {
		errs = append(errs, c.ledger.copies.close())
	}
	if c.lock != nil {
		errs = append(errs, c.lock.Close())
	}
	return errors.Join(errs...)
}
