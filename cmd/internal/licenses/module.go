package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

// A module is one that packages are linked with, the standard library among them.
type module struct {
	Path    string
	Version string
	Dir     string
}

// linked returns the modules that packages of this one are linked with on any of some
// platforms, sorted. No platform is the one that this runs on.
func linked(ctx context.Context, platforms, packages []string) ([]module, error) {
	goroot, err := exec.CommandContext(ctx, "go", "env", "GOROOT", "GOVERSION").Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	dir, version, _ := strings.Cut(strings.TrimSpace(string(goroot)), "\n")
	modules := map[string]module{"std": {Path: "std", Version: version, Dir: dir}}
	if len(platforms) == 0 {
		platforms = []string{runtime.GOOS + "/" + runtime.GOARCH}
	}
	for _, platform := range platforms {
		if err := add(ctx, modules, platform, packages); err != nil {
			return nil, err
		}
	}
	byPath := func(a, b module) int { return strings.Compare(a.Path, b.Path) }
	return slices.SortedFunc(maps.Values(modules), byPath), nil
}

// add adds the modules of one platform.
func add(ctx context.Context, modules map[string]module, platform string, packages []string) error {
	system, arch, _ := strings.Cut(platform, "/")
	cmd := exec.CommandContext(ctx, "go", append([]string{"list", "-deps", "-json=Module"}, packages...)...) //nolint:gosec // packages of this module
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+arch)
	cmd.Stderr = os.Stderr
	list, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("go list for %s: %w", platform, err)
	}
	for dec := json.NewDecoder(bytes.NewReader(list)); ; {
		var p struct {
			Module *struct {
				module
				Main    bool
				Replace *module
			}
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("go list for %s: %w", platform, err)
		}
		if p.Module == nil || p.Module.Main { // of the standard library, or our own
			continue
		}
		m := p.Module.module
		if r := p.Module.Replace; r != nil {
			if r.Version == "" { // a folder of this repository
				continue
			}
			m = *r
		}
		modules[m.Path] = m
	}
}

// licenceFile matches the names of files that say under which licence a module is, or
// have to go along with it.
var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|unlicense|notice|patents)([.-].*)?$`)

// A file is one of these.
type file struct{ name, text string }

// files returns these files, the licence itself first.
func (m module) files() ([]file, error) {
	entries, err := os.ReadDir(m.Dir)
	var files []file
	for _, e := range entries {
		if e.Type().IsRegular() && licenceFile.MatchString(e.Name()) {
			text, unread := os.ReadFile(filepath.Join(m.Dir, e.Name()))
			err = errors.Join(err, unread)
			files = append(files, file{e.Name(), string(text)})
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.Path, err)
	}
	return files, nil
}

// licence is the name of the module's licence.
func (m module) licence() (string, error) {
	files, err := m.files()
	found := unknown
	for _, f := range files {
		switch name := nameOf(f.text); {
		case strings.HasPrefix(name, demanding):
			return name, nil
		case found == unknown && !notice(f.name):
			found = name
		}
	}
	return found, err
}

// notice reports whether a file belongs to a licence without being one.
func notice(file string) bool {
	lower := strings.ToLower(file)
	return strings.HasPrefix(lower, "notice") || strings.HasPrefix(lower, "patents")
}

// writeTexts writes the texts that a binary must come with.
func (m module) writeTexts(w io.Writer) error {
	files, err := m.files()
	for _, f := range files {
		if _, err := fmt.Fprintf(w, "%s\n%s %s, %s\n\n%s\n\n", strings.Repeat("=", 80), m.Path, m.Version, f.name, strings.TrimSpace(f.text)); err != nil {
			return err
		}
	}
	return err
}
