package results

import (
	"path/filepath"

	"github.com/politecrawl/politecrawl/crawler/internal/jsonlines"
	"github.com/politecrawl/politecrawl/crawler/internal/trap"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext"
)

// Create creates the directory of a new crawl, with state in its state file.
func (r *Writer) Create(state any) (err error) {
	if r.dir, err = Create(r.cfg.Dir, state, r.cfg.Unused...); err != nil {
		return err
	}
	return r.journal.open()
}

// Load reads the committed lengths from the frontier.
func (r *Writer) Load() error {
	note, err := r.cfg.Frontier.Note(r.cfg.Lifecycle.CommitCtx)
	if err != nil {
		return err
	}
	r.committed, err = parseNote(note)
	return err
}

// Open opens the directory of a crawl that is resumed, after Load. It truncates the files
// to their committed lengths.
func (r *Writer) Open() (err error) {
	if r.dir, err = Open(r.cfg.Dir, r.committed.Lengths, r.cfg.Unused...); err != nil {
		return err
	}
	return r.journal.open()
}

// Reset commits that all files are empty: they were renamed for a recrawl.
func (r *Writer) Reset() error {
	r.committed = committed{}
	return r.reportCommitted()
}

// reportCommitted stores the committed lengths in the frontier.
func (r *Writer) reportCommitted() error {
	_, err := r.cfg.Frontier.Finish(r.cfg.Lifecycle.CommitCtx, nil, r.committed.note())
	return err
}

// DropRejections removes lines from rejected.jsonl, after Load and before Open. The files
// of the formats are rewritten later.
func (r *Writer) DropRejections(drop func(*output.Rejection) bool) error {
	length, err := DropRejections(r.cfg.Dir, r.committed.Rejected, drop)
	if err != nil {
		return err
	}
	r.committed.Rejected = length
	for _, f := range r.cfg.Available {
		if !f.Exchanges { // the sink gets all lines again
			r.committed.setStale(f.Name)
		}
	}
	return r.reportCommitted()
}

// RestoreRobots rewrites robots.txt files that a power failure has destroyed, with the text of
// the frontier. It returns the origins whose file has another text, to request them again.
func (r *Writer) RestoreRobots(text func(origin string) ([]byte, error)) (lost []string, err error) {
	if lost, err = r.dir.RestoreRobots(text); err != nil {
		return nil, err
	}
	for _, origin := range lost {
		r.setRefetch(robotsext.Origin(origin))
	}
	return lost, nil
}

// Restore reads the journal. It calls joined for URLs whose hosts joined the crawl, and trapped
// for closed patterns.
func (r *Writer) Restore(joined func(url string) error, trapped func(*trap.ClosedPattern)) error {
	return r.journal.each(func(at int64, e *entry) error {
		switch {
		case e.Skipped != nil:
			r.Skipped.restore(at, e)
		case e.Joined != "":
			if err := joined(e.Joined); err != nil {
				return jsonlines.BadLine(err)
			}
		case e.Deferred != "", e.Resumed != "":
			return r.Deferred.restore(e)
		case e.Trap != nil:
			trapped(e.Trap)
		}
		return nil
	})
}

// RestorePages calls f for each written page, and stores the hash of its body.
func (r *Writer) RestorePages(f func(*output.Page)) error {
	return Each(r, filepath.Join(r.cfg.Dir, PagesFile), func(at int64, p *output.Page) error {
		r.duplicates.restore(p, at)
		f(p)
		return nil
	})
}
