package sqlite

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/output/internal/sinktest"
)

// writer writes pages, each with two links.
var writer = sinktest.Writer{
	Format:  Format(nil),
	Most:    20,
	Results: func(n int) *output.Results { return page(fmt.Sprintf("http://a.test/%d", n)) },
}

func TestMain(m *testing.M) { writer.Main(m) }

// A writing process is killed many times. Each new process resumes at the last checkpoint. At the
// end the database has every page and link once.
func TestKilledWriterLosesNoCommittedRow(t *testing.T) {
	dir := t.TempDir()
	count := strconv.Itoa(writer.Kill(t, dir))
	for query, want := range map[string]string{
		"PRAGMA integrity_check":     "ok",
		"PRAGMA foreign_key_check":   "",
		"SELECT count(*) FROM pages": count,
		"SELECT count(*) FROM pages WHERE url = 'http://a.test/' || (id - 1)":                                         count,
		"SELECT count(*) FROM links WHERE to_url = 'http://a.test/all'":                                               count,
		"SELECT count(DISTINCT from_url) FROM links WHERE to_url = from_url || '/1'":                                  count,
		"SELECT count(*) FROM urls WHERE id NOT IN (SELECT from_id FROM link) AND id NOT IN (SELECT to_id FROM link)": "0",
	} {
		if got := strings.Join(askDir(t, dir, query), ","); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
}
