package results

import (
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
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
func (r *Writer) WriteRejected(all bool, blocked func(frontier.Host, robotsext.Origin) (Block, error)) (Listed, error) {
	w := &rejectedWriter{
		r: r, blocks: make(map[robotsext.Origin]Block),
		listed: Listed{Rejected: make(map[output.Reason]int), Checks: make(map[output.CheckResult]int)},
	}
	if err := r.Skipped.each(w.skipped); err != nil {
		return w.listed, err
	}
	if err := w.flush(); err != nil {
		return w.listed, err
	}
	r.Skipped.setListed()
	origins, deferred := r.Deferred.All()
	var hosts []frontier.Host
	for _, o := range origins {
		hosts = append(hosts, weburl.ServerOf(string(o)))
	}
	if all {
		hosts = nil
	} else if len(hosts) == 0 {
		return w.listed, w.flush()
	}
	if err := w.waiting(hosts, deferred, all, blocked); err != nil {
		return w.listed, err
	}
	err := w.flush()
	return w.listed, err
}

// Listed counts the lines that WriteRejected has written.
type Listed struct {
	Rejected map[output.Reason]int
	Checks   map[output.CheckResult]int
	Next     time.Time // when the first waiting URL may be requested; zero: there is none
}

// rejectedWriter writes lines of rejected.jsonl in batches.
type rejectedWriter struct {
	r      *Writer
	blocks map[robotsext.Origin]Block // results of blocked

	batch   Batch
	entries []*entry       // skipped, unless the frontier knows them
	keys    []frontier.Key // of entries
	n       int            // lines

	listed Listed
}

const (
	// rejectedBatch is the number of lines in a batch.
	rejectedBatch = 1000

	// maxBlocks is the maximum size of blocks.
	maxBlocks = 10_000
)

// skipped adds a skipped URL.
func (w *rejectedWriter) skipped(e *entry) error {
	w.entries, w.keys = append(w.entries, e), append(w.keys, e.frontierKey())
	if len(w.entries) < rejectedBatch {
		return nil
	}
	return w.flush()
}

// waiting adds the URLs of hosts in the frontier whose origins are deferred; with all, the
// other URLs too. Blocked is that of WriteRejected.
func (w *rejectedWriter) waiting(hosts []frontier.Host, deferred map[robotsext.Origin]*Deferral, all bool, blocked func(frontier.Host, robotsext.Origin) (Block, error)) error {
	list, ok := w.r.cfg.Frontier.(frontier.Lister)
	if !ok {
		return nil
	}
	for item, err := range list.Waiting(w.r.cfg.Lifecycle.CommitCtx, hosts...) {
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
		p, _ := provenance.Decode(item.Meta) // an item that cannot be decoded is skipped when it is leased
		b, known := w.blocks[o]
		if !known {
			var err error
			if b, err = blocked(item.Host, o); err != nil {
				return err
			}
			if len(w.blocks) >= maxBlocks {
				clear(w.blocks)
			}
			w.blocks[o] = b
		}
		if j.Detail == "" {
			j.Detail = b.Reason
		}
		j.RetryAt = b.Until.UTC()
		if item.NotBefore.After(b.Until) {
			j.RetryAt = item.NotBefore.UTC()
		}
		if w.listed.Next.IsZero() || j.RetryAt.Before(w.listed.Next) {
			w.listed.Next = j.RetryAt
		}
		j.URL = item.URL
		if p.IsCheck() {
			if err := w.check(&j, p); err != nil {
				return err
			}
			continue
		}
		j.Depth, j.FoundOn, j.Source = p.Depth, p.FoundOn, p.Source.String()
		w.listed.Rejected[j.Reason]++
		LogSkipped(w.r.cfg.Log, &j, 0)
		if err := w.write(&j); err != nil {
			return err
		}
	}
	return nil
}

func (w *rejectedWriter) write(j *output.Rejection) error {
	if err := Rejected.Add(&w.batch, j); err != nil {
		return err
	}
	return w.added()
}

// check writes the line of a check that was not made.
func (w *rejectedWriter) check(j *output.Rejection, p provenance.Provenance) error {
	line := &output.Check{URL: j.URL, Result: output.CheckUnverified, Kind: p.Check, FoundOn: p.FoundOn, Reason: j.Reason, Detail: j.Detail}
	w.listed.Checks[line.Result]++
	if err := Checks.Add(&w.batch, line); err != nil {
		return err
	}
	return w.added()
}

// added writes a full batch.
func (w *rejectedWriter) added() error {
	if w.n++; w.n%rejectedBatch > 0 {
		return nil
	}
	return w.flush()
}

func (w *rejectedWriter) flush() error {
	if len(w.entries) > 0 {
		known, err := w.r.cfg.Frontier.Known(w.r.cfg.Lifecycle.CommitCtx, w.keys)
		if err != nil {
			return err
		}
		entries := w.entries
		w.entries, w.keys = nil, nil
		for i, e := range entries {
			if known[i] { // it was added after all
				continue
			}
			e.Skipped.WasProvisional = true
			w.listed.Rejected[e.Skipped.Reason]++
			if err := w.write(e.Skipped); err != nil {
				return err
			}
		}
	}
	defer w.batch.Reset()
	return w.r.write(&w.batch)
}
