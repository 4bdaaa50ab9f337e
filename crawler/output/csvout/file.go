package csvout

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/politecrawl/politecrawl/crawler/internal/durable"
	"github.com/politecrawl/politecrawl/crawler/internal/jsonlines"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// A file is a table that grows.
type file struct {
	file    *os.File
	length  int64 // bytes written to the file
	buffer  *bufio.Writer
	records *csv.Writer // into buffer
}

// openFile opens a table to append to it, and truncates it to the counted bytes. A new table
// starts with the names of its columns. The error is [output.ErrIncomplete] if the table is
// shorter than the counted bytes, or has other columns.
func openFile(name string, columns []string, counted int64) (_ *file, err error) {
	f := new(file)
	if f.file, err = os.OpenFile(name, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o644); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.file.Close())
		}
	}()
	// As in a file of JSON lines, a record is a line: cells have no line breaks.
	if f.length, err = jsonlines.Truncate(f.file, counted); err != nil {
		return nil, err
	}
	if lost := counted - f.length; lost > 0 {
		return nil, fmt.Errorf("%w: %q has lost %d of %d bytes", output.ErrIncomplete, name, lost, counted)
	}
	f.buffer = bufio.NewWriterSize(f, 1<<16)
	f.records = csv.NewWriter(f.buffer)
	f.records.UseCRLF = true // RFC 4180
	if f.length == 0 {
		return f, f.records.Write(columns)
	}
	found, err := csv.NewReader(io.NewSectionReader(f.file, 0, f.length)).Read()
	if err != nil || !slices.Equal(found, columns) {
		return nil, fmt.Errorf("%w: %q has other columns than this version writes", output.ErrIncomplete, name)
	}
	return f, nil
}

// Write writes the buffer to the file. After a failure the buffer writes nothing more, so that
// no record follows a partial one.
func (f *file) Write(p []byte) (int, error) {
	n, err := f.file.Write(p)
	f.length += int64(n)
	return n, err
}

// flush writes all records to the file, and with power to the disk.
func (f *file) flush(power bool) error {
	if err := f.buffer.Flush(); err != nil {
		return err
	}
	if !power {
		return nil
	}
	return durable.File(f.file)
}
