// Package rows turns what a crawl found into rows of tables, for the formats that write
// tables. Links and robots.txt files are not here: each format has its own form for them.
package rows

import (
	"bytes"
	"errors"

	"github.com/politecrawl/politecrawl/crawler/internal/jsonlines"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext/usage"
)

// A Table is a kind of row.
type Table int

// The tables, in the order of a checkpoint of package csvout. Add new tables at the end.
const (
	Pages Table = iota
	Rejected
	Links // not written by Write, as Resources
	Sitemaps
	Entries
	Checks
	Resources
	Permissions
)

// Columns are the columns of each table: the fields of its lines of JSON, in their order. A
// new one goes to the end. The values of permissions have a column for each purpose.
var Columns = [...][]string{
	Pages: {
		"url", "status", "title", "depth", "found_on", "source", "location", "content_type", "bytes", "links", "canonical",
		"directives", "withheld", "fetched_at", "duration_ms", "attempt", "hash", "unchanged", "duplicate_of", "fields",
		"truncated", "links_skipped", "limits_reached", "h1", "description", "lang", "words", "hreflang", "headers", "redirects",
		"h1_count", "encoding", "malformed", "images_without_alt", "needs_javascript",
	},
	Rejected: {"url", "reason", "rule", "line", "robots_url", "group", "depth", "found_on", "source", "detail", "retry_at"},
	Links:    {"from", "to", "text", "rel", "kind"},
	Sitemaps: {"url", "status", "origin", "found_on", "index_depth", "pages", "sitemaps", "detail", "fetched_at", "reason"},
	Entries:  {"url", "sitemap", "lastmod"},
	Checks: {
		"url", "result", "kind", "found_on", "status", "location", "reason", "detail", "content_type", "bytes", "noindex", "canonical", "hreflang",
		"fetched_at", "duration_ms",
	},
	Resources:   {"from", "to"},
	Permissions: {"url", "fetched_at", "robots", "tdmrep", "search", "ai_input", "train_ai", "tdm", "archive", "statements", "withheld", "tdmrep_problem"},
}

// Optional is a text that the line of JSON leaves out when it is empty.
type Optional string

// JSON is a list or an object on one line, or "" if the line of JSON leaves it out.
type JSON string

// Write calls row for each row of f. A cell is a string, an Optional, a JSON, an int, an
// int64, a bool, or a time that the line of JSON leaves out when it is zero. The cells may be
// changed.
func Write(f *output.Results, row func(table Table, cells ...any) error) error {
	for _, p := range f.Pages {
		directives, err1 := nested(len(p.Directives), p.Directives)
		fields, err2 := nested(len(p.Fields), p.Fields)
		limits, err3 := nested(len(p.LimitsReached), p.LimitsReached)
		hreflang, err4 := nested(len(p.Hreflang), p.Hreflang)
		headers, err5 := nested(len(p.Headers), p.Headers)
		redirects, err6 := nested(len(p.Redirects), p.Redirects)
		if err := errors.Join(err1, err2, err3, err4, err5, err6); err != nil {
			return err
		}
		err := row(Pages, p.URL, p.Status, p.Title, p.Depth, p.FoundOn, p.Source, Optional(p.Location), p.ContentType, p.Bytes, p.Links,
			Optional(p.Canonical), directives, Optional(p.Withheld), p.FetchedAt, p.DurationMS, p.Attempt, Optional(p.Hash),
			p.Unchanged, Optional(p.DuplicateOf), fields, Optional(p.Truncated), p.LinksSkipped, limits,
			Optional(p.H1), Optional(p.Description), Optional(p.Lang), p.Words, hreflang, headers, redirects, p.H1Count, Optional(p.Encoding), Optional(p.Malformed),
			p.ImagesWithoutAlt, p.NeedsJavaScript)
		if err != nil {
			return err
		}
	}
	for _, r := range f.Rejected {
		err := row(Rejected, r.URL, string(r.Reason), r.Rule, r.Line, r.RobotsURL, Optional(r.Group), r.Depth, r.FoundOn, r.Source,
			Optional(r.Detail), r.RetryAt)
		if err != nil {
			return err
		}
	}
	for _, m := range f.Sitemaps {
		if err := row(Sitemaps, m.URL, m.Status, m.Origin, m.FoundOn, m.IndexDepth, m.Pages, m.Sitemaps, Optional(m.Detail), m.FetchedAt, Optional(m.Reason)); err != nil {
			return err
		}
	}
	for _, e := range f.Entries {
		if err := row(Entries, e.URL, e.Sitemap, e.LastMod); err != nil {
			return err
		}
	}
	for _, c := range f.Checks {
		hreflang, err := nested(len(c.Hreflang), c.Hreflang)
		if err != nil {
			return err
		}
		err = row(Checks, c.URL, string(c.Result), c.Kind, c.FoundOn, c.Status, Optional(c.Location), Optional(c.Reason), Optional(c.Detail),
			Optional(c.ContentType), c.Bytes, Optional(c.Noindex), Optional(c.Canonical), hreflang, c.FetchedAt, c.DurationMS)
		if err != nil {
			return err
		}
	}
	for _, p := range f.Permissions {
		cells := []any{p.URL, p.FetchedAt, Optional(p.Robots), Optional(p.TDMRep)}
		for _, purpose := range usage.Purposes {
			cells = append(cells, p.Purposes[purpose].Value.String())
		}
		statements, err := nested(len(p.Statements), p.Statements)
		if err != nil {
			return err
		}
		if err := row(Permissions, append(cells, statements, Optional(p.Withheld), Optional(p.TDMRepProblem))...); err != nil {
			return err
		}
	}
	return nil
}

// nested returns a list or an object of so many members as a cell.
func nested(members int, value any) (JSON, error) {
	if members == 0 {
		return "", nil
	}
	line, err := jsonlines.Line(nil, value)
	return JSON(bytes.TrimSpace(line)), err
}
