// Package results has the files of a crawl: one table of JSON lines files with their committed lengths, robots.txt
// files, the journal and the state. A [Writer] writes them in an order that survives a kill. Package output has the types
// of the lines, and reads them.
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

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/lifecycle"
	"github.com/politecrawl/politecrawl/crawler/internal/scope"
	"github.com/politecrawl/politecrawl/crawler/internal/trap"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// Config has the settings of a [Writer].
type Config struct {
	Dir       string          // directory of the crawl; empty: nothing is written, as for a plan
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

// Writer writes the results of a crawl. Use it in this order: New, then Create, or Load
// and Open; then OpenSinks, FillSinks and Restore; then Commit and the methods that record something, which are
// safe for concurrent use; then WriteRejected and Flush; then Close, at any time.
type Writer struct {
	outputs

	// Skipped are URLs that are skipped for now, and Deferred origins whose URLs wait.
	Skipped  *Skipped
	Deferred *Deferred

	cfg       Config
	committed committed // as the frontier knows it
	committer committer

	duplicates *duplicates
	previous   previous
	lost       bool // files have lost data; see OpenSinks
	damages    *damages
}

// New returns a recorder. It opens nothing.
func New(cfg Config) *Writer {
	r := &Writer{
		cfg:        cfg,
		duplicates: newDuplicates(filepath.Join(cfg.Dir, PagesFile)),
		damages:    &damages{life: cfg.Lifecycle},
	}
	r.power = cfg.Power
	if cfg.Dir != "" {
		r.journal = &journal{name: filepath.Join(cfg.Dir, JournalFile), power: cfg.Power, damages: r.damages}
	}
	r.Deferred = newDeferred(r.journal)
	r.Skipped = newSkipped(r.journal, &cfg)
	return r
}

// Skip skips URLs for now. It logs those that were not skipped before, and gives them to the sinks.
func (r *Writer) Skip(urls []SkippedURL) error {
	first, err := r.Skipped.Add(urls)
	for _, j := range first {
		LogSkipped(r.cfg.Log, j, 0)
	}
	r.provisional(first)
	return err
}

// AddJoined records that the host of a URL joined the crawl.
func (r *Writer) AddJoined(url string) error {
	_, err := r.journal.append(&entry{Joined: url})
	return err
}

// AddTrap records that a pattern of URLs was closed.
func (r *Writer) AddTrap(p *trap.ClosedPattern) error {
	_, err := r.journal.append(&entry{Trap: p})
	return err
}

// Flush commits the files and sinks without the frontier: a resumed crawl truncates what was
// written since the last commit.
func (r *Writer) Flush() error { return r.commit(new(committed)) }

// Written returns the lengths of the files, by their names.
func (r *Writer) Written() map[string]int64 { return r.dir.Lengths().Files() }

// Close closes the sinks and the files. Close the frontier later, since a sink may read it.
func (r *Writer) Close() error {
	return errors.Join(r.close(), r.duplicates.close(), r.previous.close())
}
