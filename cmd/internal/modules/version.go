package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/mod/semver"
)

// prepare sets the version of the library, as committed, in the files that name it.
func (r repository) prepare(version string) error {
	if semver.Canonical(version) != version {
		return fmt.Errorf("version %q is not like v1.2.3", version)
	}
	lib, err := r.pack("HEAD", library, version)
	if err != nil {
		return err
	}
	files, err := r.git("ls-files", "go.work", "go.mod", "**/go.mod")
	if err != nil {
		return err
	}
	named := regexp.MustCompile(`\b` + regexp.QuoteMeta(lib.Path) + ` v\S+`)
	for name := range strings.FieldsSeq(files) {
		err = r.edit(name, func(text string) string { return named.ReplaceAllLiteralString(text, lib.Path+" "+version) })
		if err != nil {
			return err
		}
	}
	return r.edit("go.sum", func(text string) string {
		lines := slices.Collect(strings.Lines(text))
		lines = slices.DeleteFunc(lines, func(line string) bool { return strings.HasPrefix(line, lib.Path+" ") })
		i := slices.IndexFunc(append(lines, "~"), func(line string) bool { return line > lib.sums[0] })
		return strings.Join(slices.Insert(lines, i, lib.sums...), "")
	})
}

// edit changes a file of the repository.
func (r repository) edit(name string, change func(string) string) error {
	name = filepath.Join(string(r), filepath.FromSlash(name))
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	return os.WriteFile(name, []byte(change(string(text))), 0o644)
}
