package output

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/politecrawl/politecrawl/crawler/output/internal/whole"
)

// ErrIncomplete says that the files of a format lack something that its mark counts.
var ErrIncomplete = errors.New("incomplete")

// A Loss is what a file of a crawl has lost since it was written: somebody has changed or
// removed it, or the machine went down before its disk had all of it.
type Loss struct {
	File  string `json:"file"`  // its name in the directory of the crawl
	Bytes int64  `json:"bytes"` // that are gone; 0: the whole file is, and nobody knows how long it was
	Had   int64  `json:"had"`   // bytes that it had; 0: not known

	Damage string `json:"damage,omitempty"` // which of its lines are there and cannot be read, and why
}

// String says it for a person.
func (l Loss) String() string {
	switch {
	case l.Damage != "":
		return fmt.Sprintf("%s is damaged: %s; all other lines can be read", l.File, l.Damage)
	case l.Bytes == 0:
		return l.File + " is gone"
	}
	return fmt.Sprintf("%s has lost %d of %d bytes", l.File, l.Bytes, l.Had)
}

// Lost returns what files of lines in a directory have lost of the bytes that they had, by
// their names. A line that is torn is lost as a whole.
func Lost(path string, had map[string]int64) ([]Loss, error) {
	var lost []Loss
	for name, length := range had {
		if name != filepath.Base(name) {
			continue // somebody has edited the state
		}
		left, err := wholeOf(filepath.Join(path, name), length)
		if err != nil {
			return nil, err
		}
		if left < length {
			lost = append(lost, Loss{File: name, Bytes: length - left, Had: length})
		}
	}
	slices.SortFunc(lost, func(a, b Loss) int { return cmp.Compare(a.File, b.File) })
	return lost, nil
}

// wholeOf returns how much is left of the first bytes of a file of lines.
func wholeOf(name string, length int64) (int64, error) {
	file, err := os.Open(name)
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return 0, err
	}
	left, err := whole.Lines(file, min(info.Size(), length))
	if err != nil {
		return 0, err
	}
	return left, nil
}

// KeepLost renames the files of a format, pages.csv to pages.lost-1.csv, so that new ones can
// be written without taking away what is left of them. It returns their names.
func KeepLost(path string, format Format) (kept []string, err error) {
	names, err := FilesOf(path, format)
	if err != nil {
		return nil, err
	}
	tag := ""
	for n := 1; tag == "" || slices.ContainsFunc(names, func(name string) bool { return exists(filepath.Join(path, tagged(name, tag))) }); n++ {
		tag = fmt.Sprintf("lost-%d", n)
	}
	for _, name := range names {
		to := tagged(name, tag)
		if err := os.Rename(filepath.Join(path, name), filepath.Join(path, to)); err != nil {
			return kept, err
		}
		kept = append(kept, to)
	}
	return kept, nil
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}
