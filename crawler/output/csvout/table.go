package csvout

import (
	"fmt"
	"time"

	"github.com/politecrawl/politecrawl/crawler/output/internal/rows"
)

// The tables in the order of sink.files and of a checkpoint. Add new tables at the end.
const (
	pages = iota
	rejected
	links
	sitemaps
	entries
	checks
	resources
	permissions
)

// tables have the columns of the JSON lines.
var tables = [...]struct {
	name    string
	columns []string
}{
	pages:     {PagesFile, rows.Columns[rows.Pages]},
	rejected:  {RejectedFile, rows.Columns[rows.Rejected]},
	links:     {LinksFile, []string{"from", "to", "text", "rel", "kind"}},
	sitemaps:  {SitemapsFile, rows.Columns[rows.Sitemaps]},
	entries:   {EntriesFile, rows.Columns[rows.Entries]},
	checks:    {ChecksFile, rows.Columns[rows.Checks]},
	resources: {ResourcesFile, []string{"from", "to"}},

	permissions: {PermissionsFile, rows.Columns[rows.Permissions]},
}

// places maps the tables of package rows to tables.
var places = [...]int{rows.Pages: pages, rows.Rejected: rejected, rows.Sitemaps: sitemaps, rows.Entries: entries, rows.Checks: checks, rows.Permissions: permissions}

// record writes a record of cells of package rows.
func (s *sink) record(table int, cells ...any) error {
	s.cells = s.cells[:0]
	for _, cell := range cells {
		s.cells = append(s.cells, s.cell(cell))
	}
	return s.files[table].records.Write(s.cells)
}

// cell formats a value as in the JSON lines.
func (s *sink) cell(value any) string {
	switch v := value.(type) {
	case string:
		return s.text(v)
	case rows.Optional:
		return s.text(string(v))
	case rows.JSON:
		return s.nested(string(v))
	case time.Time:
		if v.IsZero() {
			return ""
		}
		return v.UTC().Format(time.RFC3339Nano)
	}
	return fmt.Sprint(value)
}
