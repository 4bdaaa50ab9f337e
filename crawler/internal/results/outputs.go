package results

import (
	"errors"
	"fmt"
	"sync"

	"github.com/politecrawl/politecrawl/crawler/internal/blocked"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext"
)

// outputs are the directory of a crawl and its sinks. They are safe for concurrent use,
// except for write and commit.
type outputs struct {
	dir     *Dir
	journal *journal
	power   bool // written data must survive a power failure
	sinks   []sink

	robotsWritten int64 // bytes of robots.jsonl that the sinks have; used by the committer only

	mu      sync.Mutex                // guards all below, and the order of robots.jsonl and unfiled
	unfiled output.Results            // for the sinks, with the next write
	refetch map[robotsext.Origin]bool // origins whose robots.txt a file or an archive lacks
}

// A sink is a configured sink.
type sink struct {
	output.Sink
	name  string
	fresh bool // it has no checkpoint
}

// Exchange gives an exchange to the sinks with the next write.
func (o *outputs) Exchange(e *output.Exchange) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.unfiled.Exchanges = append(o.unfiled.Exchanges, e)
}

// provisional gives skipped URLs to the sinks with the next write.
func (o *outputs) provisional(list []*output.Rejection) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.sinks) > 0 {
		o.unfiled.Provisional = append(o.unfiled.Provisional, list...)
	}
}

// Robots writes a robots.txt to the directory, permanently, and gives it to the sinks with the
// next write. Then the frontier may store the record, after which the robots.txt is not
// requested again. It ignores a robots.txt that was not requested.
func (o *outputs) Robots(rec *robotsext.Record) error {
	if blocked.IsUnrequested(rec) {
		return nil
	}
	rec = blocked.ForOutput(rec)
	about, body := *rec, rec.Body
	about.Body, about.Copy = nil, nil // the body is in its own file
	if rec.NoStore {
		body = nil // ROB-CAC-06
	}
	line, err := o.dir.Robots(string(rec.Origin), body, &about, o.power)
	if err != nil {
		return err
	}
	if err := o.robotsLine(line, rec); err != nil || !o.power {
		return err
	}
	return o.dir.RobotsLog().Sync()
}

// KeepVersion keeps the text of a robots.txt or tdmrep.json as a version. A site that sends no-store
// forbids that (ROB-CAC-06); an empty file then says so.
func (o *outputs) KeepVersion(rec *robotsext.Record) error {
	switch {
	case rec.Hash == "":
		return nil
	case rec.NoStore:
		return o.dir.KeepVersion(rec.Hash+output.NoStore, nil, o.power)
	}
	return o.dir.KeepVersion(rec.Hash, rec.Body, o.power)
}

// robotsLine adds the line of a robots.txt to robots.jsonl, and the record for the sinks,
// in the same order.
func (o *outputs) robotsLine(line []byte, rec *robotsext.Record) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.sinks) > 0 {
		o.unfiled.Robots = append(o.unfiled.Robots, robotsResult(rec))
	}
	_, err := o.dir.RobotsLog().Append(line)
	return err
}

// Refetch reports, once, that a known robots.txt has to be requested again, because a kill or
// a power failure came before it was written completely.
func (o *outputs) Refetch(origin robotsext.Origin) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	refetch := o.refetch[origin]
	delete(o.refetch, origin)
	return refetch
}

// setRefetch makes Refetch return true for origins.
func (o *outputs) setRefetch(origins ...robotsext.Origin) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.refetch == nil {
		o.refetch = make(map[robotsext.Origin]bool)
	}
	for _, origin := range origins {
		o.refetch[origin] = true
	}
}

// write writes a batch to the directory and the sinks.
func (o *outputs) write(b *Batch) error {
	if err := o.dir.Write(b); err != nil {
		return err
	}
	if len(o.sinks) == 0 {
		return nil
	}
	o.mu.Lock()
	unfiled := o.unfiled
	o.unfiled, o.robotsWritten = output.Results{}, o.dir.RobotsLog().Length()
	o.mu.Unlock()
	b.AddUnfiled(&unfiled)
	for _, s := range o.sinks {
		if err := s.Write(b.Results()); err != nil {
			return fmt.Errorf("write %s: %w", sinkName(s.name), err)
		}
	}
	return nil
}

// maxCheckpoint is the maximum size of the checkpoint of a sink, in bytes.
const maxCheckpoint = 200

// commit commits all written data, and stores the lengths and checkpoints in c. It keeps the
// checkpoints of unused sinks.
func (o *outputs) commit(c *committed) error {
	c.Lengths, c.Robots, c.Journal = o.dir.Lengths(), o.robotsWritten, o.journal.length() // before the sync, which later entries may miss
	if o.power {
		if err := errors.Join(o.dir.Sync(), o.journal.log.Sync()); err != nil {
			return err
		}
	}
	for _, s := range o.sinks {
		checkpoint, err := s.Commit(o.power)
		if err == nil && len(checkpoint) > maxCheckpoint {
			err = fmt.Errorf("a checkpoint of %d bytes, more than %d", len(checkpoint), maxCheckpoint)
		}
		if err != nil {
			return fmt.Errorf("write %s: %w", sinkName(s.name), err)
		}
		if s.name == "" {
			continue
		}
		if c.Sinks == nil {
			c.Sinks = make(map[string][]byte)
		}
		c.Sinks[s.name] = append([]byte{}, checkpoint...) // not nil: the format is in use
	}
	return nil
}

// close closes the files and the sinks.
func (o *outputs) close() error {
	var errs []error
	for _, s := range o.sinks {
		if err := s.Close(); err != nil {
			errs = append(errs, fmt.Errorf("write %s: %w", sinkName(s.name), err))
		}
	}
	errs = append(errs, o.journal.close())
	if o.dir != nil {
		errs = append(errs, o.dir.Close())
	}
	return errors.Join(errs...)
}
