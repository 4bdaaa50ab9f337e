package sqlite

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	driver "modernc.org/sqlite"
	code "modernc.org/sqlite/lib"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// File is the name of the database in the directory of a crawl.
const File = "crawl.sqlite"

// Version is the format of the database: PRAGMA user_version, and the value of the key
// "format" in the table "meta". New columns and views do not change it.
const Version = 2

// applicationID is PRAGMA application_id: "plcr".
const applicationID = 0x706c6372

var (
	// ErrCheckpoint says that Open got a checkpoint of another format.
	ErrCheckpoint = errors.New("not a checkpoint of this format")

	// ErrFormat says that a file is not a database of a crawl, is damaged, or has another
	// version. For a damaged file the error is also [output.ErrIncomplete].
	ErrFormat = errors.New("not a database of this format")

	// ErrLocked says that another program has locked the database for writing, for longer than
	// [Options.BusyTimeout]. Reading does not lock it.
	ErrLocked = errors.New("locked by another program")

	// ErrFull says that the disk is full.
	ErrFull = errors.New("disk is full")

	// ErrIO says that the file cannot be read or written, although the disk is not full. The
	// cause may be a file size limit, a disk quota or a broken disk: SQLite does not say which.
	ErrIO = errors.New("disk cannot be written or read")
)

// Options configure [Format]. Nil means the zero value.
type Options struct {
	// Software is the name of the program in the table meta (default politecrawl).
	Software string

	// BusyTimeout is how long to wait for another program that writes to the database (default
	// 30s).
	BusyTimeout time.Duration
}

// Format returns the format "sqlite".
func Format(opts *Options) output.Format {
	var o Options
	if opts != nil {
		o = *opts
	}
	o.Software = cmp.Or(o.Software, "politecrawl")
	o.BusyTimeout = cmp.Or(o.BusyTimeout, 30*time.Second)
	return output.Format{
		Name:  "sqlite",
		Files: files(File),
		Open:  func(dir string, checkpoint []byte) (output.Sink, error) { return open(dir, checkpoint, o) },
	}
}

// files returns the possible files of a database: itself, and the files that SQLite keeps
// beside it while it is open or after a kill.
func files(name string) []string {
	return []string{name, name + "-wal", name + "-shm", name + "-journal"}
}

// explain adds one of the errors above to an error of SQLite.
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
		case code.SQLITE_NOTADB, code.SQLITE_CORRUPT: // the first if its header is damaged
			class = fmt.Errorf("%w: %w", output.ErrIncomplete, ErrFormat)
		}
	}
	return fmt.Errorf("%w: %q: %w", class, name, err)
}
