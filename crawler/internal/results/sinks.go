package results

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext"
)

// A sink is a configured sink.
type sink struct {
	output.Sink
	format output.Format
	fresh  bool // it has no checkpoint, or is not yet filled
}

// failed returns an error of the sink of a format, or nil.
func failed(f *output.Format, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("write %s: %w", cmp.Or(f.Name, "(a sink without a name)"), err)
}

// OpenSinks opens the sinks, each at its checkpoint. Lost says that files have lost lines. It returns what
// the files of the formats have lost: save that before FillSinks rewrites them.
func (w *Writer) OpenSinks(lost bool) (losses []output.Loss, err error) {
	w.lost = lost
	for _, f := range w.cfg.Formats {
		found, err := w.openSink(f)
		if losses = append(losses, found...); err != nil {
			return losses, failed(&f, err)
		}
		w.lost = w.lost || len(found) > 0
	}
	return losses, nil
}

// FillSinks gives the sinks the results in the directory that they lack: all, if they have no
// checkpoint.
//
// If files have lost lines or were rewritten, the frontier gets their new lengths at once. Otherwise
// a crawl with nothing left to fetch would never commit them.
func (w *Writer) FillSinks() error {
	changed := w.lost
	for i := range w.sinks {
		s := &w.sinks[i]
		if s.format.Name == "" {
			continue
		}
		changed = changed || s.fresh
		if err := w.fillSink(s); err != nil {
			return failed(&s.format, err)
		}
	}
	if !w.cfg.Resume || !changed {
		return nil
	}
	w.robotsWritten = w.dir.RobotsLog().Length()
	if err := w.commit(&w.committed); err != nil {
		return err
	}
	return w.finish(nil)
}

// openSink opens a sink, and returns what the files of the format have lost.
func (w *Writer) openSink(f output.Format) ([]output.Loss, error) {
	checkpoint, gone, err := w.checkpointOf(f)
	if err != nil {
		return nil, err
	}
	opened, err := f.Open(w.cfg.Dir, checkpoint)
	if checkpoint != nil && errors.Is(err, output.ErrIncomplete) && !f.Exchanges {
		if err := w.rewriteFiles(f, err); err != nil {
			return nil, err
		}
		checkpoint = nil
		opened, err = f.Open(w.cfg.Dir, nil)
	}
	if err != nil {
		return nil, err
	}
	w.sinks = append(w.sinks, sink{opened, f, checkpoint == nil || slices.Contains(w.committed.Stale, f.Name)})
	switch lossy, ok := opened.(output.LossReporter); {
	case ok:
		return lossy.Lost(), nil
	case gone && f.Exchanges: // the sink cannot report it
		w.cfg.Lifecycle.Board.Show(fmt.Sprintf("the files of %s are gone; what was in them is not requested again", f.Name))
	}
	return nil, nil
}

// fillSink gives a sink the results that it lacks.
func (w *Writer) fillSink(s *sink) error {
	if s.fresh && s.format.Exchanges { // otherwise a resumed crawl could not tell its files from those of earlier crawls
		err := w.commitSink(s, &w.committed)
		if w.cfg.Resume { // after a kill it is filled again
			w.committed.Stale = append(w.committed.Stale, s.format.Name)
		}
		if err := cmp.Or(err, w.finish(nil)); err != nil {
			return err
		}
	}
	if s.fresh {
		return w.replay(s)
	}
	return w.replayRobots(s, w.committed.Robots, func(o robotsext.Origin) {
		if s.format.Exchanges { // the archive lacks the exchange of this robots.txt
			w.setRefetch(o)
		}
	})
}

// rewriteFiles prepares to rewrite the files of a format that are incomplete, as err says.
// If lines are lost or damaged too, it keeps the old files: they may have more than the
// lines.
func (w *Writer) rewriteFiles(f output.Format, err error) error {
	text, damage := fmt.Sprintf("the files of %s are rewritten: %v", f.Name, err), err
	if err := w.checkLines(); err != nil {
		return err
	}
	if w.lost || len(w.Damages()) > 0 {
		kept, err := RenameIncomplete(w.cfg.Dir, f)
		if err != nil {
			return err
		}
		if len(kept) > 0 {
			text += "; what is left of them is in " + strings.Join(kept, ", ")
		}
	}
	w.cfg.Lifecycle.Notice("rewriting damaged output files", text, "format", f.Name, "error", damage)
	return nil
}

// checkpointOf returns the checkpoint at which the sink of a format resumes. Nil means at the
// start. Removed files are rewritten. Archives cannot be rewritten, so gone reports that they were
// removed.
func (w *Writer) checkpointOf(f output.Format) (checkpoint []byte, gone bool, err error) {
	checkpoint = w.committed.Sinks[f.Name] // nil for a format without a name
	if checkpoint == nil || len(f.Files) == 0 {
		return checkpoint, false, nil
	}
	names, err := FilesOf(w.cfg.Dir, f)
	if err != nil || len(names) > 0 || f.Exchanges {
		return checkpoint, len(names) == 0, err
	}
	w.cfg.Lifecycle.Board.Show(fmt.Sprintf("the files of %s are gone, and are rewritten", f.Name))
	return nil, true, nil
}

// truncateArchive removes what a killed process wrote to an archive after its checkpoint, such as half a record. It is for
// archives that the crawl does not continue.
func (w *Writer) truncateArchive(f output.Format) {
	checkpoint := w.committed.Sinks[f.Name]
	if checkpoint == nil || !f.Exchanges {
		return
	}
	s, err := f.Open(w.cfg.Dir, checkpoint)
	if err == nil {
		_, err = s.Commit(w.cfg.Power)
		err = errors.Join(err, s.Close())
	}
	if err != nil {
		w.cfg.Lifecycle.Board.Show(fmt.Sprintf("the last file of %s may end with a part of a record: %v", f.Name, err))
	}
}

// replayCommit is the number of lines between two commits of a sink.
const replayCommit = 20 * maxEntries

// A replayer gives a sink the content of the JSON Lines files, which is everything except
// exchanges.
type replayer struct {
	sink    output.Sink
	results output.Results
	n       int
}

// replay gives a sink everything in the directory.
func (w *Writer) replay(s output.Sink) error {
	p := &replayer{sink: s}
	for _, file := range files {
		if err := file.replay(w, &p.results, p.added); err != nil {
			return err
		}
	}
	if err := p.flush(); err != nil {
		return err
	}
	return w.replayRobots(s, 0, func(robotsext.Origin) {})
}

// replayRobots gives a sink the lines of robots.jsonl from an offset on, and calls found with their
// origins. Only the last robots.txt of an origin has its text.
func (w *Writer) replayRobots(s output.Sink, from int64, found func(robotsext.Origin)) error {
	last := make(map[robotsext.Origin]int64)
	err := Each(w, w.path(RobotsFile), func(at int64, v *robotsext.Record) error {
		last[v.Origin] = at
		return nil
	})
	if err != nil {
		return err
	}
	p := &replayer{sink: s}
	err = Each(w, w.path(RobotsFile), func(at int64, v *robotsext.Record) error {
		if at < from {
			return nil
		}
		found(v.Origin)
		r := robotsResult(v)
		if last[v.Origin] == at && !v.NoStore {
			if text, err := os.ReadFile(output.RobotsPath(w.cfg.Dir, r.Origin)); err == nil && len(text) > 0 {
				r.Body = text
			}
		}
		p.results.Robots = append(p.results.Robots, r)
		return p.added(at)
	})
	if err != nil {
		return err
	}
	return p.flush()
}

// added counts an added line, and flushes a full batch.
func (p *replayer) added(int64) error {
	if p.n++; p.n%maxEntries > 0 {
		return nil
	}
	if err := p.flush(); err != nil || p.n%replayCommit > 0 {
		return err
	}
	_, err := p.sink.Commit(false) // limits the memory of the sink
	return err
}

// flush passes the results to the sink, unless there never were any.
func (p *replayer) flush() error {
	if p.n == 0 {
		return nil
	}
	defer reset(&p.results)
	return p.sink.Write(&p.results)
}
