package results

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/politecrawl/politecrawl/crawler/internal/jsonlines"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// Each calls f for each readable line of a file of the crawl, with its offset. A missing file
// has no lines.
func Each[T any](w *Writer, name string, f func(at int64, v *T) error) error {
	if _, err := os.Lstat(name); errors.Is(err, fs.ErrNotExist) { // f may return this error too
		return nil
	}
	return w.skipDamage(jsonlines.Each(name, f))
}

// checkLines reads all files but the journal, to find damaged ones.
func (w *Writer) checkLines() error {
	for _, r := range rows {
		if r.keptByRecrawl {
			continue
		}
		if err := Each(w, w.path(r.name), func(int64, *struct{}) error { return nil }); err != nil {
			return err
		}
	}
	return nil
}

// skipDamage returns err unless it names damaged lines. It reports those once, and the crawl
// continues without them.
func (w *Writer) skipDamage(err error) error {
	damaged, ok := errors.AsType[*output.DamagedError](err)
	if !ok {
		return err
	}
	loss := LossOf(damaged)
	w.mu.Lock()
	known := slices.ContainsFunc(w.damages, func(l output.Loss) bool { return l.File == loss.File })
	if !known {
		w.damages = append(w.damages, loss)
	}
	w.mu.Unlock()
	if !known {
		w.cfg.Lifecycle.Notice("file is damaged", LossNotice(loss), "file", loss.File, "lines", len(damaged.Lines), "error", damaged.Err)
	}
	return nil
}

// Damages returns the files in which this process has found damaged lines.
func (w *Writer) Damages() []output.Loss {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.damages)
}

// LossOf returns the loss of a file with damaged lines.
func LossOf(e *jsonlines.DamagedError) output.Loss {
	return output.Loss{File: filepath.Base(e.File), Damage: e.Text()}
}

// LossNotice returns a text that says what a file has lost, and the consequences. It may be a renamed file, or one of
// a format, such as pages.csv.
func LossNotice(l output.Loss) string {
	means := "lost lines are not written again"
	i := slices.IndexFunc(rows, func(r *row) bool { return baseOf(r.name) == baseOf(l.File) })
	switch {
	case i < 0:
	case rows[i].lossIsFinal:
		means = "the URLs of the lines that are gone are not requested again; to request them, crawl again into another directory"
	case rows[i] == journalLog:
		means = "URLs that were skipped, and hosts that joined the crawl, may be forgotten"
	}
	return l.String() + "; " + means
}

// Lost returns the committed bytes that the files have lost. Rewriting says that a killed
// process was replacing rejected.jsonl, so that it may be shorter.
func (w *Writer) Lost(rewriting bool) ([]output.Loss, error) {
	had := maps.Clone(w.committed.Lengths)
	if rewriting { // killed before the frontier got the new length
		delete(had, Rejected.name)
	}
	return Lost(w.cfg.Dir, had)
}

// Lost returns the losses of JSON lines files that are shorter than the given lengths. An
// incomplete line counts as lost.
func Lost(path string, had Lengths) ([]output.Loss, error) {
	var lost []output.Loss
	for name, length := range had {
		if name != filepath.Base(name) {
			continue // the state was edited
		}
		left, err := completeBytes(filepath.Join(path, name), length)
		if err != nil {
			return nil, err
		}
		if left < length {
			lost = append(lost, output.Loss{File: name, Bytes: length - left, SizeBefore: length})
		}
	}
	slices.SortFunc(lost, func(a, b output.Loss) int { return cmp.Compare(a.File, b.File) })
	return lost, nil
}

// completeBytes returns how many of the first length bytes of a file are complete lines.
func completeBytes(name string, length int64) (int64, error) {
	file, err := os.Open(name)
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return 0, err
	}
	return jsonlines.CompleteLength(file, min(info.Size(), length))
}

// ReportRollback reports that files of a crawl that ended are longer than committed: the
// frontier has lost its last changes. The uncommitted lines are truncated next, as after a
// kill, and their URLs are requested again.
func (w *Writer) ReportRollback() {
	for _, r := range rows {
		info, err := os.Stat(w.path(r.name))
		if !r.lossIsFinal || err != nil || info.Size() <= w.committed.Lengths[r.name] {
			continue
		}
		beyond := info.Size() - w.committed.Lengths[r.name]
		w.cfg.Lifecycle.Notice("frontier has lost changes", fmt.Sprintf("the frontier has lost its last changes: the last %d bytes of %s are cut off, and their URLs are requested again", beyond, r.name),
			"file", r.name, "bytes", beyond)
	}
}
