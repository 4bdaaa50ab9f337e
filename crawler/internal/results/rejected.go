package results

import (
	"bufio"
	"cmp"
	"errors"
	"os"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/durable"
	"github.com/politecrawl/politecrawl/crawler/internal/jsonlines"
	"github.com/politecrawl/politecrawl/crawler/internal/provenance"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext"
)

// Block says until when the URLs of an origin cannot be requested, and why.
type Block struct {
	Until  time.Time
	Reason string
}

// WriteRejected writes rejected.jsonl at the end of the crawl: the URLs that are still skipped
// and those of deferred origins. With all, it also writes all other URLs in the frontier.
// Blocked says until when the URLs of an origin cannot be requested, and why.
//
// URLs in the frontier are listed only if it is a [frontier.Lister]. The lines are not
// committed: a resumed crawl removes them first.
func (w *Writer) WriteRejected(all bool, blocked func(robotsext.Origin) (Block, error)) (Listed, error) {
	l := &rejectedLister{
		w: w, blocked: blocked, blocks: make(map[robotsext.Origin]Block),
		listed: Listed{Rejected: make(map[output.Reason]int), Checks: make(map[output.CheckResult]int)},
	}
	err := l.skipped()
	if err == nil {
		w.Skipped.setListed()
		err = l.waiting(all)
	}
	return l.listed, err
}

// Listed counts the lines that WriteRejected has written.
type Listed struct {
	Rejected map[output.Reason]int
	Checks   map[output.CheckResult]int
	Next     time.Time // when the first waiting URL may be requested; zero if there is none
}

// rejectedLister writes lines of rejected.jsonl in batches.
type rejectedLister struct {
	w       *Writer
	blocked func(robotsext.Origin) (Block, error)
	blocks  map[robotsext.Origin]Block // results of blocked

	batch  Batch
	lines  int
	listed Listed
}

const (
	// rejectedBatch is the number of lines in a batch.
	rejectedBatch = 1000

	// maxBlocks is the maximum size of blocks.
	maxBlocks = 10_000
)

// skipped writes the URLs that are still skipped.
func (l *rejectedLister) skipped() error {
	var entries []*entry
	err := l.w.Skipped.each(func(e *entry) error {
		if entries = append(entries, e); len(entries) < rejectedBatch {
			return nil
		}
		err := l.unknown(entries)
		entries = nil
		return err
	})
	if err == nil {
		err = l.unknown(entries)
	}
	if err != nil {
		return err
	}
	return l.flush()
}

// unknown writes skipped URLs, unless they were added to the frontier after all.
func (l *rejectedLister) unknown(entries []*entry) error {
	var keys []frontier.Key
	var of []int // the entry of each key
	for i, e := range entries {
		for _, key := range e.keys() {
			keys, of = append(keys, key), append(of, i)
		}
	}
	known, err := l.w.cfg.Frontier.Known(l.w.cfg.Lifecycle.CommitCtx, keys)
	if err != nil {
		return err
	}
	added := make([]bool, len(entries))
	for i, known := range known {
		added[of[i]] = added[of[i]] || known
	}
	for i, e := range entries {
		if added[i] {
			continue
		}
		e.Skipped.WasProvisional = true
		if err := l.reject(e.Skipped); err != nil {
			return err
		}
	}
	return nil
}

// waiting writes the URLs of deferred origins in the frontier; with all, the other URLs too.
func (l *rejectedLister) waiting(all bool) error {
	list, ok := l.w.cfg.Frontier.(frontier.Lister)
	origins, deferred := l.w.Deferred.All()
	if !ok || !all && len(origins) == 0 {
		return nil
	}
	var hosts []frontier.Host // all: none
	for _, o := range origins {
		if !all {
			hosts = append(hosts, weburl.ServerOf(string(o)))
		}
	}
	for item, err := range list.Waiting(l.w.cfg.Lifecycle.CommitCtx, hosts...) {
		if err != nil {
			return err
		}
		o := weburl.OriginOf(item.URL)
		j := output.Rejection{Reason: output.Deferred}
		if d := deferred[o]; d != nil {
			j = d.Rejection
		} else if !all {
			continue
		}
		b, err := l.blockOf(o)
		if err != nil {
			return err
		}
		j.URL, j.Detail = item.URL, cmp.Or(j.Detail, b.Reason)
		j.RetryAt = b.Until.UTC()
		if item.NotBefore.After(b.Until) {
			j.RetryAt = item.NotBefore.UTC()
		}
		if l.listed.Next.IsZero() || j.RetryAt.Before(l.listed.Next) {
			l.listed.Next = j.RetryAt
		}
		p, _ := provenance.Decode(item.Meta) // an item that cannot be decoded is skipped when it is leased
		if provenance.IsCheck(item.Kind) {
			line := &output.Check{URL: j.URL, Result: output.CheckUnverified, Kind: p.Check, FoundOn: p.FoundOn, Reason: j.Reason, Detail: j.Detail}
			l.listed.Checks[line.Result]++
			err = addListed(l, Checks, line)
		} else {
			j.Depth, j.FoundOn, j.Source = p.Depth, p.FoundOn, p.Source.String()
			LogSkipped(l.w.cfg.Log, &j, 0)
			err = l.reject(&j)
		}
		if err != nil {
			return err
		}
	}
	return l.flush()
}

// blockOf returns what blocks the URLs of an origin.
func (l *rejectedLister) blockOf(o robotsext.Origin) (Block, error) {
	if b, known := l.blocks[o]; known {
		return b, nil
	}
	b, err := l.blocked(o)
	if len(l.blocks) >= maxBlocks {
		clear(l.blocks)
	}
	l.blocks[o] = b
	return b, err
}

func (l *rejectedLister) reject(j *output.Rejection) error {
	l.listed.Rejected[j.Reason]++
	return addListed(l, Rejected, j)
}

// addListed adds a line, and writes a full batch.
func addListed[T any](l *rejectedLister, f *File[T], line *T) error {
	if err := f.Add(&l.batch, line); err != nil {
		return err
	}
	if l.lines++; l.lines%rejectedBatch > 0 {
		return nil
	}
	return l.flush()
}

func (l *rejectedLister) flush() error {
	defer l.batch.reset()
	return l.w.write(&l.batch)
}

// DropRejections removes lines from rejected.jsonl, after Load and before Open: those for which drop returns true,
// those that are not committed, and unreadable ones. It syncs the file. The files of the formats are rewritten later.
func (w *Writer) DropRejections(drop func(*output.Rejection) bool) error {
	kept, err := createTemp(w.path(Rejected.name), 0o644) // there may be too many for memory
	if err != nil {
		return err
	}
	buffer, line, length := bufio.NewWriter(kept), []byte(nil), int64(0)
	err = jsonlines.Each(w.path(Rejected.name), func(at int64, r *output.Rejection) error {
		if at >= w.committed.Lengths[Rejected.name] || drop(r) {
			return nil
		}
		if line, err = jsonlines.Line(line[:0], r); err != nil {
			return err
		}
		length += int64(len(line))
		_, err = buffer.Write(line)
		return err
	})
	if err = errors.Join(jsonlines.Readable(err), buffer.Flush()); err == nil {
		err = durable.File(kept)
	}
	if err = errors.Join(err, kept.Close()); err == nil {
		err = durable.Rename(kept.Name(), w.path(Rejected.name))
	}
	if err != nil {
		return errors.Join(err, os.Remove(kept.Name()))
	}
	w.committed.Lengths[Rejected.name] = length
	for _, f := range w.cfg.Available {
		if !f.Exchanges { // the sink gets all lines again
			w.committed.setStale(f.Name)
		}
	}
	return w.finish(nil)
}
