package crawler

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext"
)

// outputs is everything that a crawl writes what it finds to: the directory, and the
// sinks beside it.
type outputs struct {
	dir     *output.Dir
	journal *journal
	power   bool // what is written has to outlive the machine
	sinks   []sink

	mu    sync.Mutex                    // guards both below
	loose output.Found                  // for the sinks, with what is written next
	held  map[string][]*output.Exchange // by the URL of the page that they wait for
}

// A sink is one of the configuration.
type sink struct {
	output.Sink
	name string
}

// A counted is how much of what was written counts. It is the frontier's note: so both
// agree after a crash.
type counted struct {
	output.Lengths
	Sinks map[string][]byte `json:"sinks,omitempty"` // the marks, by name; also of those not used this time
}

// bytes is the form in which the frontier keeps it.
func (c *counted) bytes() []byte {
	b, err := json.Marshal(c)
	if err != nil {
		panic(err) // numbers, and bytes by name
	}
	return b
}

// countedIn reads a note. Without one nothing counts.
func countedIn(note []byte) (c counted, err error) {
	if note == nil {
		return c, nil
	}
	if err := json.Unmarshal(note, &c); err != nil {
		return c, fmt.Errorf("crawler: the frontier's note on the output: %w", err)
	}
	return c, nil
}

// maxFormats keeps the marks within a frontier's note.
const maxFormats = 8

// chosen returns the formats that a configuration names, and those without a name.
func chosen(names []string, formats []output.Format) ([]output.Format, error) {
	var all []output.Format
	have := make(map[string]output.Format)
	for _, f := range formats {
		if f.Name == "" {
			all = append(all, f)
		} else {
			have[f.Name] = f
		}
	}
	for i, name := range names {
		f, ok := have[name]
		switch {
		case !ok && len(have) == 0:
			return nil, fmt.Errorf("%w: write: there is no format %q: none was given", ErrConfig, name)
		case !ok:
			return nil, fmt.Errorf("%w: write: there is no format %q; there are %s", ErrConfig, name, strings.Join(slices.Sorted(maps.Keys(have)), ", "))
		case slices.Contains(names[:i], name):
			return nil, fmt.Errorf("%w: write: %q is named twice", ErrConfig, name)
		}
		for _, other := range all {
			if slices.ContainsFunc(f.Files, func(file string) bool { return slices.Contains(other.Files, file) }) {
				return nil, fmt.Errorf("%w: write: %s and %s write the same files; choose one", ErrConfig, other.Name, name)
			}
		}
		all = append(all, f)
	}
	if len(names) > maxFormats {
		return nil, fmt.Errorf("%w: write: %d formats, at most %d", ErrConfig, len(names), maxFormats)
	}
	return all, nil
}

// openSinks opens the sinks beside the directory, each where its mark says. One that
// was not used before is first given what the directory has.
func (o *outputs) openSinks(formats []output.Format, marks map[string][]byte) error {
	for _, f := range formats {
		mark := marks[f.Name]
		if f.Name == "" {
			mark = nil
		}
		s, err := f.Open(o.dir.Path(), mark)
		if err != nil {
			return fmt.Errorf("crawler: write %s: %w", f.Name, err)
		}
		o.sinks = append(o.sinks, sink{s, f.Name})
		if f.Name == "" || mark != nil {
			continue
		}
		if err := replay(o.dir, s); err != nil {
			return fmt.Errorf("crawler: write %s: %w", f.Name, err)
		}
	}
	return nil
}

// replay gives a sink what the files of lines hold. There are no exchanges in them.
func replay(dir *output.Dir, s output.Sink) error {
	var batch output.Batch
	n := 0
	flush := func() error {
		defer batch.Reset()
		return s.Write(batch.Found())
	}
	add := func(err error) error {
		if n++; err != nil || n%maxPostings > 0 {
			return err
		}
		return flush()
	}
	path := func(name string) string { return filepath.Join(dir.Path(), name) }
	err := errors.Join(
		each(path(output.SitemapsFile), func(v *output.Sitemap) error { return add(batch.Sitemap(v)) }),
		each(path(output.EntriesFile), func(v *output.Entry) error { return add(batch.Entry(v)) }),
		each(path(output.PagesFile), func(v *output.Page) error { return add(batch.Page(v)) }),
		each(path(output.LinksFile), func(v *output.Links) error { return add(batch.Links(v)) }),
		each(path(output.RejectedFile), func(v *output.Rejection) error { return add(batch.Reject(v)) }),
	)
	if err != nil {
		return err
	}
	err = each(path(output.RobotsFile), func(v *robotsext.Record) error {
		batch.Loose(&output.Found{Robots: []*output.Robots{robotsFound(v)}})
		return add(nil)
	})
	if err != nil || n == 0 {
		return err
	}
	return flush()
}

// robotsFound is what a sink is told of a robots.txt.
func robotsFound(rec *robotsext.Record) *output.Robots {
	r := &output.Robots{
		Origin: string(rec.Origin), Outcome: rec.Outcome.String(), Status: rec.Status,
		FetchedAt: rec.FetchedAt, ExpiresAt: rec.ExpiresAt, RetryAt: rec.RetryAt,
	}
	if n := len(rec.Chain); n > 0 {
		r.URL = rec.Chain[n-1]
	}
	if rec.Err != nil {
		r.Error = rec.Err.Error()
	}
	if !rec.NoStore {
		r.Body = rec.Body // ROB-CAC-06
	}
	return r
}

// add keeps what stands in no file of lines for the sinks: they get it with what is
// written next.
func (o *outputs) add(change func(*output.Found)) {
	if len(o.sinks) == 0 {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	change(&o.loose)
}

// exchange takes what has gone over the wire. That of a page is held back until the
// page has been read.
func (o *outputs) exchange(e *output.Exchange, held string) {
	if held == "" {
		o.add(func(f *output.Found) { f.Exchanges = append(f.Exchanges, e) })
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.held == nil {
		o.held = make(map[string][]*output.Exchange)
	}
	o.held[held] = append(o.held[held], e)
}

// release lets the exchanges of a page go: without the content, where a directive asks
// for that.
func (o *outputs) release(url, withheld string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, e := range o.held[url] {
		if withheld != "" {
			e.Body, e.Withheld = nil, withheld
		}
		o.loose.Exchanges = append(o.loose.Exchanges, e)
	}
	delete(o.held, url)
}

// write writes a batch everywhere.
func (o *outputs) write(b *output.Batch) error {
	if err := o.dir.Write(b); err != nil {
		return err
	}
	if len(o.sinks) == 0 {
		return nil
	}
	o.mu.Lock()
	loose := o.loose
	o.loose = output.Found{}
	o.mu.Unlock()
	b.Loose(&loose)
	for _, s := range o.sinks {
		if err := s.Write(b.Found()); err != nil {
			return fmt.Errorf("crawler: write %s: %w", s.name, err)
		}
	}
	return nil
}

// commit makes what was written last, and returns how much that is. Marks of sinks
// that are not used stay as they were.
func (o *outputs) commit(c *counted) error {
	if o.power {
		if err := errors.Join(o.dir.Sync(), o.journal.log.Sync()); err != nil {
			return err
		}
	}
	c.Lengths = o.dir.Lengths()
	for _, s := range o.sinks {
		mark, err := s.Commit(o.power)
		if err == nil && len(mark) > output.MaxMark {
			err = fmt.Errorf("a mark of %d bytes, more than %d", len(mark), output.MaxMark)
		}
		if err != nil {
			return fmt.Errorf("crawler: write %s: %w", s.name, err)
		}
		if s.name == "" {
			continue
		}
		if c.Sinks == nil {
			c.Sinks = make(map[string][]byte)
		}
		c.Sinks[s.name] = append([]byte{}, mark...) // not nil: it is in use
	}
	return nil
}

// close closes the files and the sinks.
func (o *outputs) close() error {
	var errs []error
	for _, s := range o.sinks {
		if err := s.Close(); err != nil {
			errs = append(errs, fmt.Errorf("crawler: write %s: %w", s.name, err))
		}
	}
	if o.journal != nil {
		errs = append(errs, o.journal.close())
	}
	if o.dir != nil {
		errs = append(errs, o.dir.Close())
	}
	return errors.Join(errs...)
}
