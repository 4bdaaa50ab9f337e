package csvout

import (
	"strconv"
	"time"

	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/output/internal/rows"
)

// The tables, as they stand in sink.files and in a mark. A table that comes later
// goes to the end.
const (
	pages = iota
	rejected
	links
	sitemaps
	entries
)

// tables have the columns of the lines of JSON.
var tables = [...]struct {
	name    string
	columns []string
}{
	pages:    {PagesFile, rows.Columns[rows.Pages]},
	rejected: {RejectedFile, rows.Columns[rows.Rejected]},
	links:    {LinksFile, []string{"from", "to"}},
	sitemaps: {SitemapsFile, rows.Columns[rows.Sitemaps]},
	entries:  {EntriesFile, rows.Columns[rows.Entries]},
}

// places are where the tables of package rows stand in tables.
var places = [...]int{rows.Pages: pages, rows.Rejected: rejected, rows.Sitemaps: sitemaps, rows.Entries: entries}

func (s *sink) links(l *output.Links) error {
	from := s.text(l.URL)
	for _, to := range l.To {
		s.row.cells = append(s.row.cells[:0], from, s.text(to))
		if err := s.files[links].record(s.row.cells); err != nil {
			return err
		}
	}
	s.row.cells = s.row.cells[:0]
	return nil
}

// A row is a record in the making. It implements rows.Row.
type row struct {
	sink  *sink
	cells []string
}

func (r *row) add(cell string) { r.cells = append(r.cells, cell) }

// Text implements rows.Row.
func (r *row) Text(text string) { r.add(r.sink.text(text)) }

// Optional implements rows.Row.
func (r *row) Optional(text string) { r.add(r.sink.text(text)) }

// JSON implements rows.Row.
func (r *row) JSON(text string) { r.add(r.sink.nested(text)) }

// Int implements rows.Row.
func (r *row) Int(n int64) { r.add(strconv.FormatInt(n, 10)) }

// Bool implements rows.Row.
func (r *row) Bool(b bool) { r.add(strconv.FormatBool(b)) }

// Time implements rows.Row, with times as in the lines of JSON.
func (r *row) Time(t time.Time) {
	if t.IsZero() {
		r.add("")
		return
	}
	r.add(t.UTC().Format(time.RFC3339Nano))
}

// End implements rows.Row.
func (r *row) End(table rows.Table) error {
	err := r.sink.files[places[table]].record(r.cells)
	r.cells = r.cells[:0]
	return err
}
