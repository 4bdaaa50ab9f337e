package sqlite

import (
	"context"
	"database/sql"
	_ "embed" // of the schema
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/output/internal/recent"
	"github.com/politecrawl/politecrawl/crawler/output/internal/rows"
)

//go:embed schema.sql
var schema string

const (
	// cacheKiB limits the page cache of SQLite.
	cacheKiB = 16 << 10

	// walPages is the number of 4 KiB pages at which the write-ahead log is moved into the
	// database.
	walPages = 4096
)

func open(dir string, checkpoint []byte, opts Options) (_ output.Sink, err error) {
	var counted counts
	name := filepath.Join(dir, File)
	if checkpoint == nil {
		err = remove(name)
	} else {
		counted, err = parseCheckpoint(checkpoint)
	}
	if err != nil {
		return nil, err
	}
	s := &sink{name: name, counts: counted, known: recent.New[string, int64](knownURLs)}
	if s.db, err = connect(name); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.disconnect())
		}
	}()
	if s.conn, err = s.db.Conn(context.Background()); err != nil {
		return nil, explain(name, err)
	}
	if err := s.configure(opts.BusyTimeout); err != nil {
		return nil, err
	}
	if err := s.prepare(opts); err != nil {
		return nil, err
	}
	if err := s.cut(); err != nil {
		return nil, err
	}
	return s, nil
}

// remove deletes a database with its additional files.
func remove(name string) error {
	for _, file := range files(name) {
		if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func connect(name string) (*sql.DB, error) {
	path, err := filepath.Abs(name)
	if err != nil {
		return nil, err
	}
	path = "/" + strings.TrimPrefix(filepath.ToSlash(path), "/")
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Path: path}).String())
	return db, explain(name, err)
}

// configure sets up the connection. With a write-ahead log others can read while the crawl
// writes, and a commit survives a killed process.
func (s *sink) configure(wait time.Duration) error {
	for _, pragma := range []string{
		fmt.Sprintf("busy_timeout = %d", wait.Milliseconds()),
		"journal_mode = wal",
		"synchronous = full", // until a commit asks for less
		fmt.Sprintf("cache_size = -%d", cacheKiB),
		fmt.Sprintf("wal_autocheckpoint = %d", walPages),
	} {
		if err := s.exec("PRAGMA " + pragma); err != nil {
			return err
		}
	}
	s.power = true
	return nil
}

// prepare creates missing tables, and checks that existing ones have this format.
func (s *sink) prepare(opts Options) error {
	var application, version, objects int64
	row := s.conn.QueryRowContext(context.Background(),
		"SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema) FROM pragma_application_id, pragma_user_version")
	if err := row.Scan(&application, &version, &objects); err != nil {
		return explain(s.name, err)
	}
	switch {
	case objects == 0:
		return s.create(opts.Software)
	case application != applicationID:
		return fmt.Errorf("%w: %q was written by another program", ErrFormat, s.name)
	case version != Version:
		return fmt.Errorf("%w: %q is of version %d, this program writes version %d", ErrFormat, s.name, version, Version)
	}
	return s.checkColumns()
}

// checkColumns returns [output.ErrIncomplete] if a table has other columns than this version
// writes, or is missing.
func (s *sink) checkColumns() error {
	columns := [tables]int{urls: 2, robots: 10}
	for table, place := range places {
		columns[place] = 1 + len(rows.Columns[table])
	}
	for table, want := range columns {
		var has int
		row := s.conn.QueryRowContext(context.Background(), "SELECT count(*) FROM pragma_table_info(?)", tableNames[table])
		if err := row.Scan(&has); err != nil {
			return explain(s.name, err)
		}
		if has != want {
			return fmt.Errorf("%w: the table %s of %q has %d columns, this version writes %d", output.ErrIncomplete, tableNames[table], s.name, has, want)
		}
	}
	return nil
}

func (s *sink) create(software string) error {
	if err := s.begin(); err != nil {
		return err
	}
	err := errors.Join(
		s.exec(schema),
		s.exec(fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d", applicationID, Version)),
		s.exec("INSERT INTO meta VALUES ('format', ?), ('software', ?), ('created_at', ?)",
			strconv.Itoa(Version), clean(software), timestamp(time.Now())),
	)
	if err != nil {
		return err
	}
	return s.end()
}

// cut deletes the rows after the checkpoint. The error is [output.ErrIncomplete] if rows before it
// are missing.
func (s *sink) cut() error {
	if err := s.begin(); err != nil {
		return err
	}
	for table, count := range s.counts {
		name := tableNames[table]
		if err := s.exec("DELETE FROM "+name+" WHERE id > ?", count); err != nil {
			return err
		}
		var highest int64
		row := s.conn.QueryRowContext(context.Background(), "SELECT coalesce(max(id), 0) FROM "+name)
		if err := row.Scan(&highest); err != nil {
			return explain(s.name, err)
		}
		if highest < count {
			return fmt.Errorf("%w: the table %s of %q has lost rows: there are %d, there were %d", output.ErrIncomplete, name, s.name, highest, count)
		}
	}
	return s.end()
}
