package results

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/politecrawl/politecrawl/crawler/internal/durable"
	"github.com/politecrawl/politecrawl/crawler/internal/jsonlines"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// Dir is the directory of one crawl. It is safe for concurrent use, except Write and Sync.
type Dir struct {
	path  string
	files []*jsonlines.File // by the index of their row

	versions sync.Mutex          // guards kept, and writing files in robots/versions, which origins share
	kept     map[string]struct{} // hashes of versions that exist; not all
}

// CheckEmpty returns nil if a crawl may be created in a directory: it is missing, or has no
// files of a crawl. Empty JSON lines files are ignored. The error is [output.ErrExists].
func CheckEmpty(path string, formats ...output.Format) error {
	name := StateFile
	if !exists(filepath.Join(path, StateFile)) {
		name = NonEmptyFile(path)
	}
	if name == "" {
		names, err := FilesOf(path, formats...)
		if err != nil || len(names) == 0 {
			return err
		}
		name = names[0]
	}
	return ExistsError(path, name)
}

// ExistsError says that a directory has a file, or the like, of an earlier crawl.
func ExistsError(path, what string) error {
	return fmt.Errorf("%w: %q has %s in it; name another directory or remove this one", output.ErrExists, path, what)
}

// NonEmptyFile returns the name of a JSON lines file that is not empty, or "" if there is none.
func NonEmptyFile(path string) string {
	for _, f := range files {
		name := f.self().name
		if info, err := os.Lstat(filepath.Join(path, name)); err == nil && info.Size() > 0 {
			return name
		}
	}
	return ""
}

// FilesOf returns the names of the files of formats in a directory, which may be
// missing.
func FilesOf(path string, formats ...output.Format) (names []string, err error) {
	inside, err := os.ReadDir(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	for _, format := range formats {
		for _, entry := range inside {
			for _, pattern := range format.Files {
				ok, err := filepath.Match(pattern, entry.Name())
				if err != nil {
					return nil, fmt.Errorf("files of the format %q: %w", format.Name, err)
				}
				if ok {
					names = append(names, entry.Name())
					break
				}
			}
		}
	}
	return names, nil
}

// Create creates the directory if it is missing, and the files in it, with state as the
// content of the state file. Files that are named as unused are created by their first line. If
// the directory has a crawl, the error is [output.ErrExists].
func Create(path string, state any, unused ...string) (*Dir, error) {
	if err := CheckEmpty(path); err != nil {
		return nil, err
	}
	if err := makeRobotsDir(path); err != nil {
		return nil, err
	}
	if err := SaveState(path, state); err != nil {
		return nil, err
	}
	return open(path, nil, unused)
}

// Open opens the directory of a crawl that is resumed. It truncates the files to the lengths
// counted. The frontier has not committed the lines after that, so they will be written again.
// [Lost] returns missing lines. Unused files are as in Create. The error is [output.ErrNoCrawl] if
// there is no crawl.
func Open(path string, counted Lengths, unused ...string) (*Dir, error) {
	if err := checkExists(path); err != nil {
		return nil, err
	}
	if err := makeRobotsDir(path); err != nil {
		return nil, err
	}
	return open(path, counted, unused)
}

func open(path string, counted Lengths, unused []string) (*Dir, error) {
	d := &Dir{path: path}
	for _, r := range rows {
		open, length := jsonlines.Open, counted[r.name]
		if r.keepsUncommitted {
			length = math.MaxInt64
		}
		if slices.Contains(unused, r.name) {
			open = jsonlines.OpenLater
		}
		file, err := open(filepath.Join(path, r.name), length)
		if err != nil {
			return nil, errors.Join(err, d.Close())
		}
		d.files = append(d.files, file)
	}
	if err := durable.Dir(path); err != nil { // the names of the files
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

func (d *Dir) file(r *row) *jsonlines.File { return d.files[r.index] }

// Lengths are the committed lengths of the files of a directory, in bytes, by their names. A crawl stores
// them in its frontier, so that both agree after a kill. The lengths of logs serve only to detect losses.
type Lengths map[string]int64

// Write appends a batch. When it returns, the kernel has the lines, so a kill of the process
// cannot truncate them. It must not be called concurrently.
func (d *Dir) Write(b *Batch) error {
	for i, lines := range b.lines {
		if len(lines) == 0 {
			continue
		}
		if _, err := d.files[i].Append(lines); err != nil {
			return err
		}
	}
	return nil
}

// Lengths returns the lengths of the files.
func (d *Dir) Lengths() Lengths {
	lengths := make(Lengths, len(rows))
	for _, r := range rows {
		lengths[r.name] = d.file(r).Length()
	}
	return lengths
}

// Sync syncs all written lines to disk. It must not be called concurrently.
func (d *Dir) Sync() error {
	for _, file := range d.files {
		if err := file.Sync(); err != nil {
			return err
		}
	}
	return nil
}

// replace replaces a file atomically. With power, it is atomic after a power cut too, and the new
// content is on disk when replace returns.
func replace(path string, content []byte, mode os.FileMode, power bool) error {
	file, err := createTemp(path, mode)
	if err != nil {
		return err
	}
	if err := writeAndClose(file, content, power); err != nil {
		return err
	}
	rename := os.Rename
	if power {
		rename = durable.Rename
	}
	return rename(file.Name(), path)
}

// createTemp creates a file to replace the file at path. It first removes an existing temporary
// file, which may be a link or readable by others.
func createTemp(path string, mode os.FileMode) (*os.File, error) {
	if err := os.Remove(path + "~"); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	return os.OpenFile(path+"~", os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
}

// writeAndClose writes a file and closes it; with power, it syncs the file first.
func writeAndClose(file *os.File, content []byte, power bool) error {
	_, err := file.Write(content)
	if err == nil && power {
		err = durable.File(file)
	}
	return errors.Join(err, file.Close())
}

// makeRobotsDir creates the directories for robots.txt files if they are missing.
func makeRobotsDir(path string) error {
	versions := output.VersionPath(path, "")
	for _, name := range []string{filepath.Dir(versions), versions} {
		if err := jsonlines.RefuseSymlink(name); err != nil {
			return err
		}
	}
	return durable.MkdirAll(versions)
}

// Close closes the files. Call it once, after the last write.
func (d *Dir) Close() error {
	var errs []error
	for _, file := range d.files {
		errs = append(errs, file.Close())
	}
	return errors.Join(errs...)
}
