package sqlite

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/politecrawl/politecrawl/crawler/output/internal/rows"
)

// places maps the tables of package rows to tableNames.
var places = [...]int{rows.Pages: pages, rows.Rejected: rejected, rows.Links: link, rows.Sitemaps: sitemaps, rows.Entries: entries, rows.Checks: checks, rows.Resources: resource, rows.Permissions: permissions}

// insert adds a row of cells of package rows, with the next id.
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
			cells[i] = timestamp(v)
		}
	}
	s.counts[table]++
	query := "INSERT OR FAIL INTO " + tableNames[table] + " VALUES (?" + strings.Repeat(",?", len(cells)) + ")"
	return s.exec(query, append([]any{s.counts[table]}, cells...)...)
}

// clean makes a text valid UTF-8 without NUL, at which SQLite's functions end a text. Other
// bytes become U+FFFD, as in the JSON files.
func clean(t string) string {
	if utf8.ValidString(t) && strings.IndexByte(t, 0) < 0 {
		return t
	}
	return strings.Map(func(r rune) rune {
		if r == 0 {
			return utf8.RuneError
		}
		return r // utf8.RuneError for invalid UTF-8
	}, t)
}

// optional returns NULL for an empty text, which JSON leaves out.
func optional(t string) any {
	if t == "" {
		return nil
	}
	return clean(t)
}

// timestamp returns a time in a format that SQLite's date functions read and that sorts as
// text; NULL for the zero time.
func timestamp(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UTC().Format("2006-01-02T15:04:05.000Z")
}
