package sqlite

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/politecrawl/politecrawl/crawler/output/internal/rows"
)

// places are where the tables of package rows stand in tableNames.
var places = [...]int{rows.Pages: pages, rows.Rejected: rejected, rows.Sitemaps: sitemaps, rows.Entries: entries}

// insert adds a row with the next id, of cells as package rows has them.
func (s *sink) insert(table int, cells ...any) error {
	for i, cell := range cells {
		switch v := cell.(type) {
		case string:
			cells[i] = clean(v)
		case rows.Optional:
			cells[i] = optional(string(v))
		case rows.JSON:
			cells[i] = optional(string(v))
		case time.Time:
			cells[i] = moment(v)
		}
	}
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
