package crawldir

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/politecrawl/politecrawl/crawler/internal/durable"
	"github.com/politecrawl/politecrawl/crawler/internal/jsonlines"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// Files are the names of the files of lines that one crawl of a directory wrote.
type Files struct {
	Pages, Rejected, Sitemaps, Links, Entries, Robots string
}

// Rotate renames the files of lines by a number, such as pages.1.jsonl for 1, and returns
// the new names. Files that were renamed before with this number stay. The files of formats
// are renamed too.
func Rotate(path string, number int, formats ...output.Format) (Files, error) {
	var failed []error
	rotate := func(name string) string {
		to := filepath.Join(path, RotatedName(name, number))
		if _, err := os.Lstat(to); err == nil {
			if info, err := os.Lstat(filepath.Join(path, name)); err == nil && info.Size() > 0 {
				failed = append(failed, fmt.Errorf("%q has %s and %s; move one of them away", path, name, filepath.Base(to)))
			}
			return to
		}
		if err := os.Rename(filepath.Join(path, name), to); err != nil && !errors.Is(err, os.ErrNotExist) {
			failed = append(failed, err)
		}
		return to
	}
	f := Files{
		Pages: rotate(PagesFile), Rejected: rotate(RejectedFile), Sitemaps: rotate(SitemapsFile),
		Links: rotate(LinksFile), Entries: rotate(EntriesFile), Robots: rotate(RobotsFile),
	}
	names, err := FilesOf(path, formats...)
	failed = append(failed, err)
	for _, name := range names {
		rotate(name)
	}
	// The crawl creates new files with the old names and commits to them.
	if err := durable.Dir(path); err != nil {
		failed = append(failed, err)
	}
	return f, errors.Join(failed...)
}

// DropRejections removes lines from rejected.jsonl: those that drop selects, those at
// counted or later, and those that cannot be read. It returns the new length of the file,
// which is synced to disk. Nobody may have the file open.
func DropRejections(path string, counted int64, drop func(*output.Rejection) bool) (length int64, err error) {
	name := filepath.Join(path, RejectedFile)
	kept, err := createTemp(name, 0o644) // there may be more of them than memory has room for
	if err != nil {
		return 0, err
	}
	buffer, line := bufio.NewWriter(kept), []byte(nil)
	err = jsonlines.Each(name, func(at int64, r *output.Rejection) error {
		if at >= counted || drop(r) {
			return nil
		}
		if line, err = jsonlines.Line(line[:0], r); err != nil {
			return err
		}
		length += int64(len(line))
		_, err = buffer.Write(line)
		return err
	})
	if err = errors.Join(jsonlines.Readable(err), buffer.Flush()); err == nil {
		err = durable.File(kept)
	}
	if err = errors.Join(err, kept.Close()); err == nil {
		err = durable.Rename(kept.Name(), name)
	}
	if err != nil {
		return 0, errors.Join(err, os.Remove(kept.Name()))
	}
	return length, nil
}

// Rotated reports whether there are files with a number.
func Rotated(path string, number int) bool {
	for _, name := range append(fileNames[:], RobotsFile) {
		if _, err := os.Lstat(filepath.Join(path, RotatedName(name, number))); err == nil {
			return true
		}
	}
	return false
}

// RotatedName returns the name of a rotated file.
func RotatedName(name string, number int) string { return tagged(name, strconv.Itoa(number)) }

// tagged is the name of a file with a tag before its extension.
func tagged(name, tag string) string {
	base, ext, _ := strings.Cut(name, ".")
	return base + "." + tag + "." + ext
}
