package sqlite

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/output/internal/nested"
)

func (s *sink) page(p *output.Page) error {
	cells, err := nested.Of(p)
	if err != nil {
		return err
	}
	return s.insert(pages,
		clean(p.URL), p.Status, clean(p.Title), p.Depth, clean(p.Via), clean(p.Source), optional(p.Location),
		clean(p.ContentType), p.Bytes, p.Links, optional(p.Canonical), optional(cells.Directives), optional(cells.Usage), optional(p.Withheld),
		moment(p.FetchedAt), p.Millis, p.Attempt, optional(p.Hash), p.Unchanged, optional(p.DuplicateOf), optional(cells.Fields),
		optional(p.Truncated), p.LinksLeft, optional(cells.CutBy))
}

func (s *sink) rejection(r *output.Rejection) error {
	return s.insert(rejected,
		clean(r.URL), clean(string(r.Reason)), clean(r.Rule), r.Line, clean(r.RobotsURL), optional(r.Group),
		r.Depth, clean(r.Via), clean(r.Source), optional(r.Detail), moment(r.RetryAt))
}

func (s *sink) sitemap(m *output.Sitemap) error {
	return s.insert(sitemaps,
		clean(m.URL), m.Status, clean(m.Host), clean(m.Via), m.Nested, m.Pages, m.Sitemaps, optional(m.Detail), moment(m.FetchedAt))
}

func (s *sink) entry(e *output.Entry) error {
	return s.insert(entries, clean(e.URL), clean(e.Sitemap), moment(e.LastMod))
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
