package report

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/politecrawl/politecrawl/crawler/internal/durable"
	"github.com/politecrawl/politecrawl/crawler/output/jsontext"
)

// WriteFiles writes report.json and report.html into a directory, which is made where it
// is missing. They take the place of earlier ones only when both are whole: on a disk
// that is full, or after a power cut, the earlier ones stay.
func (r *Report) WriteFiles(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	json, html := filepath.Join(dir, JSONFile), filepath.Join(dir, HTMLFile)
	return writeFiles(map[string]func(io.Writer) error{json: r.WriteJSON, html: r.WriteHTML})
}

// WriteJSON writes the report as SCHEMA.md describes it.
func (r *Report) WriteJSON(w io.Writer) error {
	enc := json.NewEncoder(jsontext.NewWriter(w))
	enc.SetEscapeHTML(false) // a URL with & should read like one
	enc.SetIndent("", "  ")
	return enc.Encode(r)
}

// writeFiles writes files beside their places, and then moves them there.
func writeFiles(files map[string]func(io.Writer) error) (err error) {
	whole := make(map[string]string) // names beside, by places
	defer func() {
		for _, name := range whole {
			err = errors.Join(err, os.Remove(name))
		}
	}()
	for path, write := range files {
		name, err := writeBeside(path, write)
		if err != nil {
			return notWritten(path, err)
		}
		whole[path] = name
	}
	for path, name := range whole {
		if err := durable.Rename(name, path); err != nil {
			return notWritten(path, err)
		}
		delete(whole, path)
	}
	return nil
}

// notWritten is the error for a file that was to be at a path: it names that, and no file
// beside it.
func notWritten(path string, err error) error {
	if beside, ok := errors.AsType[*fs.PathError](err); ok {
		err = beside.Err
	} else if beside, ok := errors.AsType[*os.LinkError](err); ok {
		err = beside.Err
	}
	return &fs.PathError{Op: "write", Path: path, Err: err}
}

// writeBeside writes what is to be at a path into a new file in the same directory,
// and returns its name. When it fails there is no such file.
func writeBeside(path string, write func(io.Writer) error) (name string, err error) {
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return "", err
	}
	buffer := bufio.NewWriterSize(file, 1<<16)
	if err = write(buffer); err == nil { // else Flush says it again
		err = buffer.Flush()
	}
	if err == nil {
		err = durable.File(file)
	}
	if err = errors.Join(err, file.Chmod(0o644), file.Close()); err != nil {
		return "", errors.Join(err, os.Remove(file.Name()))
	}
	return file.Name(), nil
}
