package sqlite

import (
	"errors"
	"fmt"
	"time"

	driver "modernc.org/sqlite"
	code "modernc.org/sqlite/lib"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// File is the name of the database in the directory of a crawl.
const File = "crawl.sqlite"

// Version is the format of the database: PRAGMA user_version, and the key format of
// the table meta. A column or view that is added does not change it.
const Version = 2

// applicationID marks a database as one of these: "plcr".
const applicationID = 0x706c6372

var (
	// ErrMark says that a mark is none that a commit has returned.
	ErrMark = errors.New("not a mark of this format")

	// ErrFormat says that a file which is to be gone on with is no database of a
	// crawl, is damaged, or was written by another version. Of one that a crawl goes on
	// with and that is damaged the error is [output.ErrIncomplete] too.
	ErrFormat = errors.New("not a database of this format")

	// ErrLocked says that another program has been writing to the database for longer
	// than [Options].Wait. Programs that read it are in nobody's way.
	ErrLocked = errors.New("locked by another program")

	// ErrFull says that the disk is full.
	ErrFull = errors.New("disk is full")

	// ErrIO says that the file could not be written, or read, although its disk is not
	// full: it may have met the limit of a process for the size of files or that of a
	// user for a disk, or the disk is broken. SQLite does not tell which.
	ErrIO = errors.New("disk cannot be written or read")
)

// Options are for [Format]. Nil, and every zero field, is what the program does.
type Options struct {
	// Software is what the table meta names as the writer; empty: politecrawl.
	Software string

	// Wait is how long to wait for another program that writes to the database;
	// 0: 30 s.
	Wait time.Duration
}

func (o *Options) withDefaults() Options {
	var opts Options
	if o != nil {
		opts = *o
	}
	if opts.Software == "" {
		opts.Software = "politecrawl"
	}
	if opts.Wait == 0 {
		opts.Wait = 30 * time.Second
	}
	return opts
}

// Format is the format "sqlite". Nil options are the zero Options.
func Format(opts *Options) output.Format {
	o := opts.withDefaults()
	return output.Format{
		Name:  "sqlite",
		Files: files(File),
		Open: func(dir string, mark []byte) (output.Sink, error) {
			s, err := open(dir, mark, o)
			if err != nil {
				return nil, err
			}
			return s, nil
		},
	}
}

// files are the names that a database may have files under: itself, and what
// belongs to it while it is written, or was when its writer was killed.
func files(name string) []string {
	return []string{name, name + "-wal", name + "-shm", name + "-journal"}
}

// explain gives an error of the database its class.
func explain(name string, err error) error {
	if err == nil {
		return nil
	}
	class := errors.New("sqlite")
	if e, ok := errors.AsType[*driver.Error](err); ok {
		switch e.Code() & 0xff {
		case code.SQLITE_BUSY, code.SQLITE_LOCKED:
			class = ErrLocked
		case code.SQLITE_FULL:
			class = ErrFull
		case code.SQLITE_IOERR:
			class = ErrIO
		case code.SQLITE_NOTADB, code.SQLITE_CORRUPT: // the first where its header is damaged
			class = fmt.Errorf("%w: %w", output.ErrIncomplete, ErrFormat)
		}
	}
	return fmt.Errorf("%w: %q: %w", class, name, err)
}
