package csvout

import (
	"strconv"
	"time"

	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/output/internal/nested"
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

// tables have the columns of the lines of JSON. One that is added there is added to
// the end here.
var tables = [...]struct {
	name    string
	columns []string
}{
	pages: {PagesFile, []string{
		"url", "status", "title", "depth", "via", "source", "location", "content_type", "bytes", "links", "canonical",
		"directives", "content_usage", "withheld", "fetched_at", "ms", "attempt", "hash", "unchanged", "duplicate_of", "fields",
		"truncated", "links_left", "cut_by",
	}},
	rejected: {RejectedFile, []string{
		"url", "reason", "rule", "line", "robots_url", "group", "depth", "via", "source", "detail", "retry_at",
	}},
	links: {LinksFile, []string{"from", "to"}},
	sitemaps: {SitemapsFile, []string{
		"url", "status", "host", "via", "nested", "pages", "sitemaps", "detail", "fetched_at",
	}},
	entries: {EntriesFile, []string{"url", "sitemap", "lastmod"}},
}

func (s *sink) page(p *output.Page) error {
	cells, err := nested.Of(p)
	if err != nil {
		return err
	}
	return s.record(pages,
		s.text(p.URL), number(p.Status), s.text(p.Title), number(p.Depth), s.text(p.Via), s.text(p.Source), s.text(p.Location),
		s.text(p.ContentType), number(p.Bytes), number(p.Links), s.text(p.Canonical),
		s.nested(cells.Directives), s.nested(cells.Usage), s.text(p.Withheld), moment(p.FetchedAt), strconv.FormatInt(p.Millis, 10), number(p.Attempt),
		s.text(p.Hash), strconv.FormatBool(p.Unchanged), s.text(p.DuplicateOf), s.nested(cells.Fields), s.text(p.Truncated), number(p.LinksLeft),
		s.nested(cells.CutBy))
}

func (s *sink) rejection(r *output.Rejection) error {
	return s.record(rejected,
		s.text(r.URL), s.text(string(r.Reason)), s.text(r.Rule), number(r.Line), s.text(r.RobotsURL), s.text(r.Group),
		number(r.Depth), s.text(r.Via), s.text(r.Source), s.text(r.Detail), moment(r.RetryAt))
}

func (s *sink) links(l *output.Links) error {
	from := s.text(l.URL)
	for _, to := range l.To {
		if err := s.record(links, from, s.text(to)); err != nil {
			return err
		}
	}
	return nil
}

func (s *sink) sitemap(m *output.Sitemap) error {
	return s.record(sitemaps,
		s.text(m.URL), number(m.Status), s.text(m.Host), s.text(m.Via), number(m.Nested), number(m.Pages), number(m.Sitemaps),
		s.text(m.Detail), moment(m.FetchedAt))
}

func (s *sink) entry(e *output.Entry) error {
	return s.record(entries, s.text(e.URL), s.text(e.Sitemap), moment(e.LastMod))
}

func (s *sink) record(table int, cells ...string) error {
	return s.files[table].record(cells)
}

func number(n int) string { return strconv.Itoa(n) }

// moment is a time as in the lines of JSON, and nothing where there is none.
func moment(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}
