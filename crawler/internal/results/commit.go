package results

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// commitEntry is the outcome of one URL.
type commitEntry struct {
	outcome frontier.Outcome
	page    *output.Page // nil if the URL has no line in pages.jsonl
	lines   Batch        // of the other files

	done bool // committed, or failed with err
	err  error
}

// A committer commits the outcomes of all workers in batches. The worker that holds mu commits its
// own outcome and those that wait for mu.
type committer struct {
	waitingMu sync.Mutex     // guards waiting; nobody writes while holding it
	waiting   []*commitEntry // not done

	mu     sync.Mutex // guards the fields below, and the fields of entries that are not done
	ready  []*commitEntry
	batch  Batch
	failed error // after a failure nothing is written
}

// maxEntries is the maximum number of entries that are written at once.
const maxEntries = 256

// Commit writes the page of a URL, unless it is nil, and its lines in other files. Then it
// reports the outcome to the frontier. When Commit returns, all of it is permanent.
//
// The lines come first. The leases are finished together with the new lengths of the files. So a
// crash in between neither loses a page nor leaves a page twice: a resumed crawl truncates the files
// to the lengths in the frontier, and fetches those URLs again.
func (w *Writer) Commit(outcome frontier.Outcome, page *output.Page, lines Batch) error {
	e := &commitEntry{outcome: outcome, page: page, lines: lines}
	c := &w.committer
	c.waitingMu.Lock()
	c.waiting = append(c.waiting, e)
	c.waitingMu.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	for !e.done {
		c.take()
		if c.failed == nil {
			c.failed = w.commitAll(c.ready, &c.batch)
		}
		for _, e := range c.ready {
			e.done, e.err = true, c.failed
		}
	}
	return e.err
}

// take makes the entries ready that have waited longest.
func (c *committer) take() {
	c.waitingMu.Lock()
	defer c.waitingMu.Unlock()
	n := min(len(c.waiting), maxEntries)
	c.ready = append(c.ready[:0], c.waiting[:n]...)
	c.waiting = slices.Delete(c.waiting, 0, n)
}

// commitAll commits entries. It reuses batch.
func (w *Writer) commitAll(ready []*commitEntry, batch *Batch) error {
	batch.reset()
	outcomes := make([]frontier.Outcome, len(ready))
	for i, e := range ready {
		outcomes[i] = e.outcome
		if e.page != nil {
			if err := w.duplicates.mark(e.page, w.dir.file(&Pages.row).Length(), *batch.text(&Pages.row)); err != nil {
				return err
			}
			if err := Pages.Add(batch, e.page); err != nil {
				return err
			}
		}
		batch.Join(&e.lines)
	}
	if err := w.write(batch); err != nil {
		return err
	}
	if err := w.commit(&w.committed); err != nil {
		return err
	}
	return w.finish(outcomes)
}

// finish reports outcomes to the frontier, and what is committed.
func (w *Writer) finish(outcomes []frontier.Outcome) error {
	errs, err := w.cfg.Frontier.Finish(w.cfg.Lifecycle.CommitCtx, outcomes, w.committed.note())
	if err != nil {
		return err
	}
	for _, err := range errs {
		// If a lease was lost, another worker has the URL. The links are stored.
		if err != nil && !errors.Is(err, frontier.ErrLeaseLost) {
			return err
		}
	}
	return nil
}

// write writes a batch to the directory and the sinks.
func (w *Writer) write(b *Batch) error {
	if err := w.dir.Write(b); err != nil {
		return err
	}
	if len(w.sinks) == 0 {
		return nil
	}
	w.mu.Lock()
	join(&b.results, &w.unfiled)
	reset(&w.unfiled)
	w.robotsWritten = w.dir.RobotsLog().Length()
	w.mu.Unlock()
	defer closeBodies(b.results.Exchanges)
	for i := range w.sinks {
		if err := w.sinks[i].Write(&b.results); err != nil {
			return failed(&w.sinks[i].format, err)
		}
	}
	return nil
}

// closeBodies closes the bodies of exchanges. Nothing depends on them any more, so it ignores errors.
func closeBodies(exchanges []*output.Exchange) {
	for _, e := range exchanges {
		if e.Body != nil {
			_ = e.Body.Close()
		}
	}
}

// maxCheckpoint is the maximum size of the checkpoint of a sink, in bytes.
const maxCheckpoint = 200

// commit commits all written data, and stores the lengths and checkpoints in c. It keeps the
// checkpoints of unused sinks.
func (w *Writer) commit(c *committed) error {
	c.Lengths, c.Robots = w.dir.Lengths(), w.robotsWritten // before the sync, which later entries may miss
	if w.cfg.Power {
		if err := w.dir.Sync(); err != nil {
			return err
		}
	}
	for i := range w.sinks {
		if err := w.commitSink(&w.sinks[i], c); err != nil {
			return err
		}
	}
	return nil
}

// commitSink commits a sink, and stores its checkpoint in c.
func (w *Writer) commitSink(s *sink, c *committed) error {
	checkpoint, err := s.Commit(w.cfg.Power)
	if err == nil && len(checkpoint) > maxCheckpoint {
		err = fmt.Errorf("a checkpoint of %d bytes, more than %d", len(checkpoint), maxCheckpoint)
	}
	if err != nil || s.format.Name == "" {
		return failed(&s.format, err)
	}
	if c.Sinks == nil {
		c.Sinks = make(map[string][]byte)
	}
	c.Sinks[s.format.Name] = append([]byte{}, checkpoint...) // not nil, since the format is in use
	c.Stale = slices.DeleteFunc(c.Stale, func(name string) bool { return name == s.format.Name })
	return nil
}

// Flush commits the files and sinks without the frontier: a resumed crawl truncates what was
// written since the last commit.
func (w *Writer) Flush() error { return w.commit(new(committed)) }

// committed has the committed lengths of the files. It is the frontier's note, so that files
// and frontier agree after a crash.
type committed struct {
	Lengths Lengths           `json:"-"`               // in the note too, by the keys of the rows
	Robots  int64             `json:"robots"`          // bytes of robots.jsonl that the sinks have
	Sinks   map[string][]byte `json:"sinks,omitempty"` // checkpoints by the names of formats

	// Stale are formats that are no longer used, and new archives that are not yet filled. Their files are completed
	// when they are used again.
	Stale []string `json:"stale,omitempty"`
}

// setStale marks a format as stale.
func (c *committed) setStale(name string) {
	if c.Sinks[name] != nil {
		delete(c.Sinks, name)
		c.Stale = append(c.Stale, name)
	}
}

// note encodes c for the frontier. It writes the lengths itself: with each commit, a second map of them takes longer.
func (c *committed) note() []byte {
	others, err := json.Marshal(c)
	if err != nil {
		panic(err) // numbers, and bytes by name
	}
	note := append(make([]byte, 0, 256), '{')
	for _, r := range rows {
		note = append(append(append(note, '"'), r.noteKey...), `":`...)
		note = append(strconv.AppendInt(note, c.Lengths[r.name], 10), ',')
	}
	return append(note, others[1:]...)
}

// parseNote is the inverse of note. Without a note nothing is committed. It ignores fields that it does not know.
func parseNote(note []byte) (c committed, err error) {
	c.Lengths = make(Lengths, len(rows))
	if note == nil {
		return c, nil
	}
	var fields map[string]json.RawMessage
	err = cmp.Or(json.Unmarshal(note, &c), json.Unmarshal(note, &fields))
	for _, r := range rows {
		var length int64 // 0 without the field, as in a note of a version without this file
		if text, ok := fields[r.noteKey]; ok {
			err = cmp.Or(err, json.Unmarshal(text, &length))
		}
		c.Lengths[r.name] = length
	}
	if err != nil {
		return c, fmt.Errorf("the frontier's note on the output: %w", err)
	}
	return c, nil
}
