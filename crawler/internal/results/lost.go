package results

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/politecrawl/politecrawl/crawler/internal/jsonlines"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// LossOf returns the loss of a file with damaged lines.
func LossOf(e *jsonlines.DamagedError) output.Loss {
	return output.Loss{File: filepath.Base(e.File), Damage: e.Text()}
}

// Lost returns the losses of JSON lines files that are shorter than the given lengths. An
// incomplete line counts as lost.
func Lost(path string, had map[string]int64) ([]output.Loss, error) {
	var lost []output.Loss
	for name, length := range had {
		if name != filepath.Base(name) {
			continue // the state was edited
		}
		left, err := completeBytes(filepath.Join(path, name), length)
		if err != nil {
			return nil, err
		}
		if left < length {
			lost = append(lost, output.Loss{File: name, Bytes: length - left, SizeBefore: length})
		}
	}
	slices.SortFunc(lost, func(a, b output.Loss) int { return cmp.Compare(a.File, b.File) })
	return lost, nil
}

// completeBytes returns how many of the first length bytes of a file are complete lines.
func completeBytes(name string, length int64) (int64, error) {
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
	return jsonlines.CompleteLength(file, min(info.Size(), length))
}

// RenameIncomplete renames the files of a format, such as pages.csv to pages.lost-1.csv, so that new
// files can be written without deleting the old ones. It returns the new names.
func RenameIncomplete(path string, format output.Format) (kept []string, err error) {
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
