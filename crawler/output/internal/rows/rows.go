// Package rows turns what a crawl found into rows of tables, for the formats that write
// tables. Links and robots.txt files are not here: each format has its own form for them.
package rows

import (
	"bytes"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/jsonlines"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// A Table is a kind of row.
type Table int

// The tables.
const (
	Pages Table = iota
	Rejected
	Sitemaps
	Entries
)

// Columns are the columns of each table: the fields of its lines of JSON, in their order. A
// new one goes to the end.
var Columns = [...][]string{
	Pages: {
		"url", "status", "title", "depth", "via", "source", "location", "content_type", "bytes", "links", "canonical",
		"directives", "content_usage", "withheld", "fetched_at", "ms", "attempt", "hash", "unchanged", "duplicate_of", "fields",
		"truncated", "links_left", "cut_by",
	},
	Rejected: {"url", "reason", "rule", "line", "robots_url", "group", "depth", "via", "source", "detail", "retry_at"},
	Sitemaps: {"url", "status", "host", "via", "nested", "pages", "sitemaps", "detail", "fetched_at"},
	Entries:  {"url", "sitemap", "lastmod"},
}

// A Row takes the cells of a row, one after the other.
type Row interface {
	Text(text string)
	Optional(text string) // empty: the line of JSON leaves the field out
	JSON(text string)     // of a list or an object, on one line; empty: left out
	Int(n int64)
	Bool(b bool)
	Time(t time.Time) // zero: left out

	// End ends the row of a table.
	End(table Table) error
}

// Write hands all rows of f to r.
func Write(f *output.Found, r Row) error {
	for _, p := range f.Pages {
		if err := page(r, p); err != nil {
			return err
		}
	}
	for _, j := range f.Rejected {
		texts(r, j.URL, string(j.Reason), j.Rule)
		r.Int(int64(j.Line))
		r.Text(j.RobotsURL)
		r.Optional(j.Group)
		r.Int(int64(j.Depth))
		texts(r, j.Via, j.Source)
		r.Optional(j.Detail)
		r.Time(j.RetryAt)
		if err := r.End(Rejected); err != nil {
			return err
		}
	}
	for _, m := range f.Sitemaps {
		r.Text(m.URL)
		r.Int(int64(m.Status))
		texts(r, m.Host, m.Via)
		ints(r, m.Nested, m.Pages, m.Sitemaps)
		r.Optional(m.Detail)
		r.Time(m.FetchedAt)
		if err := r.End(Sitemaps); err != nil {
			return err
		}
	}
	for _, e := range f.Entries {
		texts(r, e.URL, e.Sitemap)
		r.Time(e.LastMod)
		if err := r.End(Entries); err != nil {
			return err
		}
	}
	return nil
}

func page(r Row, p *output.Page) error {
	directives, err := encode(len(p.Directives), p.Directives)
	if err != nil {
		return err
	}
	usage, err := encode(len(p.Usage), p.Usage)
	if err != nil {
		return err
	}
	fields, err := encode(len(p.Fields), p.Fields)
	if err != nil {
		return err
	}
	cutBy, err := encode(len(p.CutBy), p.CutBy)
	if err != nil {
		return err
	}
	r.Text(p.URL)
	r.Int(int64(p.Status))
	r.Text(p.Title)
	r.Int(int64(p.Depth))
	texts(r, p.Via, p.Source)
	r.Optional(p.Location)
	r.Text(p.ContentType)
	ints(r, p.Bytes, p.Links)
	r.Optional(p.Canonical)
	r.JSON(directives)
	r.JSON(usage)
	r.Optional(p.Withheld)
	r.Time(p.FetchedAt)
	r.Int(p.Millis)
	r.Int(int64(p.Attempt))
	r.Optional(p.Hash)
	r.Bool(p.Unchanged)
	r.Optional(p.DuplicateOf)
	r.JSON(fields)
	r.Optional(p.Truncated)
	r.Int(int64(p.LinksLeft))
	r.JSON(cutBy)
	return r.End(Pages)
}

func texts(r Row, all ...string) {
	for _, text := range all {
		r.Text(text)
	}
}

func ints(r Row, all ...int) {
	for _, n := range all {
		r.Int(int64(n))
	}
}

// encode is a list or an object of so many members, as JSON.
func encode(members int, v any) (string, error) {
	if members == 0 {
		return "", nil
	}
	line, err := jsonlines.Line(nil, v)
	return string(bytes.TrimSpace(line)), err
}
