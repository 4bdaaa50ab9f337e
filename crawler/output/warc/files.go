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

// Files are named crawl-00000.warc.gz and so on. Rotated files of earlier crawls have a number,
// crawl-00000.1.warc.gz, which the pattern does not match.
const (
	filePattern = "crawl-[0-9][0-9][0-9][0-9][0-9].warc.gz"
	maxFiles    = 100_000
)

func fileName(number int) string { return fmt.Sprintf("crawl-%05d.warc.gz", number) }

// recordEnd follows the block of every record.
var recordEnd = []byte("\r\n\r\n")

// A position is a point between two records. A checkpoint is its JSON.
type position struct {
	File   int   `json:"file"`   // number of the last file
	Length int64 `json:"length"` // of that file, in bytes; 0 if it does not exist yet
}

// files are the files of a crawl. The last one grows.
type files struct {
	dir      string
	limit    int64 // a file of this size gets no more records
	position       // the end of the last record
	file     *os.File
	pack     *gzip.Writer
	packed   bytes.Buffer // records that are not yet in the file
	newNames bool         // the directory changed since the last sync
}

// bufferSize is the number of packed bytes at which they are written to the file.
const bufferSize = 256 << 10

func newFiles(dir string, limit int64, level int) (*files, error) {
	pack, err := gzip.NewWriterLevel(nil, level)
	if err != nil {
		return nil, err
	}
	return &files{dir: dir, limit: limit, pack: pack}, nil
}

// truncate removes everything after a position. Missing is the number of bytes that are missing
// before it; the new position is then the end of the last whole record.
func (f *files) truncate(to position) (missing int64, err error) {
	f.packed.Reset()
	if err := f.close(); err != nil {
		return 0, err
	}
	if err := f.removeFrom(to); err != nil {
		return 0, err
	}
	f.position = to
	if to.Length == 0 {
		return 0, nil
	}
	file, err := os.OpenFile(f.path(), os.O_RDWR|os.O_APPEND, 0)
	if errors.Is(err, fs.ErrNotExist) {
		f.position = position{File: to.File}
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

// missingBefore returns the missing files before the file of a position.
func (f *files) missingBefore(to position) ([]output.Loss, error) {
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

// cut truncates a file to a length, or a shorter file to its last whole record. It returns the
// new length.
func cut(file *os.File, to int64) (length int64, err error) {
	info, err := file.Stat()
	if err != nil {
		return 0, err
	}
	length = to
	if info.Size() < length {
		length, _ = eachRecord(file, func(*gzip.Reader) error { return nil }) // the rest is damaged
	}
	if info.Size() == length {
		return length, nil
	}
	return length, file.Truncate(length)
}

// eachRecord calls use with each record of a file, from its start, and returns the length of the whole
// records. It ends at an error, of use or of a damaged record. Use need not read the whole record.
func eachRecord(file *os.File, use func(*gzip.Reader) error) (whole int64, err error) {
	in, unpack := bufio.NewReaderSize(file, 1<<16), new(gzip.Reader)
	for {
		err := unpack.Reset(in)
		if errors.Is(err, io.EOF) {
			return whole, nil
		}
		if err == nil {
			unpack.Multistream(false)
			err = use(unpack)
		}
		if err == nil {
			_, err = io.Copy(io.Discard, unpack)
		}
		end, seekErr := file.Seek(0, io.SeekCurrent)
		if err := errors.Join(err, seekErr); err != nil {
			return whole, err
		}
		whole = end - int64(in.Buffered()) // gzip reads no more than it unpacks
	}
}

// removeFrom removes the files after a position.
func (f *files) removeFrom(to position) error {
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

// writable reports whether a record can be added to the current file.
func (f *files) writable() bool { return f.file != nil && f.Length < f.limit }

// next starts the next file.
func (f *files) next() error {
	if f.file != nil {
		// No later commit syncs this file.
		if err := errors.Join(f.flush(), durable.File(f.file), f.close()); err != nil {
			return err
		}
		f.position = position{File: f.File + 1}
	}
	if f.File >= maxFiles {
		return fmt.Errorf("no more than %d files are possible; increase their maximum size", maxFiles)
	}
	file, err := os.OpenFile(f.path(), os.O_CREATE|os.O_EXCL|os.O_RDWR|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	f.file, f.newNames = file, true
	return nil
}

// add adds a record as a separate gzip member.
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
	if f.packed.Len() >= bufferSize {
		return f.flush()
	}
	return nil
}

// flush writes the buffer to the file.
func (f *files) flush() error {
	if f.packed.Len() == 0 {
		return nil
	}
	_, err := f.file.Write(f.packed.Bytes())
	f.packed.Reset()
	return err
}

// sync writes all flushed data to the disk.
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
