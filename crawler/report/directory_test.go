package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// Directories beyond the limits are not counted, and a note says so.
func TestDirectoriesAreBounded(t *testing.T) {
	c := &crawl{state: everything().state}
	c.page("/a/", output.Page{Source: "start"})
	c.page("/"+strings.Repeat("x/", maxLevels+3), output.Page{Source: "link"})
	for i := range 10 {
		c.page(fmt.Sprintf("/d%d/", i), output.Page{Source: "link"})
	}
	for limit, want := range map[int]struct {
		count int
		note  string
	}{
		maxDirectoryBytes: {1 + 1 + maxLevels - 1 + 10, "not all directories of 1 URL are counted: there are too many, or more than 32 levels"},
		500:               {2, "not all directories of 11 URLs are counted: there are too many, or more than 32 levels"},
	} {
		m, err := newModel(t.Context(), []string{c.write(t)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		m.directories.limit = limit
		if err := m.load(); err != nil {
			t.Fatal(err)
		}
		list := m.directories.list()
		if list.Total != want.count || list.Rows[0].URL != example+"/" || list.Rows[0].Pages != 12 {
			t.Errorf("limit %d: %d directories, want %d; the first is %+v", limit, list.Total, want.count, list.Rows[0])
		}
		if notes := m.notes(); !slices.Contains(notes, want.note) {
			t.Errorf("limit %d: notes %q", limit, notes)
		}
	}
}
