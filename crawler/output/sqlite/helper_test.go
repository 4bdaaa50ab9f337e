package sqlite

import (
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler/output"
)

var noon = time.Date(2026, 5, 4, 12, 0, 0, 250e6, time.FixedZone("", 7200))

func openSink(t *testing.T, dir string, mark []byte, opts *Options) output.Sink {
	t.Helper()
	s, err := Format(opts).Open(dir, mark)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func write(t *testing.T, s output.Sink, f *output.Found) (mark []byte) {
	t.Helper()
	if err := s.Write(f); err != nil {
		t.Fatal(err)
	}
	return commit(t, s, false)
}

func commit(t *testing.T, s output.Sink, power bool) (mark []byte) {
	t.Helper()
	mark, err := s.Commit(power)
	if err != nil {
		t.Fatal(err)
	}
	if len(mark) > output.MaxMark {
		t.Errorf("the mark has %d bytes", len(mark))
	}
	return mark
}

func closeSink(t *testing.T, s output.Sink) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// reader opens the database as another program would.
func reader(t *testing.T, dir string) *sql.DB {
	t.Helper()
	db, err := connect(filepath.Join(dir, File))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// ask returns the rows of a query, their cells joined by | and NULL where there is
// nothing.
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

// askDir is ask for the database in a directory that nobody has open.
func askDir(t *testing.T, dir, query string) []string {
	t.Helper()
	db := reader(t, dir)
	defer func() { _ = db.Close() }()
	return ask(t, db, query)
}
