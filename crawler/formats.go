package crawler

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/politecrawl/politecrawl/crawler/errtext"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// A counted is how much of what was written counts. It is the frontier's note: so both
// agree after a crash.
type counted struct {
	output.Lengths
	Robots  int64             `json:"robots"`          // bytes of robots.jsonl, as far as sinks have it
	Journal int64             `json:"journal"`         // bytes of the journal: all of it counts, this shows what is lost
	Sinks   map[string][]byte `json:"sinks,omitempty"` // the marks, by the names of formats

	// Stale are formats that had a mark, and were not used since: what lacks in their
	// files is made good when they are used again.
	Stale []string `json:"stale,omitempty"`
}

// stale makes a format one.
func (c *counted) stale(name string) {
	if c.Sinks[name] != nil {
		delete(c.Sinks, name)
		c.Stale = append(c.Stale, name)
	}
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

// maxFormats and maxFormatName keep the marks within a frontier's note.
const (
	maxFormats    = 8
	maxFormatName = 40
)

// chosen returns the formats that a configuration names, and those without a name.
func chosen(names []string, formats []output.Format) ([]output.Format, error) {
	var all []output.Format
	have := make(map[string]output.Format)
	for _, f := range formats {
		switch {
		case f.Name == "":
			all = append(all, f)
		case len(f.Name) > maxFormatName:
			return nil, fmt.Errorf("%w: write: the name %q has more than %d bytes", ErrConfig, f.Name, maxFormatName)
		default:
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
			if shareFiles(f, other) {
				return nil, fmt.Errorf("%w: write: %s and %s write the same files; choose one", ErrConfig, other.Name, name)
			}
		}
		all = append(all, f)
	}
	return all, nil
}

// shareFiles tells whether two formats write files of the same name.
func shareFiles(a, b output.Format) bool {
	return slices.ContainsFunc(a.Files, func(file string) bool { return slices.Contains(b.Files, file) })
}

// takeOver says whether the formats of a crawl that goes on can do so too, before
// anything is changed; wrote are those that it was written in when it was last at work.
// One that is not used any more is told of, or will be made anew.
func (c *Crawler) takeOver(wrote []string) error {
	used := func(name string) bool {
		return slices.ContainsFunc(c.formats, func(f output.Format) bool { return f.Name == name })
	}
	for _, f := range c.formats {
		if f.Name == "" || c.counted.Sinks[f.Name] != nil {
			continue
		}
		for _, other := range c.opts.Formats {
			if c.counted.Sinks[other.Name] != nil && shareFiles(f, other) {
				return fmt.Errorf("%w: write: the files of %s are those of %s, in which this crawl is written; go on with that", ErrConfig, f.Name, other.Name)
			}
		}
		if slices.Contains(wrote, f.Name) || slices.Contains(c.counted.Stale, f.Name) {
			continue
		}
		names, err := output.FilesOf(c.cfg.Output, f)
		if err != nil {
			return err
		}
		if len(names) > 0 {
			return fmt.Errorf("%w: %q has %s in it, which this crawl did not write; move it away, or do without the format %s",
				output.ErrExists, c.cfg.Output, names[0], f.Name)
		}
	}
	for _, f := range c.opts.Formats {
		switch {
		case f.Name == "" || used(f.Name) || c.counted.Sinks[f.Name] == nil:
		case f.Exchanges:
			c.notice(fmt.Sprintf("%s is not written this time; what is fetched now will never be in it", f.Name))
		default:
			c.counted.stale(f.Name)
		}
	}
	if n := len(c.counted.Sinks) + len(c.counted.Stale) + len(c.formats); n > 2*maxFormats {
		return fmt.Errorf("%w: write: too many formats in one crawl", ErrConfig)
	}
	return nil
}

// openSinks opens the sinks beside the directory, each where its mark says. One that
// has none is first given what the directory has. Where files have lost something or were
// rewritten, the frontier gets their new lengths at once: a crawl that has nothing left to
// fetch gives it none later, and the next one would find the same again.
func (c *Crawler) openSinks() error {
	changed := false
	for _, f := range c.formats {
		rewritten, err := c.openSink(f)
		if err != nil {
			return fmt.Errorf("crawler: write %s: %w", sinkName(f.Name), err)
		}
		changed = changed || rewritten
	}
	if !c.opts.Resume || !changed && len(c.state.Lost) == 0 {
		return nil
	}
	c.out.robotsGiven = c.out.dir.RobotsLog().Length()
	if err := c.out.commit(&c.counted); err != nil {
		return err
	}
	_, err := c.frontier.Finish(c.books, nil, c.counted.bytes())
	return err
}

// openSink tells whether the files of the format were rewritten.
func (c *Crawler) openSink(f output.Format) (rewritten bool, err error) {
	mark, err := c.markOf(f)
	if err != nil {
		return false, err
	}
	opened, err := f.Open(c.out.dir.Path(), mark)
	if mark != nil && errors.Is(err, output.ErrIncomplete) && !f.Exchanges {
		if err := c.writeAnew(f, err); err != nil {
			return false, err
		}
		mark = nil
		opened, err = f.Open(c.out.dir.Path(), nil)
	}
	if err != nil {
		return false, err
	}
	s := sink{opened, f.Name}
	c.out.sinks = append(c.out.sinks, s)
	if lossy, ok := opened.(output.Lossy); ok && len(lossy.Lost()) > 0 {
		c.noteLosses(c.state, lossy.Lost())
		if err := output.SaveState(c.cfg.Output, c.state); err != nil {
			return false, err
		}
	}
	switch {
	case f.Name == "":
		return false, nil
	case mark == nil:
		c.counted.Stale = slices.DeleteFunc(c.counted.Stale, func(name string) bool { return name == f.Name })
		return true, c.replay(s)
	}
	origins, err := c.replayRobots(s, c.counted.Robots)
	if f.Exchanges {
		c.out.requestAgain(slices.Collect(maps.Keys(origins))...)
	}
	return false, err
}

// writeAnew makes way for the files of a format that are to be written anew, since they are
// incomplete, as err says. What is left of them is kept where lines are lost or damaged too:
// it may be more than the lines can bring back.
func (c *Crawler) writeAnew(f output.Format, err error) error {
	c.log.Warn("files written anew", "format", f.Name, "error", err)
	text := fmt.Sprintf("the files of %s are written anew: %s", f.Name, errtext.Of(err))
	if err := c.checkLines(); err != nil {
		return err
	}
	if len(c.tally.summary().Lost) > 0 {
		kept, err := output.KeepLost(c.out.dir.Path(), f)
		if err != nil {
			return err
		}
		if len(kept) > 0 {
			text += "; what is left of them is in " + strings.Join(kept, ", ")
		}
	}
	c.notice(text)
	return nil
}

// markOf is where the sink of a format goes on; nil: it begins anew. Files that somebody
// has removed are made again, as far as that can be done.
func (c *Crawler) markOf(f output.Format) ([]byte, error) {
	mark := c.counted.Sinks[f.Name]                      // none for one without a name
	if mark == nil || len(f.Files) == 0 || f.Exchanges { // which says itself what is gone
		return mark, nil
	}
	names, err := output.FilesOf(c.out.dir.Path(), f)
	if err != nil || len(names) > 0 {
		return mark, err
	}
	c.notice(fmt.Sprintf("the files of %s are gone, and are written anew", f.Name))
	return nil, nil
}

// sinkName is what a person is told a sink is called.
func sinkName(name string) string {
	if name == "" {
		return "(a sink without a name)"
	}
	return name
}
