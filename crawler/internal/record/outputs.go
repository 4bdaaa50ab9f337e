package record

import (
	"errors"
	"fmt"
	"sync"

	"github.com/politecrawl/politecrawl/crawler/internal/crawldir"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext"
)

// outputs are the directory of a crawl and its sinks. They are safe for concurrent use,
// except for write and commit.
type outputs struct {
	dir     *crawldir.Dir
	journal *journal
	power   bool // what is written has to outlive the machine
	sinks   []sink

	robotsWritten int64 // bytes of robots.jsonl that the sinks have; the committer's alone

	mu      sync.Mutex                // guards all below, and the order of robots.jsonl and loose
	unfiled output.Results            // for the sinks, with what is written next
	refetch map[robotsext.Origin]bool // whose robots.txt a file or an archive lacks
}

// A sink is one of the configuration.
type sink struct {
	output.Sink
	name string
}

// Exchange gives an exchange to the sinks with the next write.
func (o *outputs) Exchange(e *output.Exchange) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.unfiled.Exchanges = append(o.unfiled.Exchanges, e)
}

// skipped gives a skipped URL to the sinks with the next write, or withdraws it.
func (o *outputs) skipped(r *output.Rejection, withdrawn bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case len(o.sinks) == 0:
	case withdrawn:
		o.unfiled.Withdrawn = append(o.unfiled.Withdrawn, r)
	default:
		o.unfiled.Skipped = append(o.unfiled.Skipped, r)
	}
}

// Robots writes a robots.txt: to the directory at once, and to the sinks with the next
// write. When it returns, the directory has it permanently. The frontier stores the record
// next, and then it is not requested again.
func (o *outputs) Robots(rec *robotsext.Record) error {
	about, body := *rec, rec.Body
	about.Body, about.Copy = nil, nil // they have their own files
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

// Refetch reports, once, whether the robots.txt of an origin has to be requested again
// although it is known, because a kill or power cut came before all of it was written.
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
func (o *outputs) write(b *crawldir.Batch) error {
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

// maxCheckpoint is the most bytes that the checkpoint of a sink may have.
const maxCheckpoint = 200

// commit commits what was written, and stores the lengths and checkpoints in c. Checkpoints of unused
// sinks stay.
func (o *outputs) commit(c *committed) error {
	c.Lengths, c.Robots, c.Journal = o.dir.Lengths(), o.robotsWritten, o.journal.length() // before the sync: what others add meanwhile is none of this
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
		c.Sinks[s.name] = append([]byte{}, checkpoint...) // not nil: it is in use
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
