package csvout

import (
	"fmt"
	"time"

	"github.com/politecrawl/politecrawl/crawler/output/internal/rows"
)

// tables are the names of the files.
var tables = [...]string{
	rows.Pages: PagesFile, rows.Rejected: RejectedFile, rows.Links: LinksFile, rows.Sitemaps: SitemapsFile,
	rows.Entries: EntriesFile, rows.Checks: ChecksFile, rows.Resources: ResourcesFile, rows.Permissions: PermissionsFile,
}

// record writes a record of cells of package rows.
func (s *sink) record(table rows.Table, cells ...any) error {
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
