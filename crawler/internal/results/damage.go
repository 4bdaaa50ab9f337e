package results

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/politecrawl/politecrawl/crawler/internal/jsonlines"
	"github.com/politecrawl/politecrawl/crawler/internal/lifecycle"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// Each calls f for each readable line of a file of the crawl, with its offset. A missing file
// has no lines.
func Each[T any](r *Writer, name string, f func(at int64, v *T) error) error {
	if _, err := os.Lstat(name); errors.Is(err, fs.ErrNotExist) { // f may return this error too
		return nil
	}
	return r.damages.skip(jsonlines.Each(name, f))
}

// checkLines reads all JSON Lines files, to find damaged ones.
func (r *Writer) checkLines() error {
	for _, name := range slices.Sorted(maps.Keys(r.committed.Files())) {
		err := Each(r, filepath.Join(r.cfg.Dir, name), func(int64, *struct{}) error { return nil })
		if err != nil {
			return err
		}
	}
	return nil
}

// damages are the files with damaged lines, each once.
type damages struct {
	life *lifecycle.Lifecycle

	mu   sync.Mutex // guards list
	list []output.Loss
}

// skip returns err unless it names damaged lines. It reports those once, and the crawl
// continues without them.
func (d *damages) skip(err error) error {
	damaged, ok := errors.AsType[*output.DamagedError](err)
	if !ok {
		return err
	}
	loss := LossOf(damaged)
	d.mu.Lock()
	defer d.mu.Unlock()
	if !slices.ContainsFunc(d.list, func(l output.Loss) bool { return l.File == loss.File }) {
		d.list = append(d.list, loss)
		d.life.Notice("file is damaged", LossNotice(loss), "file", loss.File, "lines", len(damaged.Lines), "error", damaged.Err)
	}
	return nil
}

// Damages returns the files in which this process has found damaged lines.
func (r *Writer) Damages() []output.Loss {
	r.damages.mu.Lock()
	defer r.damages.mu.Unlock()
	return slices.Clone(r.damages.list)
}

// LossNotice returns a text that says what a file has lost, and the consequences.
func LossNotice(l output.Loss) string {
	means := "what is gone is not written again"
	switch name, _, _ := strings.Cut(l.File, "."); name {
	case "pages", "sitemaps":
		means = "the URLs of the lines that are gone are not requested again; to request them, crawl again into another directory"
	case "journal":
		means = "URLs that were skipped, and hosts that joined the crawl, may be forgotten"
	}
	return l.String() + "; " + means
}

// Lost returns the committed bytes that the files have lost. Rewriting says that a killed
// process was replacing rejected.jsonl, so that it may be shorter.
func (r *Writer) Lost(rewriting bool) ([]output.Loss, error) {
	had := r.committed.Files()
	had[JournalFile] = r.committed.Journal
	if rewriting { // killed before the frontier got the new length
		delete(had, RejectedFile)
	}
	return Lost(r.cfg.Dir, had)
}

// ReportRollback reports that files of a crawl that ended are longer than committed: the
// frontier has lost its last changes. The uncommitted lines are truncated next, as after a
// kill, and their URLs are requested again.
func (r *Writer) ReportRollback() {
	for _, file := range []struct {
		name    string
		counted int64
	}{
		{PagesFile, r.committed.Pages}, {SitemapsFile, r.committed.Sitemaps},
	} {
		info, err := os.Stat(filepath.Join(r.cfg.Dir, file.name))
		if err != nil || info.Size() <= file.counted {
			continue
		}
		beyond := info.Size() - file.counted
		r.cfg.Lifecycle.Notice("frontier has lost changes", fmt.Sprintf("the frontier has lost its last changes: the last %d bytes of %s are cut off, and their URLs are requested again", beyond, file.name),
			"file", file.name, "bytes", beyond)
	}
}
