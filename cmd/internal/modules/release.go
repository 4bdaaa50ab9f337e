package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
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
	commit  *commit
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
			return fmt.Errorf("go.mod replaces %s by another module, which no release can", replaced.Old.Path)
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
	text, ok := r.commit.files[name]
	if !ok {
		return nil, fmt.Errorf("%s is not committed", name)
	}
	return modfile.Parse(name, text, nil)
}

// writeModule writes the module of a folder.
func (r *release) writeModule(folder string) error {
	mod, err := r.parse(folder)
	if err != nil {
		return err
	}
	text, err := r.published(mod)
	if err != nil {
		return err
	}
	files := r.moduleFiles(folder)
	files["go.mod"] = text
	if sums, ok := files["go.sum"]; ok {
		files["go.sum"] = withLines(sums, r.sums)
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
	if err := zip.Create(&packed, m, zipFiles(files)); err != nil {
		return err
	}
	info, err := json.Marshal(struct {
		Version string
		Time    time.Time
	}{r.version, r.commit.time})
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

// published returns the text of a go.mod that requires the modules of this release at its
// version and replaces nothing.
func (r *release) published(mod *modfile.File) ([]byte, error) {
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
	return mod.Format()
}

// moduleFiles returns the files of the module in a folder, by their path there, with the
// licence of the repository if it has none.
func (r *release) moduleFiles(folder string) map[string][]byte {
	const licence = "LICENSE"
	files := map[string][]byte{licence: r.commit.files[licence]}
	for name, content := range r.commit.files {
		if folder == "." {
			files[name] = content
		} else if below, ok := strings.CutPrefix(name, folder+"/"); ok {
			files[below] = content
		}
	}
	return files
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

// withLines returns a go.sum with more lines, in the order of the go command.
func withLines(sums []byte, more []string) []byte {
	lines := slices.AppendSeq(slices.Clone(more), strings.Lines(string(sums)))
	slices.Sort(lines)
	return []byte(strings.Join(lines, ""))
}

// zipFiles returns files in the form of package zip, which leaves out those of modules in
// folders below.
func zipFiles(files map[string][]byte) []zip.File {
	var sorted []zip.File
	for _, name := range slices.Sorted(maps.Keys(files)) {
		sorted = append(sorted, file{name, files[name]})
	}
	return sorted
}

// A file is one of a module.
type file struct {
	name    string
	content []byte
}

func (f file) Path() string                 { return f.name }
func (f file) Lstat() (fs.FileInfo, error)  { return fileInfo{f}, nil }
func (f file) Open() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(f.content)), nil }

// A fileInfo describes a file.
type fileInfo struct{ file }

func (f fileInfo) Name() string     { return path.Base(f.name) }
func (f fileInfo) Size() int64      { return int64(len(f.content)) }
func (fileInfo) Mode() fs.FileMode  { return 0o644 }
func (fileInfo) ModTime() time.Time { return time.Time{} }
func (fileInfo) IsDir() bool        { return false }
func (fileInfo) Sys() any           { return nil }
