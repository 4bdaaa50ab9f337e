package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/sumdb/dirhash"
	"golang.org/x/mod/zip"
)

// A release writes modules into a directory as a module proxy serves them.
type release struct {
	tree    string // what is committed; it becomes what is published
	time    time.Time
	version string
	dir     string

	paths []string // of the modules, the root's last
	sums  []string // lines of go.sum for the modules that are written
}

// write writes all modules.
func (r *release) write() error {
	root, err := r.parse(".")
	if err != nil {
		return err
	}
	var folders []string
	for _, replaced := range root.Replace {
		if replaced.New.Version != "" {
			return fmt.Errorf("go.mod replaces %s with another module, which no release can", replaced.Old.Path)
		}
		folders = append(folders, path.Clean(replaced.New.Path))
		r.paths = append(r.paths, replaced.Old.Path)
	}
	r.paths = append(r.paths, root.Module.Mod.Path)
	for _, folder := range append(folders, ".") { // the root's go.sum has the sums of the others
		if err := r.writeModule(folder); err != nil {
			return err
		}
	}
	return nil
}

// parse parses the go.mod of a folder.
func (r *release) parse(folder string) (*modfile.File, error) {
	name := path.Join(folder, "go.mod")
	text, err := os.ReadFile(filepath.Join(r.tree, name))
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%s is not committed", name)
	}
	if err != nil {
		return nil, err
	}
	return modfile.Parse(name, text, nil)
}

// writeModule writes the module of a folder.
func (r *release) writeModule(folder string) error {
	mod, err := r.parse(folder)
	if err != nil {
		return err
	}
	text, err := r.publish(folder, mod)
	if err != nil {
		return err
	}
	m := module.Version{Path: mod.Module.Mod.Path, Version: r.version}
	escaped, err := module.EscapePath(m.Path)
	if err != nil {
		return err
	}
	dir := filepath.Join(r.dir, filepath.FromSlash(escaped), "@v")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	var packed bytes.Buffer
	if err := zip.CreateFromDir(&packed, m, filepath.Join(r.tree, folder)); err != nil {
		return err
	}
	info, err := json.Marshal(struct {
		Version string
		Time    time.Time
	}{r.version, r.time})
	if err != nil {
		return err
	}
	for name, content := range map[string][]byte{
		"list": []byte(r.version + "\n"), r.version + ".info": info, r.version + ".mod": text, r.version + ".zip": packed.Bytes(),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			return err
		}
	}
	return r.addSums(m, filepath.Join(dir, r.version+".zip"), text)
}

// publish prepares the folder of a module for publication, and returns its go.mod, which
// requires the modules of this release at its version and replaces nothing. A module without
// a licence gets that of the repository.
func (r *release) publish(folder string, mod *modfile.File) ([]byte, error) {
	for _, replaced := range slices.Clone(mod.Replace) {
		if err := mod.DropReplace(replaced.Old.Path, replaced.Old.Version); err != nil {
			return nil, err
		}
	}
	for _, required := range mod.Require {
		if slices.Contains(r.paths, required.Mod.Path) {
			if err := mod.AddRequire(required.Mod.Path, r.version); err != nil {
				return nil, err
			}
		}
	}
	mod.Cleanup()
	text, err := mod.Format()
	if err != nil {
		return nil, err
	}
	const licence = "LICENSE"
	dir := filepath.Join(r.tree, folder)
	if _, err := os.Stat(filepath.Join(dir, licence)); errors.Is(err, fs.ErrNotExist) {
		free, err := os.ReadFile(filepath.Join(r.tree, licence))
		if err != nil {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(dir, licence), free, 0o644); err != nil {
			return nil, err
		}
	}
	sums, err := os.ReadFile(filepath.Join(dir, "go.sum"))
	if err == nil {
		lines := slices.AppendSeq(slices.Clone(r.sums), strings.Lines(string(sums)))
		slices.Sort(lines) // as the go command does
		err = os.WriteFile(filepath.Join(dir, "go.sum"), []byte(strings.Join(lines, "")), 0o644)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return text, os.WriteFile(filepath.Join(dir, "go.mod"), text, 0o644)
}

// addSums notes the lines of go.sum for a module.
func (r *release) addSums(m module.Version, zipped string, mod []byte) error {
	whole, err := dirhash.HashZip(zipped, dirhash.Hash1)
	if err != nil {
		return err
	}
	alone, err := dirhash.Hash1([]string{"go.mod"}, func(string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(mod)), nil })
	if err != nil {
		return err
	}
	r.sums = append(r.sums, fmt.Sprintf("%s %s %s\n", m.Path, m.Version, whole), fmt.Sprintf("%s %s/go.mod %s\n", m.Path, m.Version, alone))
	return nil
}
