package warc

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/politecrawl/politecrawl/crawler/internal/durable"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// The names of files are crawl-00000.warc.gz and so on. A crawl that was put aside
// has its number in them, crawl-00000.1.warc.gz, which the pattern does not match.
const (
	filePattern = "crawl-[0-9][0-9][0-9][0-9][0-9].warc.gz"
	mostFiles   = 100_000
)

func fileName(number int) string { return fmt.Sprintf("crawl-%05d.warc.gz", number) }

// recordEnd stands after the block of every record.
var recordEnd = []byte("\r\n\r\n")

// A place is a point between two records, up to which files count. As JSON it is the
// mark of the sink.
type place struct {
	File   int   `json:"file"`   // the number of the last file; those before it count as they are
	Length int64 `json:"length"` // of that file, in bytes; 0: it is not begun
}

// files is the row of files of a crawl, of which the last one grows.
type files struct {
	dir      string
	limit    int64 // a file that has so many bytes is not added to
	place          // up to which records were added
	file     *os.File
	pack     *gzip.Writer
	packed   bytes.Buffer // the last bytes of the place, not yet in the file
	newNames bool         // the directory changed since it was last synchronised
}

// held is how much is packed before it is written to the file.
const held = 256 << 10

func newFiles(dir string, limit int64, level int) (*files, error) {
	pack, err := gzip.NewWriterLevel(nil, level)
	if err != nil {
		return nil, err
	}
	return &files{dir: dir, limit: limit, pack: pack}, nil
}

// goTo makes a place the end: what lies behind it is cut off and removed. Missing
// says how many bytes before it are not there; the place is then the end of the last
// whole record that is.
func (f *files) goTo(to place) (missing int64, err error) {
	f.packed.Reset()
	if err := f.close(); err != nil {
		return 0, err
	}
	if err := f.removeFrom(to); err != nil {
		return 0, err
	}
	f.place = to
	if to.Length == 0 {
		return 0, nil
	}
	file, err := os.OpenFile(f.path(), os.O_RDWR|os.O_APPEND, 0)
	if errors.Is(err, fs.ErrNotExist) {
		f.place = place{File: to.File}
		return to.Length, nil
	}
	if err != nil {
		return 0, err
	}
	if f.Length, err = cut(file, to.Length); err != nil {
		return 0, errors.Join(err, file.Close())
	}
	f.file = file
	return to.Length - f.Length, nil
}

// missingBefore returns the files before that of a place that are not there.
func (f *files) missingBefore(to place) ([]output.Loss, error) {
	var lost []output.Loss
	for number := range to.File {
		name := fileName(number)
		switch _, err := os.Stat(filepath.Join(f.dir, name)); {
		case errors.Is(err, fs.ErrNotExist):
			lost = append(lost, output.Loss{File: name})
		case err != nil:
			return nil, err
		}
	}
	return lost, nil
}

// cut shortens a file to a length, or where it is shorter already to its last whole
// record, and returns how long it is then.
func cut(file *os.File, to int64) (length int64, err error) {
	info, err := file.Stat()
	if err != nil {
		return 0, err
	}
	length = to
	if info.Size() < length {
		length = wholeRecords(file)
	}
	if info.Size() == length {
		return length, nil
	}
	return length, file.Truncate(length)
}

// wholeRecords returns how many of the bytes at the beginning are whole records, each
// packed by itself.
func wholeRecords(r io.Reader) (length int64) {
	in := &counter{Reader: bufio.NewReaderSize(r, 1<<16)}
	unpack := new(gzip.Reader)
	for {
		if unpack.Reset(in) != nil {
			return length
		}
		unpack.Multistream(false)
		if _, err := io.Copy(io.Discard, unpack); err != nil {
			return length
		}
		length = in.n
	}
}

// A counter counts the bytes that were read. Since it has ReadByte, no more is read
// from it than is unpacked.
type counter struct {
	*bufio.Reader
	n int64
}

// Read implements io.Reader.
func (c *counter) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n += int64(n)
	return n, err
}

// ReadByte implements io.ByteReader.
func (c *counter) ReadByte() (byte, error) {
	b, err := c.Reader.ReadByte()
	if err == nil {
		c.n++
	}
	return b, err
}

// removeFrom removes the files behind a place.
func (f *files) removeFrom(to place) error {
	entries, err := os.ReadDir(f.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if match, _ := filepath.Match(filePattern, entry.Name()); !match {
			continue
		}
		number, err := strconv.Atoi(entry.Name()[len("crawl-") : len("crawl-")+5])
		if err != nil || number < to.File || number == to.File && to.Length > 0 {
			continue
		}
		if err := os.Remove(filepath.Join(f.dir, entry.Name())); err != nil {
			return err
		}
		f.newNames = true
	}
	return nil
}

func (f *files) path() string { return filepath.Join(f.dir, fileName(f.File)) }

// begun tells whether there is a file that a record can be added to.
func (f *files) begun() bool { return f.file != nil && f.Length < f.limit }

// next begins the first file, or the next one.
func (f *files) next() error {
	if f.file != nil {
		// Nobody comes back to this file, so its bytes reach the disk now.
		if err := errors.Join(f.flush(), durable.File(f.file), f.close()); err != nil {
			return err
		}
		f.place = place{File: f.File + 1}
	}
	if f.File >= mostFiles {
		return fmt.Errorf("%d files are as many as there are names for; make them larger", mostFiles)
	}
	file, err := os.OpenFile(f.path(), os.O_CREATE|os.O_EXCL|os.O_RDWR|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	f.file, f.newNames = file, true
	return nil
}

// add adds a record, compressed by itself, so that it can be read alone.
func (f *files) add(parts ...[]byte) error {
	before := f.packed.Len()
	f.pack.Reset(&f.packed)
	for _, part := range append(parts, recordEnd) {
		if _, err := f.pack.Write(part); err != nil {
			return err
		}
	}
	if err := f.pack.Close(); err != nil {
		return err
	}
	f.Length += int64(f.packed.Len() - before)
	if f.packed.Len() >= held {
		return f.flush()
	}
	return nil
}

// flush hands what was added to the system.
func (f *files) flush() error {
	if f.packed.Len() == 0 {
		return nil
	}
	_, err := f.file.Write(f.packed.Bytes())
	f.packed.Reset()
	return err
}

// sync returns when all that was flushed has reached the disk.
func (f *files) sync() error {
	if f.file != nil {
		if err := durable.File(f.file); err != nil {
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

func (f *files) close() error {
	if f.file == nil {
		return nil
	}
	err := f.file.Close()
	f.file = nil
	return err
}
