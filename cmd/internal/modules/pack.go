package main

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/sumdb/dirhash"
	modulezip "golang.org/x/mod/zip"
)

// library is the folder of the module that the root requires.
const library = "robotsext"

// A repository is the top folder of a git repository.
type repository string

// git runs a command of git, and returns what it prints.
func (r repository) git(args ...string) (string, error) {
	out, err := exec.Command("git", append([]string{"-C", string(r)}, args...)...).Output() //nolint:gosec // arguments of this program
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		err = fmt.Errorf("git %s: %w: %s", args[0], err, bytes.TrimSpace(failed.Stderr))
	}
	return string(out), err
}

// A moduleVersion is a version of a module as a proxy serves it.
type moduleVersion struct {
	module.Version
	mod  string // go.mod
	zip  string
	sums []string // lines of go.sum
}

// pack packs the module of a folder as committed at a revision.
func (r repository) pack(revision, folder, version string) (*moduleVersion, error) {
	mod, err := r.git("show", revision+":"+path.Join(folder, "go.mod"))
	if err != nil {
		return nil, err
	}
	p := &moduleVersion{Version: module.Version{Path: modfile.ModulePath([]byte(mod)), Version: version}, mod: mod}
	var packing strings.Builder
	if err := modulezip.CreateFromVCS(&packing, p.Version, string(r), revision, folder); err != nil {
		return nil, err
	}
	p.zip = packing.String()
	files, err := zip.NewReader(strings.NewReader(p.zip), int64(len(p.zip)))
	if err != nil {
		return nil, err
	}
	var names []string
	for _, f := range files.File {
		names = append(names, f.Name)
	}
	zipHash, err := dirhash.Hash1(names, func(name string) (io.ReadCloser, error) { return files.Open(name) })
	if err != nil {
		return nil, err
	}
	modHash, err := dirhash.Hash1([]string{"go.mod"}, func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(mod)), nil })
	if err != nil {
		return nil, err
	}
	p.sums = []string{p.Path + " " + version + " " + zipHash + "\n", p.Path + " " + version + "/go.mod " + modHash + "\n"}
	return p, nil
}
