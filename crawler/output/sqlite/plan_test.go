package sqlite

import (
	"strings"
	"testing"
)

// The questions about one URL are answered by an index, not by reading all links.
func TestPlans(t *testing.T) {
	dir := t.TempDir()
	s := openSink(t, dir, nil, nil)
	for _, url := range []string{"http://a.test/1", "http://a.test/2", "http://a.test/3"} {
		write(t, s, page(url))
	}
	closeSink(t, s)
	for _, query := range []string{
		"SELECT to_url FROM links WHERE from_url = 'http://a.test/1'",
		"SELECT from_url FROM links WHERE to_url = 'http://a.test/1'",
		"SELECT from_url FROM broken_links WHERE to_url = 'http://a.test/1'",
		"SELECT * FROM unfetched_entries WHERE url = 'http://a.test/1'",
		"SELECT * FROM unlinked_entries WHERE url = 'http://a.test/1'",
		"SELECT * FROM broken_links",
		"SELECT * FROM unlinked_entries",
	} {
		for _, step := range askDir(t, dir, "EXPLAIN QUERY PLAN "+query) {
			everything := strings.Contains(step, "SCAN pages") && strings.Contains(query, "WHERE")
			for _, slow := range []string{"SCAN link", "SCAN t", "SCAN f", "SCAN urls", "AUTOMATIC"} {
				everything = everything || strings.Contains(step, slow)
			}
			if everything {
				t.Errorf("%s: %s", query, step)
			}
		}
	}
}
