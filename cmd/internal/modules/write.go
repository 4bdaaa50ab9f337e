package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
)

// write writes both modules into a directory. They are those of the tags of the version, which
// must be at the current commit.
func (r repository) write(version, dir string) error {
	at, err := r.git("tag", "--points-at", "HEAD")
	if err != nil {
		return err
	}
	tags := []string{library + "/" + version, version}
	for _, tag := range tags {
		if !slices.Contains(strings.Fields(at), tag) {
			return fmt.Errorf("the commit has no tag %[1]s: run \"git tag %[1]s\"", tag)
		}
	}
	lib, err := r.pack(tags[0], library, version)
	if err != nil {
		return err
	}
	root, err := r.pack(tags[1], "", version)
	if err != nil {
		return err
	}
	if err := r.check(root, lib); err != nil {
		return fmt.Errorf("%w: run \"make version VERSION=%s\", commit the result, and move both tags with \"git tag -f\"", err, version)
	}
	date, err := r.git("log", "-1", "--format=%cI")
	if err != nil {
		return err
	}
	info := fmt.Sprintf("{\"Version\":%q,\"Time\":%q}", version, strings.TrimSpace(date))
	for _, p := range []*moduleVersion{lib, root} {
		if err := p.write(dir, info); err != nil {
			return err
		}
	}
	return nil
}

// check returns an error unless the root requires the library at its version, with its sums.
func (r repository) check(root, lib *moduleVersion) error {
	mod, err := modfile.Parse("go.mod", []byte(root.mod), nil)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(mod.Require, func(q *modfile.Require) bool { return q.Mod == lib.Version }) {
		return fmt.Errorf("go.mod does not require %s", lib.Version)
	}
	sums, err := r.git("show", "HEAD:go.sum")
	if err != nil {
		return err
	}
	for _, line := range lib.sums {
		if !strings.Contains(sums, line) {
			return fmt.Errorf("go.sum lacks the sum of %s as committed", lib.Version)
		}
	}
	return nil
}

// write writes the files of the module.
func (p *moduleVersion) write(dir, info string) error {
	escaped, err := module.EscapePath(p.Path)
	if err != nil {
		return err
	}
	dir = filepath.Join(dir, filepath.FromSlash(escaped), "@v")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	v := p.Version.Version
	for name, content := range map[string]string{"list": v + "\n", v + ".info": info, v + ".mod": p.mod, v + ".zip": p.zip} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			return err
		}
	}
	return nil
}
