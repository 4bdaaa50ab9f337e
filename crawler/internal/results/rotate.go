package results

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/politecrawl/politecrawl/crawler/internal/durable"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// Rotate adds a number to the names of the JSON lines files, such as pages.1.jsonl. Files that already
// have this number stay. It removes the files of formats without exchanges, such as tables: the JSON
// lines files have the same results. Archives keep their names.
func Rotate(path string, number int, formats ...output.Format) error {
	var failed []error
	for _, r := range rows {
		if r.keptByRecrawl {
			continue
		}
		from, to := filepath.Join(path, r.name), filepath.Join(path, RotatedName(r.name, number))
		if exists(to) {
			if info, err := os.Lstat(from); err == nil && info.Size() > 0 {
				failed = append(failed, fmt.Errorf("%q has %s and %s; move one of them away", path, r.name, filepath.Base(to)))
			}
		} else if err := os.Rename(from, to); err != nil && !errors.Is(err, os.ErrNotExist) {
			failed = append(failed, err)
		}
	}
	for _, format := range formats {
		if format.Exchanges {
			continue
		}
		names, err := FilesOf(path, format)
		failed = append(failed, err)
		for _, name := range names {
			failed = append(failed, os.Remove(filepath.Join(path, name)))
		}
	}
	// The crawl creates new files with the old names and commits to them.
	if err := durable.Dir(path); err != nil {
		failed = append(failed, err)
	}
	return errors.Join(failed...)
}

// RemoveGenerations removes the rotated JSON lines files that a recrawl with this number no longer needs.
// These are the files of the crawl before the previous one but its pages, and with keep also pages of all
// but the last keep crawls. Archives stay, since later ones refer to their records.
func RemoveGenerations(path string, number, keep int) error {
	entries, err := os.ReadDir(path)
	if err != nil {
		return err
	}
	var failed []error
	for _, entry := range entries {
		name, n := untagged(entry.Name())
		if r := rowOf(name); r != nil && n > 0 && (n == number-1 && !r.generations || keep > 0 && n <= number-keep) {
			failed = append(failed, os.Remove(filepath.Join(path, entry.Name())))
		}
	}
	return errors.Join(failed...)
}

// Rotated reports whether JSON lines files with this number exist.
func Rotated(path string, number int) bool {
	entries, _ := os.ReadDir(path) // Rotate returns the error
	return slices.ContainsFunc(entries, func(entry os.DirEntry) bool {
		name, n := untagged(entry.Name())
		return n == number && rowOf(name) != nil
	})
}

// rowOf returns the row of a file that is renamed by a recrawl, or nil.
func rowOf(name string) *row {
	i := slices.IndexFunc(rows, func(r *row) bool { return r.name == name && !r.keptByRecrawl })
	if i < 0 {
		return nil
	}
	return rows[i]
}

// RotatedName returns the name of a rotated file.
func RotatedName(name string, number int) string { return tagged(name, strconv.Itoa(number)) }

// untagged is the inverse of RotatedName. The number is 0 if the name is not that of a rotated file.
func untagged(rotated string) (name string, number int) {
	base, rest, _ := strings.Cut(rotated, ".")
	tag, ext, _ := strings.Cut(rest, ".")
	number, err := strconv.Atoi(tag)
	if name = base + "." + ext; err != nil || RotatedName(name, number) != rotated {
		return "", 0
	}
	return name, number
}

// tagged returns the name of a file with a tag before its extension.
func tagged(name, tag string) string {
	base, ext, _ := strings.Cut(name, ".")
	return base + "." + tag + "." + ext
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
