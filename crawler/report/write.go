package report

import (
	"bufio"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"

	"github.com/politecrawl/politecrawl/crawler/internal/durable"
	"github.com/politecrawl/politecrawl/crawler/output/safejson"
)

// WriteFiles writes report.json and report.html into a directory, and creates the directory
// if it is missing. Existing reports are replaced only when both new files are complete, so
// they survive a full disk or a power cut. If ctx ends before, WriteFiles leaves no new file and
// returns the error of ctx.
func (r *Report) WriteFiles(ctx context.Context, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	json, html := filepath.Join(dir, JSONFile), filepath.Join(dir, HTMLFile)
	return writeFiles(ctx, map[string]func(io.Writer) error{json: r.WriteJSON, html: r.WriteHTML})
}

// WriteJSON writes the report as SCHEMA.md describes it.
func (r *Report) WriteJSON(w io.Writer) error {
	if err := jsonv2.MarshalWrite(safejson.NewWriter(w), r, readable); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// readable are the options of encoding/json, with indentation, and without escapes of & in URLs. A
// replacement character (U+FFFD) is written as such, not as an escape.
var readable = jsonv2.JoinOptions(jsonv1.DefaultOptionsV1(), jsontext.EscapeForHTML(false), jsontext.WithIndent("  "))

// writeFiles writes all files beside their places, and then moves them there, unless ctx ends
// before. Its errors name the place.
func writeFiles(ctx context.Context, files map[string]func(io.Writer) error) (err error) {
	beside := make(map[string]string) // by place
	defer func() {
		for _, name := range beside {
			err = errors.Join(err, os.Remove(name))
		}
	}()
	for path, write := range files {
		name, err := writeBeside(ctx, path, write)
		if err != nil {
			return notWritten(path, err)
		}
		beside[path] = name
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	for path, name := range beside {
		if err := durable.Rename(name, path); err != nil {
			return notWritten(path, err)
		}
		delete(beside, path)
	}
	return nil
}

// notWritten returns the error of a file.
func notWritten(path string, err error) error {
	return &fs.PathError{Op: "write", Path: path, Err: causeOf(err)}
}

// causeOf returns an error, or each of several, without the name of a file beside the report.
func causeOf(err error) error {
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		var causes []error
		for _, err := range several.Unwrap() {
			causes = append(causes, causeOf(err))
		}
		return errors.Join(causes...)
	}
	if beside, ok := errors.AsType[*fs.PathError](err); ok {
		return beside.Err
	}
	if beside, ok := errors.AsType[*os.LinkError](err); ok {
		return beside.Err
	}
	return err
}

// writeBeside writes a new file in the directory of path and returns its name. When it fails
// there is no such file.
func writeBeside(ctx context.Context, path string, write func(io.Writer) error) (name string, err error) {
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return "", err
	}
	buffer := bufio.NewWriterSize(contextWriter{ctx, file}, 1<<16)
	if err = write(buffer); err == nil { // else Flush returns the same error
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

// A contextWriter fails when its context has ended.
type contextWriter struct {
	ctx context.Context
	to  io.Writer
}

func (w contextWriter) Write(p []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.to.Write(p)
}
