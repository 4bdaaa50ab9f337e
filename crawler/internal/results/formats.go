package results

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// maxFormats and maxFormatName keep the checkpoints within a frontier's note.
const (
	maxFormats    = 8
	maxFormatName = 40
)

// FormatError says why a crawl cannot be written in its configured formats.
type FormatError string

// Error returns the problem, without the key of the configuration.
func (e FormatError) Error() string { return string(e) }

func formatErrorf(format string, args ...any) error { return FormatError(fmt.Sprintf(format, args...)) }

// ChooseFormats returns the formats that a configuration names, and those without a name. The
// error is a [FormatError].
func ChooseFormats(names []string, formats []output.Format) ([]output.Format, error) {
	var all []output.Format
	have := make(map[string]output.Format)
	for _, f := range formats {
		switch {
		case f.Name == "":
			all = append(all, f)
		case len(f.Name) > maxFormatName:
			return nil, formatErrorf("the name %q has more than %d bytes", f.Name, maxFormatName)
		default:
			have[f.Name] = f
		}
	}
	for i, name := range names {
		f, ok := have[name]
		switch {
		case !ok && len(have) == 0:
			return nil, formatErrorf("there is no format %q: none was given", name)
		case !ok:
			return nil, formatErrorf("unknown format %q; use one of %s", name, strings.Join(slices.Sorted(maps.Keys(have)), ", "))
		case slices.Contains(names[:i], name):
			return nil, formatErrorf("%q is named twice", name)
		}
		for _, other := range all {
			if shareFiles(f, other) {
				return nil, formatErrorf("%s and %s write the same files; choose one", other.Name, name)
			}
		}
		all = append(all, f)
	}
	return all, nil
}

// shareFiles reports whether two formats write files of the same name.
func shareFiles(a, b output.Format) bool {
	return slices.ContainsFunc(a.Files, func(file string) bool { return slices.Contains(b.Files, file) })
}

// CheckFormats returns an error if a crawl cannot be resumed in its formats. It changes
// nothing. Wrote are the formats of the last run. It reports formats that are no longer used
// or that will be rewritten.
func (r *Writer) CheckFormats(wrote []string) error {
	used := func(name string) bool {
		return slices.ContainsFunc(r.cfg.Formats, func(f output.Format) bool { return f.Name == name })
	}
	for _, f := range r.cfg.Formats {
		if f.Name == "" || r.committed.Sinks[f.Name] != nil {
			continue
		}
		for _, other := range r.cfg.Available {
			if r.committed.Sinks[other.Name] != nil && shareFiles(f, other) {
				return formatErrorf("the files of %s are those of %s, in which this crawl is written; use that", f.Name, other.Name)
			}
		}
		if slices.Contains(wrote, f.Name) || slices.Contains(r.committed.Stale, f.Name) {
			continue
		}
		names, err := FilesOf(r.cfg.Dir, f)
		if err != nil {
			return err
		}
		if len(names) > 0 {
			return fmt.Errorf("%w: %q has %s in it, which this crawl did not write; move it away, or omit the format %s",
				output.ErrExists, r.cfg.Dir, names[0], f.Name)
		}
	}
	for _, f := range r.cfg.Available {
		switch {
		case f.Name == "" || used(f.Name) || r.committed.Sinks[f.Name] == nil:
		case f.Exchanges:
			r.cfg.Lifecycle.Board.Show(fmt.Sprintf("%s is not written this time; what is fetched now will never be in it", f.Name))
		default:
			r.committed.setStale(f.Name)
		}
	}
	if n := len(r.committed.Sinks) + len(r.committed.Stale) + len(r.cfg.Formats); n > 2*maxFormats {
		return formatErrorf("too many formats in one crawl")
	}
	return nil
}

// OpenSinks opens the sinks, each at its checkpoint. Lost says that files have lost lines. It returns what
// the files of the formats have lost: save that before FillSinks rewrites them.
func (r *Writer) OpenSinks(lost bool) (losses []output.Loss, err error) {
	r.lost = lost
	for _, f := range r.cfg.Formats {
		found, err := r.openSink(f)
		if losses = append(losses, found...); err != nil {
			return losses, fmt.Errorf("write %s: %w", sinkName(f.Name), err)
		}
		r.lost = r.lost || len(found) > 0
	}
	return losses, nil
}

// FillSinks gives the sinks the results in the directory that they lack: all, if they have no
// checkpoint.
//
// If files have lost lines or were rewritten, the frontier gets their new lengths at once. Otherwise
// a crawl with nothing left to fetch would never commit them.
func (r *Writer) FillSinks() error {
	changed := r.lost
	for i, s := range r.sinks {
		if s.name == "" {
			continue
		}
		changed = changed || s.fresh
		if err := r.fillSink(s, r.cfg.Formats[i].Exchanges); err != nil {
			return fmt.Errorf("write %s: %w", sinkName(s.name), err)
		}
	}
	if !r.cfg.Resume || !changed {
		return nil
	}
	r.robotsWritten = r.dir.RobotsLog().Length()
	if err := r.commit(&r.committed); err != nil {
		return err
	}
	return r.reportCommitted()
}

// openSink opens a sink, and returns what the files of the format have lost.
func (r *Writer) openSink(f output.Format) ([]output.Loss, error) {
	checkpoint, gone, err := r.checkpointOf(f)
	if err != nil {
		return nil, err
	}
	opened, err := f.Open(r.dir.Path(), checkpoint)
	if checkpoint != nil && errors.Is(err, output.ErrIncomplete) && !f.Exchanges {
		if err := r.rewriteFiles(f, err); err != nil {
			return nil, err
		}
		checkpoint = nil
		opened, err = f.Open(r.dir.Path(), nil)
	}
	if err != nil {
		return nil, err
	}
	r.sinks = append(r.sinks, sink{opened, f.Name, checkpoint == nil})
	switch lossy, ok := opened.(output.LossReporter); {
	case ok:
		return lossy.Lost(), nil
	case gone && f.Exchanges: // the sink cannot report it
		r.cfg.Lifecycle.Board.Show(fmt.Sprintf("the files of %s are gone; what was in them is not requested again", f.Name))
	}
	return nil, nil
}

// fillSink gives a sink the results that it lacks.
func (r *Writer) fillSink(s sink, exchanges bool) error {
	if s.fresh {
		r.committed.Stale = slices.DeleteFunc(r.committed.Stale, func(name string) bool { return name == s.name })
		return r.replay(s)
	}
	origins, err := r.replayRobots(s, r.committed.Robots)
	if exchanges {
		r.setRefetch(slices.Collect(maps.Keys(origins))...)
	}
	return err
}

// rewriteFiles prepares to rewrite the files of a format that are incomplete, as err says.
// If lines are lost or damaged too, it keeps the old files: they may have more than the
// lines.
func (r *Writer) rewriteFiles(f output.Format, err error) error {
	text, damage := fmt.Sprintf("the files of %s are rewritten: %v", f.Name, err), err
	if err := r.checkLines(); err != nil {
		return err
	}
	if r.lost || len(r.Damages()) > 0 {
		kept, err := RenameIncomplete(r.dir.Path(), f)
		if err != nil {
			return err
		}
		if len(kept) > 0 {
			text += "; what is left of them is in " + strings.Join(kept, ", ")
		}
	}
	r.cfg.Lifecycle.Notice("rewriting damaged output files", text, "format", f.Name, "error", damage)
	return nil
}

// checkpointOf returns the checkpoint at which the sink of a format resumes. Nil: at the start.
// Removed files are rewritten. Archives cannot be rewritten, so gone reports that they were
// removed.
func (r *Writer) checkpointOf(f output.Format) (checkpoint []byte, gone bool, err error) {
	checkpoint = r.committed.Sinks[f.Name] // nil for a format without a name
	if checkpoint == nil || len(f.Files) == 0 {
		return checkpoint, false, nil
	}
	names, err := FilesOf(r.dir.Path(), f)
	if err != nil || len(names) > 0 || f.Exchanges {
		return checkpoint, len(names) == 0, err
	}
	r.cfg.Lifecycle.Board.Show(fmt.Sprintf("the files of %s are gone, and are rewritten", f.Name))
	return nil, true, nil
}

// sinkName returns the name of a sink in messages.
func sinkName(name string) string {
	if name == "" {
		return "(a sink without a name)"
	}
	return name
}
