package results

import (
	"os"
	"path/filepath"

	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext"
)

// replayCommit is the number of lines between two commits of a sink.
const replayCommit = 20 * maxEntries

// A replayer gives a sink the content of the JSON Lines files, which is everything except
// exchanges.
type replayer struct {
	r     *Writer
	sink  output.Sink
	batch Batch
	n     int
}

// replay gives a sink everything in the directory.
func (r *Writer) replay(s output.Sink) error {
	p := &replayer{r: r, sink: s}
	for _, file := range All() {
		if err := r.damages.skip(file.Replay(r.dir.Path(), &p.batch, p.added)); err != nil {
			return err
		}
	}
	if err := p.flush(); err != nil {
		return err
	}
	_, err := r.replayRobots(s, 0)
	return err
}

// replayRobots gives a sink the lines of robots.jsonl from an offset on, and returns their
// origins. Only the last robots.txt of an origin has its text.
func (r *Writer) replayRobots(s output.Sink, from int64) (origins map[robotsext.Origin]bool, err error) {
	dir := r.dir.Path()
	name := filepath.Join(dir, RobotsFile)
	last := make(map[robotsext.Origin]int64)
	err = Each(r, name, func(at int64, v *robotsext.Record) error {
		last[v.Origin] = at
		return nil
	})
	if err != nil {
		return nil, err
	}
	p, origins := &replayer{r: r, sink: s}, make(map[robotsext.Origin]bool)
	err = Each(r, name, func(at int64, v *robotsext.Record) error {
		if at < from {
			return nil
		}
		origins[v.Origin] = true
		found := robotsResult(v)
		if last[v.Origin] == at && !v.NoStore {
			if text, err := os.ReadFile(output.RobotsPath(dir, string(v.Origin))); err == nil && len(text) > 0 {
				found.Body = text
			}
		}
		p.batch.AddUnfiled(&output.Results{Robots: []*output.Robots{found}})
		return p.added()
	})
	if err != nil {
		return origins, err
	}
	return origins, p.flush()
}

// added counts the added lines, and flushes a full batch.
func (p *replayer) added() error {
	if p.n++; p.n%maxEntries > 0 {
		return nil
	}
	if err := p.flush(); err != nil || p.n%replayCommit > 0 {
		return err
	}
	_, err := p.sink.Commit(false) // limits the memory of the sink
	return err
}

// flush passes the batch to the sink, unless it is empty.
func (p *replayer) flush() error {
	if p.n == 0 {
		return nil
	}
	defer p.batch.Reset()
	return p.sink.Write(p.batch.Results())
}

// robotsResult returns a robots.txt as a sink gets it.
func robotsResult(rec *robotsext.Record) *output.Robots {
	r := &output.Robots{
		Origin: string(rec.Origin), Outcome: rec.Outcome.String(), Status: rec.Status,
		FetchedAt: rec.FetchedAt, ExpiresAt: rec.ExpiresAt, RetryAt: rec.RetryAt,
	}
	if n := len(rec.RedirectChain); n > 0 {
		r.URL = rec.RedirectChain[n-1]
	}
	if rec.Err != nil {
		r.Error = rec.Err.Error()
	}
	if !rec.NoStore {
		r.Body = rec.Body // ROB-CAC-06
	}
	return r
}
