package results

import (
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

// CheckFormats returns an error if a crawl cannot be resumed in its formats. Wrote are the formats of the last run. It
// reports formats that are no longer used or that will be rewritten. It changes nothing that is committed.
func (w *Writer) CheckFormats(wrote []string) error {
	for _, f := range w.cfg.Formats {
		if f.Name == "" || w.committed.Sinks[f.Name] != nil {
			continue
		}
		for _, other := range w.cfg.Available {
			if w.committed.Sinks[other.Name] != nil && shareFiles(f, other) {
				return formatErrorf("the files of %s are those of %s, in which this crawl is written; use that", f.Name, other.Name)
			}
		}
		if slices.Contains(wrote, f.Name) || slices.Contains(w.committed.Stale, f.Name) || f.Exchanges { // an archive keeps files that it did not write
			continue
		}
		names, err := FilesOf(w.cfg.Dir, f)
		if err != nil {
			return err
		}
		if len(names) > 0 {
			return fmt.Errorf("%w: %q has %s in it, which this crawl did not write; move it away, or omit the format %s",
				output.ErrExists, w.cfg.Dir, names[0], f.Name)
		}
	}
	for _, f := range w.cfg.Available {
		used := slices.ContainsFunc(w.cfg.Formats, func(g output.Format) bool { return g.Name == f.Name })
		switch {
		case f.Name == "" || used || w.committed.Sinks[f.Name] == nil:
		case f.Exchanges:
			w.truncateArchive(f)
			w.cfg.Lifecycle.Board.Show(fmt.Sprintf("%s is not written this time; what is fetched now will never be in it", f.Name))
		default:
			w.committed.setStale(f.Name)
		}
	}
	if n := len(w.committed.Sinks) + len(w.committed.Stale) + len(w.cfg.Formats); n > 2*maxFormats {
		return formatErrorf("too many formats in one crawl")
	}
	return nil
}
