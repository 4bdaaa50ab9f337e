package warc

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"

	"github.com/politecrawl/politecrawl/crawler/internal/cdxj"
	"github.com/politecrawl/politecrawl/crawler/internal/durable"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// Files are named PREFIX-TIMESTAMP-RANDOM-NNNNN.warc.gz. The timestamp has 17 digits, to the millisecond, and is
// that of the crawl's first file.
const (
	extension   = ".warc.gz"
	filePattern = "*" + extension
	maxFiles    = 100_000
)

var (
	validName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}-\d{17}-[a-z2-7]{6}$`)
	fileTail  = regexp.MustCompile(`-(\d{17}-[a-z2-7]{6}-\d{5})\.warc\.gz$`)
)

// fileName returns the name of a file of the crawl with a name.
func fileName(name string, number int) string { return fmt.Sprintf("%s-%05d"+extension, name, number) }

// indexPath returns the path of the index beside a WARC file.
func indexPath(path string) string { return strings.TrimSuffix(path, extension) + cdxj.Extension }

// archives returns the names of the WARC files of all crawls in a directory, the oldest first.
func archives(dir string) (names []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, entry := range entries {
		if fileTail.MatchString(entry.Name()) {
			names = append(names, entry.Name())
		}
	}
	slices.SortFunc(names, func(a, b string) int { return strings.Compare(fileTail.FindString(a), fileTail.FindString(b)) })
	return names, nil
}

// newName returns the name of a crawl that starts now: its files come after those with some names. No other crawl has
// it, since it has random letters.
func newName(names []string, prefix string) string {
	stamp := strings.Replace(time.Now().UTC().Format("20060102150405.000"), ".", "", 1)
	if len(names) > 0 {
		last, _ := strconv.ParseUint(fileTail.FindStringSubmatch(names[len(names)-1])[1][:len(stamp)], 10, 64) // 17 digits
		stamp = max(stamp, fmt.Sprintf("%017d", last+1))
	}
	return prefix + "-" + stamp + "-" + strings.ToLower(rand.Text()[:6])
}

// recordEnd follows the block of every record.
var recordEnd = []byte("\r\n\r\n")

// A position is a point between two records. A checkpoint is its JSON.
type position struct {
	Name   string `json:"name"`   // of the crawl: PREFIX-TIMESTAMP-RANDOM
	File   int    `json:"file"`   // number of the last file
	Length int64  `json:"length"` // of that file, in bytes; 0 if it does not exist yet
	Index  int64  `json:"index"`  // length of its index
}

// parsePosition reads a checkpoint.
func parsePosition(checkpoint []byte) (at position, err error) {
	switch err := json.Unmarshal(checkpoint, &at); {
	case err == nil && at.Name == "":
		return at, errors.New("an earlier version of this program wrote the WARC files; resume with that version, or start a crawl in another directory")
	case err != nil || !validName.MatchString(at.Name) || at.File < 0 || at.File >= maxFiles || at.Length < 0 || at.Index < 0:
		return at, fmt.Errorf("%q is not a checkpoint", checkpoint)
	}
	return at, nil
}

// files are the files of a crawl, and their indexes. The last ones grow.
type files struct {
	dir      string
	position // the end of the last record
	file     *os.File
	cdxj     *os.File // the index
	pack     *gzip.Writer
	packed   bytes.Buffer // bytes that are not yet in the file
	lines    []byte       // lines that are not yet in the index
	copied   []byte       // buffer for bodies
	newNames bool         // the directory changed since the last sync
	failed   error        // of flush, until truncate
}

// bufferSize is the number of packed bytes at which they are written to the file.
const bufferSize = 256 << 10

// level of compression: a few percent more bytes than zlib's default level, in the time of its lowest.
const level = 6

func newFiles(dir string) *files {
	pack, _ := gzip.NewWriterLevel(nil, level) // a valid one
	return &files{dir: dir, pack: pack, copied: make([]byte, 64<<10)}
}

// truncate removes everything after a position. Missing is the number of bytes that are missing
// before it; the new position is then the end of the last whole record. If the index is shorter than
// the position says, or has records that are missing, it is rebuilt.
func (f *files) truncate(to position) (missing int64, err error) {
	f.packed.Reset()
	f.lines, f.failed = f.lines[:0], nil
	if err := cmp.Or(f.close(), f.removeFrom(to)); err != nil {
		return 0, err
	}
	f.position = position{Name: to.Name, File: to.File}
	if to.Length == 0 {
		return 0, nil
	}
	path, indexed := f.path(), to.Index
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return to.Length, os.RemoveAll(indexPath(path))
	case err != nil:
		return 0, err
	case info.Size() < to.Length:
		indexed = math.MaxInt64
	}
	size, whole, err := repairIndex(path, indexed)
	if err != nil {
		return 0, err
	}
	if f.position = to; info.Size() < to.Length {
		f.Length, missing = whole, to.Length-whole
	}
	f.Index = min(size, to.Index)
	return missing, cmp.Or(os.Truncate(path, f.Length), os.Truncate(indexPath(path), f.Index), f.open(0))
}

// removeFrom removes the files of a crawl after a position.
func (f *files) removeFrom(to position) error {
	names, err := archives(f.dir)
	first := fileName(to.Name, to.File)
	for _, name := range names {
		if !strings.HasPrefix(name, to.Name+"-") || len(name) != len(first) || name < first || name == first && to.Length > 0 {
			continue
		}
		path := filepath.Join(f.dir, name)
		// Without its file, the index would not be found again.
		if err := cmp.Or(os.RemoveAll(indexPath(path)), os.Remove(path)); err != nil {
			return err
		}
		f.newNames = true
	}
	return err
}

func (f *files) path() string { return filepath.Join(f.dir, fileName(f.Name, f.File)) }

// next starts the next file and its index.
func (f *files) next() (err error) {
	if f.file != nil {
		// No later commit syncs these files.
		if err := errors.Join(f.flush(), f.sync(), f.close()); err != nil {
			return err
		}
		f.position = position{Name: f.Name, File: f.File + 1}
	}
	if f.File >= maxFiles {
		return fmt.Errorf("no more than %d files are possible; increase their maximum size", maxFiles)
	}
	f.newNames = true
	return f.open(os.O_CREATE | os.O_EXCL)
}

// open opens the current file and its index.
func (f *files) open(flags int) (err error) {
	flags |= os.O_WRONLY | os.O_APPEND
	if f.file, err = os.OpenFile(f.path(), flags, 0o644); err == nil {
		f.cdxj, err = os.OpenFile(indexPath(f.path()), flags, 0o644)
	}
	return err
}

// add adds a record as a separate gzip member, and returns its place.
func (f *files) add(header, block []byte, body output.Body) (offset, length int64, err error) {
	offset = f.Length
	f.pack.Reset(f)
	for _, part := range [][]byte{header, block} {
		if _, err := f.pack.Write(part); err != nil {
			return 0, 0, err
		}
	}
	if err := f.copyBody(f.pack, body); err != nil {
		return 0, 0, err
	}
	if _, err := f.pack.Write(recordEnd); err != nil {
		return 0, 0, err
	}
	err = f.pack.Close()
	return offset, f.Length - offset, err
}

// copyBody writes a body, which may be nil.
func (f *files) copyBody(to io.Writer, body output.Body) error {
	if body == nil {
		return nil
	}
	n, err := io.CopyBuffer(to, io.NewSectionReader(body, 0, body.Size()), f.copied)
	if err == nil && n < body.Size() {
		err = io.ErrUnexpectedEOF
	}
	return err
}

// addLine adds a line to the index.
func (f *files) addLine(l *cdxj.Line) {
	before := len(f.lines)
	f.lines = l.AppendTo(f.lines)
	f.Index += int64(len(f.lines) - before)
}

// Write adds packed bytes. It implements io.Writer.
func (f *files) Write(p []byte) (int, error) {
	f.Length += int64(len(p))
	f.packed.Write(p)
	if f.packed.Len() < bufferSize {
		return len(p), nil
	}
	return len(p), f.flush()
}

// flush writes the buffers to the files. If it fails, it fails again until truncate.
func (f *files) flush() error {
	if f.file == nil || f.failed != nil {
		return f.failed
	}
	if f.packed.Len() > 0 {
		_, f.failed = f.file.Write(f.packed.Bytes())
		f.packed.Reset()
	}
	if len(f.lines) > 0 && f.failed == nil {
		_, f.failed = f.cdxj.Write(f.lines)
		f.lines = f.lines[:0]
	}
	return f.failed
}

// sync writes all flushed data to the disk.
func (f *files) sync() error {
	if f.file != nil {
		if err := cmp.Or(durable.File(f.file), durable.File(f.cdxj)); err != nil {
			return err
		}
	}
	if !f.newNames {
		return nil
	}
	if err := durable.Dir(f.dir); err != nil {
		return err
	}
	f.newNames = false
	return nil
}

func (f *files) close() (err error) {
	for _, file := range []**os.File{&f.file, &f.cdxj} {
		if *file != nil {
			err = cmp.Or(err, (*file).Close())
			*file = nil
		}
	}
	return err
}
