// Package results has the files of a crawl: one table of JSON lines files, robots.txt files, the journal and the
// state. Package output has the types of the lines, and reads them. A [Writer] writes the files in an order that
// survives a kill.
//
// State lives in several files. Each is written before anything that depends on it:
//
//   - The journal gets, at once, what the frontier does not have: skipped URLs, hosts that
//     joined the crawl, origins whose robots.txt is unreachable, closed patterns of URLs.
//   - The files of the directory get the lines of a page, and the sinks their own format.
//   - The frontier gets the end of the lease and the lengths of the files last, in one write.
//
// If the crawl is killed in between, the resumed crawl truncates the files to the lengths in
// the frontier, and fetches those URLs again. So no page is lost, and none is written twice.
package results

import (
	"errors"
	"log/slog"
	"path/filepath"
	"sync"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/jsonlines"
	"github.com/politecrawl/politecrawl/crawler/internal/lifecycle"
	"github.com/politecrawl/politecrawl/crawler/internal/scope"
	"github.com/politecrawl/politecrawl/crawler/internal/trap"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext"
)

// Config has the settings of a [Writer].
type Config struct {
	Dir       string          // directory of the crawl; if empty, nothing is written, as for a plan
	Formats   []output.Format // formats to write besides the files of Dir
	Available []output.Format // all known formats
	Power     bool            // written data must survive a power failure
	Resume    bool            // the crawl in Dir is resumed
	Unused    []string        // files of Dir that the settings do not need; only a line creates them

	Frontier  frontier.Frontier
	Lifecycle *lifecycle.Lifecycle
	Scope     *scope.Scope
	Log       *slog.Logger
}

// Writer writes the results of a crawl. Use it in this order: New; then Create, or Load, Reset for a recrawl, CheckFormats,
// DropRejections and Open; then OpenSinks and FillSinks; in a resumed crawl Restore, LoadPrevious, RestoreLines and
// RestoreRobots; then Commit and the methods that record something, which are safe for concurrent use; then
// WriteRejected and Flush. Close may be called at any time.
type Writer struct {
	// Skipped are URLs that are skipped for now, and Deferred origins with URLs that wait.
	Skipped  *Skipped
	Deferred *Deferred

	cfg       Config
	dir       *Dir // nil if not open
	journal   *journal
	sinks     []sink
	committed committed // as the frontier knows it
	committer committer

	duplicates *duplicates
	previous   previous
	lost       bool // files have lost data; see OpenSinks

	robotsWritten int64 // bytes of robots.jsonl that the sinks have; used by the committer only

	mu      sync.Mutex                // guards all below, and the order of robots.jsonl and unfiled
	unfiled output.Results            // for the sinks, with the next write
	refetch map[robotsext.Origin]bool // origins whose robots.txt a file or an archive lacks
	damages []output.Loss             // files with damaged lines, each once
}

// New returns a writer. It opens nothing.
func New(cfg Config) *Writer {
	w := &Writer{cfg: cfg, refetch: make(map[robotsext.Origin]bool)}
	w.duplicates = newDuplicates(w.path(Pages.name))
	w.journal = &journal{w: w}
	w.Deferred = newDeferred(w.journal)
	w.Skipped = newSkipped(w)
	return w
}

func (w *Writer) path(name string) string { return filepath.Join(w.cfg.Dir, name) }

// Create creates the directory of a new crawl, with state in its state file.
func (w *Writer) Create(state any) (err error) {
	w.dir, err = Create(w.cfg.Dir, state, w.cfg.Unused...)
	return err
}

// Load reads the committed lengths from the frontier.
func (w *Writer) Load() error {
	note, err := w.cfg.Frontier.Note(w.cfg.Lifecycle.CommitCtx)
	if err != nil {
		return err
	}
	w.committed, err = parseNote(note)
	return err
}

// Open opens the directory of a crawl that is resumed, after Load. It truncates the files
// to their committed lengths.
func (w *Writer) Open() (err error) {
	w.dir, err = Open(w.cfg.Dir, w.committed.Lengths, w.cfg.Unused...)
	return err
}

// Reset commits that all files are empty: they were renamed for a recrawl. Archives keep what is committed.
func (w *Writer) Reset() error {
	for _, f := range w.cfg.Available {
		w.truncateArchive(f)
	}
	w.committed = committed{Lengths: make(Lengths)}
	return w.finish(nil)
}

// Restore reads the journal. It calls joined for URLs of hosts that joined the crawl, and trapped
// for closed patterns.
func (w *Writer) Restore(joined func(url string) error, trapped func(*trap.ClosedPattern)) error {
	return w.journal.each(func(at int64, e *entry) error {
		switch {
		case e.Skipped != nil:
			w.Skipped.restore(at, e)
		case e.Joined != "":
			if err := joined(e.Joined); err != nil {
				return jsonlines.BadLine(err)
			}
		case e.Deferred != "", e.Resumed != "":
			return w.Deferred.restore(e)
		case e.Trap != nil:
			trapped(e.Trap)
		}
		return nil
	})
}

// RestoreLines calls count with each line that a resumed crawl counts. It also stores the hashes of the bodies of pages.
func (w *Writer) RestoreLines(count func(*output.Results)) error {
	var line output.Results
	for _, file := range files {
		if !file.self().replayed {
			continue
		}
		err := file.replay(w, &line, func(at int64) error {
			for _, p := range line.Pages {
				w.duplicates.restore(p, at)
			}
			count(&line)
			reset(&line)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Skip skips URLs for now. It logs those that were not skipped before, and gives them to the sinks.
func (w *Writer) Skip(urls []SkippedURL) error {
	first, err := w.Skipped.Add(urls)
	for _, j := range first {
		LogSkipped(w.cfg.Log, j, 0)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.sinks) > 0 {
		w.unfiled.Provisional = append(w.unfiled.Provisional, first...)
	}
	return err
}

// Exchange gives an exchange to the sinks with the next write.
func (w *Writer) Exchange(e *output.Exchange) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.unfiled.Exchanges = append(w.unfiled.Exchanges, e)
}

// AddJoined records that the host of a URL joined the crawl.
func (w *Writer) AddJoined(url string) error {
	_, err := w.journal.append(&entry{Joined: url})
	return err
}

// AddTrap records that a pattern of URLs was closed.
func (w *Writer) AddTrap(p *trap.ClosedPattern) error {
	_, err := w.journal.append(&entry{Trap: p})
	return err
}

// Written returns the lengths of the files of this crawl, without the journal, by their names.
func (w *Writer) Written() Lengths {
	lengths := w.dir.Lengths()
	delete(lengths, JournalFile)
	return lengths
}

// Close closes the sinks and the files. Close the frontier later, since a sink may read it.
func (w *Writer) Close() error {
	w.mu.Lock()
	closeBodies(w.unfiled.Exchanges)
	w.mu.Unlock()
	var errs []error
	for i := range w.sinks {
		errs = append(errs, failed(&w.sinks[i].format, w.sinks[i].Close()))
	}
	if w.dir != nil {
		errs = append(errs, w.dir.Close())
	}
	return errors.Join(append(errs, w.duplicates.close(), w.previous.close())...)
}
