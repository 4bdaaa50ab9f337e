package sqlite_test

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"

	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/output/sqlite"
)

// Which links are broken? The database can be queried at any time.
func ExampleFormat() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()
	sink, err := sqlite.Format(nil).Open(dir, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	err = sink.Write(&output.Results{
		Pages: []*output.Page{
			{URL: "https://example.com/", Status: 200, Title: "Example"},
			{URL: "https://example.com/old", Status: 404, FoundOn: "https://example.com/", Source: "link", Depth: 1},
		},
		Links: []*output.Links{{URL: "https://example.com/", To: []output.Link{{URL: "https://example.com/old"}, {URL: "https://example.com/new"}}}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	checkpoint, err := sink.Commit(false) // Open resumes from it
	fmt.Println(string(checkpoint), err, sink.Close())

	db, err := sql.Open("sqlite", filepath.Join(dir, sqlite.File))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = db.Close() }()
	var to, from string
	var status int
	row := db.QueryRow("SELECT to_url, status, from_url FROM broken_links")
	if err := row.Scan(&to, &status, &from); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(to, status, "on", from)
	// Output:
	// [2,0,3,2,0,0,0,0,0,0] <nil> <nil>
	// https://example.com/old 404 on https://example.com/
}
