package archive

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
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
	text := p.File + ": "
	if p.Entry != "" {
		text += p.Entry + ": "
	}
	if p.Offset != nil {
		text += fmt.Sprintf("byte %d: ", *p.Offset)
	}
	if p.Line > 0 {
		text += fmt.Sprintf("line %d: ", p.Line)
	}
	if p.RecordID != "" {
		text += p.RecordID + ": "
	}
	return text + p.Error
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
}

// say reports a problem at a line, or 0.
func (c *checker) say(line int, format string, args ...any) {
	c.report(&Problem{File: c.file, Entry: c.entry, Line: line, Error: fmt.Sprintf(format, args...)})
}

// withIndex checks a WARC file with the index beside it, if there is one.
func (c *checker) withIndex(file *os.File) error {
	name := strings.TrimSuffix(file.Name(), ".warc.gz") + cdxj.Extension
	lines, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return c.warc(file, nil, "")
	}
	if err != nil {
		return err
	}
	defer func() { _ = lines.Close() }()
	of, base := &checker{file: name, report: c.report}, filepath.Base(file.Name())
	i := newIndex(of, func(yield func(*indexLine, error) bool) {
		for line, err := range of.readIndex(lines) {
			if err == nil && line.File != base {
				of.say(line.number, "filename is %q instead of %q", line.File, base)
			} else if !yield(line, err) {
				return
			}
		}
	})
	defer i.stop()
	return c.warc(file, i, base)
}

// ioError returns err if reading a file failed, and nil if its content is damaged.
func ioError(err error) error {
	if _, ok := errors.AsType[*fs.PathError](err); ok {
		return err
	}
	return nil
}

// warc checks a WARC file with a name in its index, which is nil if there is none.
func (c *checker) warc(r io.Reader, i *index, name string) error {
	for rec, err := range records(r) {
		say := func(problem string) {
			c.report(&Problem{File: c.file, Entry: c.entry, Offset: &rec.line.Offset, RecordID: rec.line.RecordID, Error: problem})
		}
		if unread := ioError(err); unread != nil {
			return unread
		}
		if err != nil {
			say(fmt.Sprintf("damaged gzip member: %v; the rest of the file is not checked", err))
			return nil
		}
		c.records++
		for _, problem := range rec.problems {
			say(problem)
		}
		missing, err := i.compare(rec, name)
		if err != nil {
			return err
		}
		if missing {
			say("the index has no line for this record")
		}
	}
	_, err := i.compare(nil, name)
	return err
}
