package sqlite

import (
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/output/internal/sinktest"
)

func TestQueriesOfOneURLUseAnIndex(t *testing.T) {
	dir := t.TempDir()
	s := sinktest.Open(t, Format(nil), dir, nil)
	for _, url := range []string{"http://a.test/1", "http://a.test/2", "http://a.test/3"} {
		sinktest.Put(t, s, page(url))
	}
	sinktest.Close(t, s)
	for _, query := range []string{
		"SELECT to_url FROM links WHERE from_url = 'http://a.test/1'",
		"SELECT from_url FROM links WHERE to_url = 'http://a.test/1'",
		"SELECT to_url FROM resources WHERE from_url = 'http://a.test/1'",
		"SELECT from_url FROM resources WHERE to_url = 'http://a.test/1'",
		"SELECT from_url FROM broken_links WHERE to_url = 'http://a.test/1'",
		"SELECT * FROM unfetched_entries WHERE url = 'http://a.test/1'",
		"SELECT * FROM unlinked_entries WHERE url = 'http://a.test/1'",
		"SELECT * FROM broken_links",
		"SELECT * FROM unlinked_entries",
	} {
		for _, step := range askDir(t, dir, "EXPLAIN QUERY PLAN "+query) {
			everything := strings.Contains(step, "SCAN pages") && strings.Contains(query, "WHERE")
			for _, slow := range []string{"SCAN link", "SCAN resource", "SCAN t", "SCAN f", "SCAN urls", "AUTOMATIC"} {
				everything = everything || strings.Contains(step, slow)
			}
			if everything {
				t.Errorf("%s: %s", query, step)
			}
		}
	}
}
