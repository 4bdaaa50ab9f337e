package archive

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/politecrawl/politecrawl/crawler/internal/cdxj"
)

// A Problem is something that is wrong with a file.
type Problem struct {
	File     string `json:"file"`
	Entry    string `json:"entry,omitempty"`     // the file in a WACZ
	Offset   *int64 `json:"offset,omitempty"`    // of a record
	Line     int    `json:"line,omitempty"`      // of a file of lines, from 1
	RecordID string `json:"record_id,omitempty"` // WARC-Record-ID
	Error    string `json:"error"`
}

// String returns the problem as text: where, and what.
func (p *Problem) String() string {
	parts := []string{p.File, p.Entry, "", p.RecordID, p.Error}
	if p.Offset != nil {
		parts[2] = fmt.Sprintf("byte %d", *p.Offset)
	} else if p.Line > 0 {
		parts[2] = fmt.Sprintf("line %d", p.Line)
	}
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), ": ")
}

// ErrFormat says that a file is neither a WACZ nor a compressed WARC file.
var ErrFormat = errors.New("neither a WACZ file nor a compressed WARC file")

// Check checks a WARC file (.warc.gz), with the index beside it, or a WACZ file: framing, fields, digests and index.
// It calls report for each problem, and returns the number of records. The error is of reading the file.
// A file takes the same memory whatever its size.
func Check(name string, report func(*Problem)) (records int, err error) {
	file, err := os.Open(name)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	c := &checker{file: name, report: report}
	var magic [2]byte
	if _, err := file.ReadAt(magic[:], 0); err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	switch string(magic[:]) {
	case "PK":
		var info fs.FileInfo
		if info, err = file.Stat(); err == nil {
			err = c.wacz(file, info.Size())
		}
	case "\x1f\x8b":
		err = c.withIndex(file)
	default:
		err = fmt.Errorf("%q: %w", name, ErrFormat)
	}
	return c.records, err
}

// A checker checks a file.
type checker struct {
	file    string
	entry   string // in a WACZ
	report  func(*Problem)
	records int
	index   *index // nil if there is none
}

// say reports a problem at a line, or 0.
func (c *checker) say(line int, format string, args ...any) {
	c.report(&Problem{File: c.file, Entry: c.entry, Line: line, Error: fmt.Sprintf(format, args...)})
}

// ioError returns err if reading a file failed, and nil if its content is damaged.
func ioError(err error) error {
	if _, ok := errors.AsType[*fs.PathError](err); ok {
		return err
	}
	return nil
}

// withIndex checks a WARC file with the index beside it, if there is one.
func (c *checker) withIndex(file *os.File) error {
	base := filepath.Base(file.Name())
	name := strings.TrimSuffix(file.Name(), ".warc.gz") + cdxj.Extension
	lines, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return c.warc(file, base)
	}
	if err != nil {
		return err
	}
	defer func() { _ = lines.Close() }()
	c.index = &index{checker: checker{file: name, report: c.report}}
	return errors.Join(c.indexed(file, base, lines), c.index.lines.close())
}

// indexed checks a WARC file with the lines of its index.
func (c *checker) indexed(file io.Reader, name string, index io.Reader) error {
	lines := newScanner(index, maxLine)
	for lines.Scan() {
		if err := c.index.add(lines.Bytes()); err != nil {
			return err
		}
	}
	if err := lines.Err(); err != nil {
		c.index.say(c.index.number+1, "%v", err)
		c.index.isDamaged = true
	}
	return cmp.Or(ioError(lines.Err()), c.warc(file, name), c.index.compare(c))
}

// warc checks a WARC file.
func (c *checker) warc(r io.Reader, name string) error {
	for rec, err := range records(r) {
		say := func(problem string) {
			c.report(&Problem{File: c.file, Entry: c.entry, Offset: &rec.line.Offset, RecordID: rec.line.RecordID, Error: problem})
		}
		if unread := ioError(err); unread != nil {
			return unread
		}
		if err != nil {
			say(fmt.Sprintf("damaged gzip member: %v; the rest of the file is not checked", err))
			c.index.unchecked(name)
			return nil
		}
		c.records++
		for _, problem := range rec.problems {
			say(problem)
		}
		rec.line.File = name
		if err := c.index.addRecord(rec); err != nil {
			return err
		}
	}
	return nil
}
