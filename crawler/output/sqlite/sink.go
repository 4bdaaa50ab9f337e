package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"path/filepath"

	"github.com/politecrawl/politecrawl/crawler/internal/durable"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/output/internal/recent"
	"github.com/politecrawl/politecrawl/crawler/output/internal/rows"
)

// A sink writes to the database of a crawl.
type sink struct {
	name          string
	db            *sql.DB
	conn          *sql.Conn // the only one of db
	inTransaction bool
	power         bool // commits survive a power failure
	named         bool // the directory entry is on disk
	counts        counts
	known         *recent.Map[string, int64] // ids of recent URLs
	failed        error                      // the first failure, which ends all writing
}

// Write implements [output.Sink].
func (s *sink) Write(f *output.Results) error {
	if s.failed == nil {
		s.failed = s.write(f)
	}
	return s.failed
}

func (s *sink) write(f *output.Results) error {
	if !s.inTransaction {
		if err := s.begin(); err != nil {
			return err
		}
	}
	insert := func(table rows.Table, cells ...any) error { return s.insert(places[table], cells...) }
	if err := rows.Write(f, insert); err != nil {
		return err
	}
	for _, r := range f.Robots {
		err := s.insert(robots, r.Origin, r.URL, r.Outcome, r.Status, rows.Optional(r.Error), r.FetchedAt, r.ExpiresAt, r.RetryAt, r.Body)
		if err != nil {
			return err
		}
	}
	return s.links(f.Links)
}

// Commit implements [output.Sink].
func (s *sink) Commit(power bool) (checkpoint []byte, err error) {
	if s.failed == nil {
		s.failed = s.commit(power)
	}
	if s.failed != nil {
		return nil, s.failed
	}
	return json.Marshal(s.counts)
}

func (s *sink) commit(power bool) error {
	if s.inTransaction {
		if err := s.end(); err != nil {
			return err
		}
	}
	if power && !s.named {
		if err := durable.Dir(filepath.Dir(s.name)); err != nil {
			return err
		}
		s.named = true
	}
	switch {
	case power == s.power:
		return nil
	case !power:
		s.power = false
		return s.exec("PRAGMA synchronous = normal")
	}
	// Earlier commits may not be on disk. This one syncs the whole log, but only if it writes:
	// an UPDATE to the same value would not.
	s.power = true
	err := s.exec("PRAGMA synchronous = full")
	if err == nil {
		err = s.exec("REPLACE INTO meta SELECT * FROM meta WHERE key = 'format'")
	}
	return err
}

// Close implements [output.Sink]. It leaves a single file, which can be copied and read
// without write access.
func (s *sink) Close() error {
	if s.inTransaction {
		s.failed = errors.Join(s.failed, s.exec("ROLLBACK"))
	}
	if s.failed == nil {
		// A reader keeps the log in place, which does no harm.
		_ = s.exec("PRAGMA busy_timeout = 0")
		_ = s.exec("PRAGMA analysis_limit = 400; PRAGMA optimize = 0x10002")
		_ = s.exec("PRAGMA journal_mode = delete")
	}
	return s.disconnect()
}

func (s *sink) disconnect() error {
	var err error
	if s.conn != nil {
		err = s.conn.Close()
	}
	return explain(s.name, errors.Join(err, s.db.Close()))
}

// begin starts a write transaction. It waits for other writers.
func (s *sink) begin() error {
	err := s.exec("BEGIN IMMEDIATE")
	s.inTransaction = err == nil
	return err
}

func (s *sink) end() error {
	err := s.exec("COMMIT")
	s.inTransaction = err != nil
	return err
}

func (s *sink) exec(query string, args ...any) error {
	_, err := s.conn.ExecContext(context.Background(), query, args...)
	return explain(s.name, err)
}
