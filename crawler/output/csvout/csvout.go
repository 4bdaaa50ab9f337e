package csvout

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/politecrawl/politecrawl/crawler/internal/durable"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/output/internal/rows"
)

// The names of the files in the directory of a crawl.
const (
	PagesFile     = "pages.csv"
	RejectedFile  = "rejected.csv"
	LinksFile     = "links.csv"
	SitemapsFile  = "sitemaps.csv"
	EntriesFile   = "entries.csv"
	ChecksFile    = "checks.csv"
	ResourcesFile = "resources.csv"

	PermissionsFile = "permissions.csv"
)

// ErrCheckpoint says that Open got a checkpoint of another format.
var ErrCheckpoint = errors.New("not a checkpoint of this format")

// Options configure [Format]. Nil means the zero value, which is safe for spreadsheets.
type Options struct {
	// KeepFormulas leaves formulas unchanged. Use it only for files that no spreadsheet opens.
	KeepFormulas bool
}

// Format returns the format "csv".
func Format(opts *Options) output.Format {
	var o Options
	if opts != nil {
		o = *opts
	}
	format := output.Format{Name: "csv", Open: func(dir string, checkpoint []byte) (output.Sink, error) { return open(dir, checkpoint, o) }}
	format.Files = append(format.Files, tables[:]...)
	return format
}

// A sink has the files of one crawl.
type sink struct {
	dir          string
	named        bool // the directory entries are on disk
	keepFormulas bool
	files        [len(tables)]*file
	cells        []string // of the record that is being written
}

// lengths has the length of each file, in the order of tables. A checkpoint is its JSON.
type lengths [len(tables)]int64

func open(dir string, checkpoint []byte, opts Options) (_ output.Sink, err error) {
	var counted lengths
	if checkpoint != nil {
		var list []int64
		if err := json.Unmarshal(checkpoint, &list); err != nil {
			return nil, fmt.Errorf("%w: %q", ErrCheckpoint, checkpoint)
		}
		if copy(counted[:], list) < len(counted) {
			return nil, fmt.Errorf("%w: the version that wrote the tables has fewer of them", output.ErrIncomplete)
		}
	}
	s := &sink{dir: dir, keepFormulas: opts.KeepFormulas}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
		}
	}()
	for i, name := range tables {
		if s.files[i], err = openFile(filepath.Join(dir, name), rows.Columns[i], counted[i]); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Write implements [output.Sink].
func (s *sink) Write(f *output.Results) error {
	for _, l := range f.Links {
		for _, to := range l.To {
			if err := s.record(rows.Links, l.URL, to.URL, to.Text, to.Rel, to.Kind); err != nil {
				return err
			}
		}
		for _, to := range l.Resources {
			if err := s.record(rows.Resources, l.URL, to.URL); err != nil {
				return err
			}
		}
	}
	return rows.Write(f, s.record)
}

// Commit implements [output.Sink].
func (s *sink) Commit(power bool) (checkpoint []byte, err error) {
	var now lengths
	for i, f := range s.files {
		if err := f.flush(power); err != nil {
			return nil, err
		}
		now[i] = f.length
	}
	if power && !s.named {
		if err := durable.Dir(s.dir); err != nil {
			return nil, err
		}
		s.named = true
	}
	return json.Marshal(now)
}

// Close implements [output.Sink].
func (s *sink) Close() error {
	var errs []error
	for _, f := range s.files {
		if f != nil {
			errs = append(errs, f.file.Close())
		}
	}
	return errors.Join(errs...)
}
