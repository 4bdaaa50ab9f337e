package sqlite

import (
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var noon = time.Date(2026, 5, 4, 12, 0, 0, 250e6, time.FixedZone("", 7200))

// reader opens the database like another program.
func reader(t *testing.T, dir string) *sql.DB {
	t.Helper()
	db, err := connect(filepath.Join(dir, File))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// ask returns the rows of a query, with cells joined by |, and NULL.
func ask(t *testing.T, db *sql.DB, query string, args ...any) []string {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), query, args...)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	all := []string{}
	for rows.Next() {
		cells := make([]any, len(columns))
		for i := range cells {
			cells[i] = new(any)
		}
		if err := rows.Scan(cells...); err != nil {
			t.Fatal(err)
		}
		texts := make([]string, len(cells))
		for i, cell := range cells {
			texts[i] = shown(*cell.(*any))
		}
		all = append(all, strings.Join(texts, "|"))
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		t.Fatal(err)
	}
	return all
}

func shown(cell any) string {
	switch cell := cell.(type) {
	case nil:
		return "NULL"
	case []byte:
		return "x" + string(cell)
	}
	return fmt.Sprint(cell)
}

// askDir is ask for the database in a directory.
func askDir(t *testing.T, dir, query string) []string {
	t.Helper()
	db := reader(t, dir)
	defer func() { _ = db.Close() }()
	return ask(t, db, query)
}
