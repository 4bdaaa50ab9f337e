// Package crawldir is the directory of a crawl as the crawl writes it: its files of lines
// with the lengths that count, the robots.txt files, and the state. Package output has what
// stands in the lines, and reads them.
package crawldir

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/politecrawl/politecrawl/crawler/internal/durable"
	"github.com/politecrawl/politecrawl/crawler/internal/jsonlines"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// The names in the directory of a crawl.
const (
	PagesFile    = "pages.jsonl"
	RejectedFile = "rejected.jsonl"
	SitemapsFile = "sitemaps.jsonl"
	LinksFile    = "links.jsonl"
	EntriesFile  = "entries.jsonl"
	RobotsFile   = "robots.jsonl"
	RobotsDir    = "robots"
	StateFile    = "crawl.json"
)

// Dir is the directory of one crawl. It is safe for concurrent use, but for
// Write and Sync.
type Dir struct {
	path   string
	files  [kinds]*jsonlines.File
	robots *jsonlines.Log
}

// The files of lines, as they stand in Dir.files and in a Batch.
const (
	pages = iota
	rejected
	sitemaps
	links
	entries
	kinds
)

var fileNames = [kinds]string{PagesFile, RejectedFile, SitemapsFile, LinksFile, EntriesFile}

// CheckEmpty returns nil when a crawl may be begun in the directory: it is missing,
// or has nothing of one in it. What another began and did not come to write
// anything in counts for nothing, unless it is of one of the formats. The error is
// ErrExists.
func CheckEmpty(path string, formats ...output.Format) error {
	if _, err := os.Lstat(filepath.Join(path, StateFile)); err == nil {
		return fmt.Errorf("%w: %q has %s in it; name another directory or remove this one", output.ErrExists, path, StateFile)
	}
	if name := NonEmptyFile(path); name != "" {
		return fmt.Errorf("%w: %q has %s in it; name another directory or remove this one", output.ErrExists, path, name)
	}
	names, err := FilesOf(path, formats...)
	if err == nil && len(names) > 0 {
		err = fmt.Errorf("%w: %q has %s in it; name another directory or remove this one", output.ErrExists, path, names[0])
	}
	return err
}

// NonEmptyFile returns the name of a file of lines in the directory that has any; empty:
// there is none.
func NonEmptyFile(path string) string {
	for _, name := range fileNames {
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
		for _, pattern := range format.Files {
			for _, entry := range inside {
				ok, err := filepath.Match(pattern, entry.Name())
				if err != nil {
					return nil, fmt.Errorf("files of the format %q: %w", format.Name, err)
				}
				if ok {
					names = append(names, entry.Name())
				}
			}
		}
	}
	return names, nil
}

// Create makes the directory where it is missing, and the files in it, with
// state as the first content of the state file. A directory with a crawl in it is
// refused with [output.ErrExists] and left as it is.
func Create(path string, state any) (*Dir, error) {
	if err := CheckEmpty(path); err != nil {
		return nil, err
	}
	d := &Dir{path: path}
	if err := makeRobotsDir(path); err != nil {
		return nil, err
	}
	if err := SaveState(path, state); err != nil {
		return nil, err
	}
	if err := d.open(Lengths{}); err != nil {
		return nil, err
	}
	return d, nil
}

// Open opens the directory of a crawl that is to go on. What lies beyond counted
// in its files is cut off: it was written for URLs whose end the frontier does not
// know of, so that it will be written again. [Lost] says what is not there of what
// counts. The error is ErrNone where no crawl was begun.
func Open(path string, counted Lengths) (*Dir, error) {
	if err := checkExists(path); err != nil {
		return nil, err
	}
	d := &Dir{path: path}
	if err := makeRobotsDir(path); err != nil {
		return nil, err
	}
	if err := d.open(counted); err != nil {
		return nil, err
	}
	return d, nil
}

func (d *Dir) open(counted Lengths) error {
	for kind, name := range fileNames {
		l, err := jsonlines.Open(filepath.Join(d.path, name), counted.of(kind))
		if err != nil {
			return errors.Join(err, d.Close())
		}
		d.files[kind] = l
	}
	var err error
	// Last, since it brings the names of the other files to the disk as well.
	if d.robots, err = jsonlines.OpenLog(filepath.Join(d.path, RobotsFile)); err != nil {
		return errors.Join(err, d.Close())
	}
	return nil
}

// Path returns the directory's path as it was given.
func (d *Dir) Path() string { return d.path }

// Write appends a batch. When it returns, the lines have left the process: killing
// it tears none. It is not to be called by two at a time.
func (d *Dir) Write(b *Batch) error {
	for kind, l := range d.files {
		if err := l.Append(b.lines[kind]); err != nil {
			return err
		}
	}
	return nil
}

// Lengths returns how long the files are.
func (d *Dir) Lengths() Lengths {
	return Lengths{
		Pages: d.files[pages].Length(), Rejected: d.files[rejected].Length(),
		Sitemaps: d.files[sitemaps].Length(), Links: d.files[links].Length(), Entries: d.files[entries].Length(),
		Robots: d.robots.Length(),
	}
}

// Sync returns when every line that was written has reached the disk. It is not to be
// called by two at a time.
func (d *Dir) Sync() error {
	if err := d.robots.Sync(); err != nil {
		return err
	}
	for _, l := range d.files {
		if err := l.Sync(); err != nil {
			return err
		}
	}
	return nil
}

// replace writes a file so that a reader finds the old content or the new one,
// never half of it; with power also after the machine went down, and the new one once
// it has returned.
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

// createTemp opens the file that is to take the place of another. What may be there under
// its name is not written to: it may be a link, or a file that others can read.
func createTemp(path string, mode os.FileMode) (*os.File, error) {
	if err := os.Remove(path + "~"); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	return os.OpenFile(path+"~", os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
}

// writeAndClose writes a file and closes it, with power when its bytes have reached the disk.
func writeAndClose(file *os.File, content []byte, power bool) error {
	_, err := file.Write(content)
	if err == nil && power {
		err = durable.File(file)
	}
	return errors.Join(err, file.Close())
}

// makeRobotsDir makes the directory for robots.txt files where it is missing.
func makeRobotsDir(path string) error {
	name := filepath.Join(path, RobotsDir)
	if err := jsonlines.RefuseSymlink(name); err != nil {
		return err
	}
	return durable.MkdirAll(name)
}

// Close closes the files. It is called once, after the last line.
func (d *Dir) Close() error {
	var errs []error
	for _, l := range d.files {
		if l != nil {
			errs = append(errs, l.Close())
		}
	}
	if d.robots != nil {
		errs = append(errs, d.robots.Close())
	}
	return errors.Join(errs...)
}
