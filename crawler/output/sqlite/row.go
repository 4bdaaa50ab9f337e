package sqlite

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/output/internal/rows"
)

// places are where the tables of package rows stand in tableNames.
var places = [...]int{rows.Pages: pages, rows.Rejected: rejected, rows.Sitemaps: sitemaps, rows.Entries: entries}

// A row is a row in the making. It implements rows.Row.
type row struct {
	sink  *sink
	cells []any
}

func (r *row) add(cell any) { r.cells = append(r.cells, cell) }

// Text implements rows.Row.
func (r *row) Text(text string) { r.add(clean(text)) }

// Optional implements rows.Row.
func (r *row) Optional(text string) { r.add(optional(text)) }

// JSON implements rows.Row.
func (r *row) JSON(text string) { r.add(optional(text)) }

// Int implements rows.Row.
func (r *row) Int(n int64) { r.add(n) }

// Bool implements rows.Row.
func (r *row) Bool(b bool) { r.add(b) }

// Time implements rows.Row.
func (r *row) Time(t time.Time) { r.add(moment(t)) }

// End implements rows.Row.
func (r *row) End(table rows.Table) error {
	err := r.sink.insert(places[table], r.cells...)
	r.cells = r.cells[:0]
	return err
}

func (s *sink) robots(r *output.Robots) error {
	return s.insert(robots,
		clean(r.Origin), clean(r.URL), clean(r.Outcome), r.Status, optional(r.Error),
		moment(r.FetchedAt), moment(r.ExpiresAt), moment(r.RetryAt), r.Body)
}

// insert adds a row with the next id.
func (s *sink) insert(table int, cells ...any) error {
	s.counts[table]++
	query := "INSERT OR FAIL INTO " + tableNames[table] + " VALUES (?" + strings.Repeat(",?", len(cells)) + ")"
	return s.exec(query, append([]any{s.counts[table]}, cells...)...)
}

// clean makes a text one that SQLite handles as text: UTF-8, without NUL, where its
// functions would end it. Other octets become U+FFFD, as in the lines of JSON.
func clean(t string) string {
	if utf8.ValidString(t) && strings.IndexByte(t, 0) < 0 {
		return t
	}
	return strings.Map(func(r rune) rune {
		if r == 0 {
			return utf8.RuneError
		}
		return r // which is utf8.RuneError for what is not UTF-8
	}, t)
}

// optional is a text that the lines of JSON leave out when it is empty.
func optional(t string) any {
	if t == "" {
		return nil
	}
	return clean(t)
}

// moment is a time in a form that the date functions of SQLite read, and that sorts
// as text; NULL where there is none.
func moment(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UTC().Format("2006-01-02T15:04:05.000Z")
}
