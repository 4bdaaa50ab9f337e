package results

import (
	"path/filepath"

	"github.com/politecrawl/politecrawl/crawler/internal/jsonlines"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// A File is a JSON lines file whose lines are results of the type T. The table files has all of them:
// another file is a row there, a field of [Lengths] and one of [output.Results].
type File[T any] struct {
	name   string
	index  int // in files
	lines  func(*output.Results) *[]*T
	length func(*Lengths) *int64
}

// The files of results.
var (
	Pages       = &File[output.Page]{PagesFile, 0, func(r *output.Results) *[]*output.Page { return &r.Pages }, func(l *Lengths) *int64 { return &l.Pages }}
	Rejected    = &File[output.Rejection]{RejectedFile, 1, func(r *output.Results) *[]*output.Rejection { return &r.Rejected }, func(l *Lengths) *int64 { return &l.Rejected }}
	Sitemaps    = &File[output.Sitemap]{SitemapsFile, 2, func(r *output.Results) *[]*output.Sitemap { return &r.Sitemaps }, func(l *Lengths) *int64 { return &l.Sitemaps }}
	Links       = &File[output.Links]{LinksFile, 3, func(r *output.Results) *[]*output.Links { return &r.Links }, func(l *Lengths) *int64 { return &l.Links }}
	Entries     = &File[output.Entry]{EntriesFile, 4, func(r *output.Results) *[]*output.Entry { return &r.Entries }, func(l *Lengths) *int64 { return &l.Entries }}
	Checks      = &File[output.Check]{ChecksFile, 5, func(r *output.Results) *[]*output.Check { return &r.Checks }, func(l *Lengths) *int64 { return &l.Checks }}
	Anchors     = &File[output.Anchors]{AnchorsFile, 6, func(r *output.Results) *[]*output.Anchors { return &r.Anchors }, func(l *Lengths) *int64 { return &l.Anchors }}
	Permissions = &File[output.Permission]{PermissionsFile, 7, func(r *output.Results) *[]*output.Permission { return &r.Permissions }, func(l *Lengths) *int64 { return &l.Permissions }}
)

const kinds = 8

// files are the files of results, by their index.
var files = [kinds]AnyFile{Pages, Rejected, Sitemaps, Links, Entries, Checks, Anchors, Permissions}

// An AnyFile is a [File] of any type.
type AnyFile interface {
	// Replay adds the lines of the file in a directory to a batch, and calls added after each. A missing
	// file has no lines.
	Replay(dir string, b *Batch, added func() error) error

	fileName() string
	lengthIn(*Lengths) *int64
	join(to, from *output.Results)
	empty(*output.Results)
}

// All returns the files of results.
func All() []AnyFile { return files[:] }

// Add adds a line to a batch.
func (f *File[T]) Add(b *Batch, v *T) error {
	list := f.lines(&b.results)
	*list = append(*list, v)
	line, err := jsonlines.Line(b.lines[f.index], v)
	if err != nil {
		return err
	}
	b.lines[f.index] = line
	return nil
}

// Replay implements AnyFile.
func (f *File[T]) Replay(dir string, b *Batch, added func() error) error {
	name := filepath.Join(dir, f.name)
	if !exists(name) {
		return nil
	}
	return jsonlines.Each(name, func(_ int64, v *T) error {
		if err := f.Add(b, v); err != nil {
			return err
		}
		return added()
	})
}

func (f *File[T]) fileName() string           { return f.name }
func (f *File[T]) lengthIn(l *Lengths) *int64 { return f.length(l) }

func (f *File[T]) join(to, from *output.Results) {
	list := f.lines(to)
	*list = append(*list, *f.lines(from)...)
}

func (f *File[T]) empty(r *output.Results) { empty(f.lines(r)) }
