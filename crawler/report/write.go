package report

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Write makes the report of the crawl in a directory and writes report.json and
// report.html there. Each takes the place of an earlier one only when it is whole.
func Write(dir string, opts *Options) (*Report, error) {
	r, err := Make(dir, opts)
	if err != nil {
		return nil, err
	}
	err = errors.Join(
		writeFile(filepath.Join(dir, JSONFile), r.WriteJSON),
		writeFile(filepath.Join(dir, HTMLFile), r.WriteHTML),
	)
	if err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	return r, nil
}

// WriteJSON writes the report as SCHEMA.md describes it.
func (r *Report) WriteJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false) // a URL with & should read like one
	enc.SetIndent("", "  ")
	if err := enc.Encode(r); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return nil
}

// writeFile writes a file beside its place and then moves it there.
func writeFile(path string, write func(io.Writer) error) (err error) {
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(file.Name()))
		}
	}()
	buffer := bufio.NewWriterSize(file, 1<<16)
	err = errors.Join(write(buffer), buffer.Flush(), file.Chmod(0o644), file.Close())
	if err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}
