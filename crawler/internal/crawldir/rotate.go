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

// Rotate puts the files of lines aside under a number, pages.1.jsonl for 1, so that
// new ones can be begun, and returns where they are now. Those that were put aside
// under this number before stay as they are. The files of formats go with them.
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
	// The crawl begins new files by these names and says that they count.
	if err := durable.Dir(path); err != nil {
		failed = append(failed, err)
	}
	return f, errors.Join(failed...)
}

// DropRejections takes lines out of rejected.jsonl: those that drop says, those that
// begin at counted or beyond it, and those that cannot be read. It returns how long the file
// is then, on the disk: cut to that length, the old file would have a torn line. Nobody may
// have it open.
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

// Rotated tells whether files were put aside under a number.
func Rotated(path string, number int) bool {
	for _, name := range append(fileNames[:], RobotsFile) {
		if _, err := os.Lstat(filepath.Join(path, RotatedName(name, number))); err == nil {
			return true
		}
	}
	return false
}

// RotatedName is the name of a file that was put aside under a number.
func RotatedName(name string, number int) string { return tagged(name, strconv.Itoa(number)) }

// tagged is the name of a file with a tag before its extension.
func tagged(name, tag string) string {
	base, ext, _ := strings.Cut(name, ".")
	return base + "." + tag + "." + ext
}
