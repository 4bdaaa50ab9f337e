package results

import (
	"strings"

	"github.com/politecrawl/politecrawl/crawler/internal/jsonlines"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// The names in the directory of a crawl, besides those of results.
const (
	RobotsFile  = "robots.jsonl"
	JournalFile = "journal.jsonl"

	RobotsDir = "robots"
	StateFile = "crawl.json"
)

// The table of the files: another file of results is a row here, and its type with a field of
// [output.Results]. A crawl handles its files in a loop over the table, and the lists of files in
// documents come from it.
var (
	Pages = add(&File[output.Page]{row{
		name: "pages.jsonl", lossIsFinal: true, replayed: true, generations: true,
		line:    "URL that was fetched, whatever the status",
		written: "always",
	}, func(r *output.Results) *[]*output.Page { return &r.Pages }})
	Rejected = add(&File[output.Rejection]{row{
		name: "rejected.jsonl", replayed: true,
		line:    "skipped URL, with the reason; some lines are written when the crawl ends",
		written: "always",
	}, func(r *output.Results) *[]*output.Rejection { return &r.Rejected }})
	Sitemaps = add(&File[output.Sitemap]{row{
		name: "sitemaps.jsonl", lossIsFinal: true, replayed: true,
		line:    "sitemap file that was requested",
		written: "always",
	}, func(r *output.Results) *[]*output.Sitemap { return &r.Sitemaps }})
	Links = add(&File[output.Links]{row{
		name:    "links.jsonl",
		line:    "page with links",
		written: "unless `links` is false",
	}, func(r *output.Results) *[]*output.Links { return &r.Links }})
	Entries = add(&File[output.Entry]{row{
		name:    "entries.jsonl",
		line:    "page that a sitemap lists",
		written: "always",
	}, func(r *output.Results) *[]*output.Entry { return &r.Entries }})
	Checks = add(&File[output.Check]{row{
		name: "checks.jsonl", replayed: true,
		line:    "URL that was only checked, or that a page of an archive needs",
		written: "with `check` or `archive`",
	}, func(r *output.Results) *[]*output.Check { return &r.Checks }})
	Anchors = add(&File[output.Anchors]{row{
		name:    "anchors.jsonl",
		line:    "HTML page whose ids are known",
		written: "with `check: fragments`",
	}, func(r *output.Results) *[]*output.Anchors { return &r.Anchors }})
	Permissions = add(&File[output.Permission]{row{
		name:    "permissions.jsonl",
		line:    "page with status 2xx or 304: what it may be used for, and every statement that says so",
		written: "always",
	}, func(r *output.Results) *[]*output.Permission { return &r.Permissions }})

	robotsLog = addRow(&row{
		name: RobotsFile, noteKey: "robots_lines", keepsUncommitted: true,
		line:    "request for a robots.txt",
		written: "always",
	})
	journalLog = addRow(&row{name: JournalFile, keepsUncommitted: true, keptByRecrawl: true})
)

var (
	files []file // those with results
	rows  []*row // all
)

// A row is a JSON lines file of a crawl, and what is done with it.
type row struct {
	name    string
	noteKey string // of its length in the note of the frontier; empty means its name without extension
	index   int    // in rows

	line    string // what a line is about, for the documents
	written string // when the file is written, likewise

	keepsUncommitted bool // every complete line is valid; otherwise a resumed crawl truncates the file to its committed length
	keptByRecrawl    bool // a recrawl appends to it; it renames the others
	lossIsFinal      bool // its lines are of requests, which are not made again if lines are lost
	replayed         bool // a resumed crawl counts its lines
	generations      bool // it is kept for as many recrawls as the settings say; others for the next one
}

// A File is a JSON lines file of results of the type T.
type File[T any] struct {
	row
	lines func(*output.Results) *[]*T
}

// A file is a [File] of any type.
type file interface {
	self() *row
	// replay adds each line of the file in the directory of w to a list of results, and calls added with its offset.
	replay(w *Writer, to *output.Results, added func(at int64) error) error
	join(to, from *output.Results)
	empty(*output.Results)
}

func add[F file](f F) F {
	files = append(files, f)
	addRow(f.self())
	return f
}

func addRow(r *row) *row {
	if r.noteKey == "" {
		r.noteKey = baseOf(r.name)
	}
	r.index = len(rows)
	rows = append(rows, r)
	return r
}

// baseOf returns the name of a file without its extensions.
func baseOf(name string) string {
	base, _, _ := strings.Cut(name, ".")
	return base
}

func (r *row) self() *row { return r }

// Name returns the name of the file.
func (r *row) Name() string { return r.name }

// Add adds a line to a batch.
func (f *File[T]) Add(b *Batch, v *T) error {
	list := f.lines(&b.results)
	*list = append(*list, v)
	text := b.text(&f.row)
	line, err := jsonlines.Line(*text, v)
	if err != nil {
		return err
	}
	*text = line
	return nil
}

// Each calls do for each readable line, with its offset. The file is that of the crawl before the recrawl
// with this number, or of this crawl if it is 0. A missing file has no lines.
func (f *File[T]) Each(w *Writer, number int, do func(at int64, v *T) error) error {
	name := f.name
	if number > 0 {
		name = RotatedName(name, number)
	}
	return Each(w, w.path(name), do)
}

func (f *File[T]) replay(w *Writer, to *output.Results, added func(at int64) error) error {
	return f.Each(w, 0, func(at int64, v *T) error {
		list := f.lines(to)
		*list = append(*list, v)
		return added(at)
	})
}

func (f *File[T]) join(to, from *output.Results) {
	list := f.lines(to)
	*list = append(*list, *f.lines(from)...)
}

func (f *File[T]) empty(r *output.Results) { empty(f.lines(r)) }

// A Batch has results that are written together. The zero Batch is empty. Do not change results
// after adding them.
type Batch struct {
	lines   [][]byte // by the index of their file; nil if none
	results output.Results
}

// text returns the lines of a file.
func (b *Batch) text(r *row) *[]byte {
	if b.lines == nil {
		b.lines = make([][]byte, len(rows))
	}
	return &b.lines[r.index]
}

// Join adds the results of another batch.
func (b *Batch) Join(other *Batch) {
	for i, lines := range other.lines {
		text := b.text(rows[i])
		*text = append(*text, lines...)
	}
	join(&b.results, &other.results)
}

// Results returns the results in the batch, for an [output.Sink].
func (b *Batch) Results() *output.Results { return &b.results }

// reset empties the batch and keeps its memory.
func (b *Batch) reset() {
	for i := range b.lines {
		b.lines[i] = b.lines[i][:0]
	}
	reset(&b.results)
}

// join appends the results of another batch.
func join(to, from *output.Results) {
	for _, f := range files {
		f.join(to, from)
	}
	to.Provisional = append(to.Provisional, from.Provisional...)
	to.Robots = append(to.Robots, from.Robots...)
	to.Exchanges = append(to.Exchanges, from.Exchanges...)
}

// reset empties the lists. It keeps their memory, but not the results.
func reset(r *output.Results) {
	for _, f := range files {
		f.empty(r)
	}
	empty(&r.Provisional)
	empty(&r.Robots)
	empty(&r.Exchanges)
}

func empty[T any](list *[]*T) {
	clear(*list)
	*list = (*list)[:0]
}
