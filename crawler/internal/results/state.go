package results

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/politecrawl/politecrawl/crawler/internal/jsonlines"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/output/safejson"
)

// Version is the version of the files of a crawl, which is in its state file (see SCHEMA.md of
// package output). It changes when a field is removed or changes its type or meaning.
const Version = 2

// SaveState replaces the state file of the directory with v as JSON, and syncs it. Only its
// owner can read it: the query of a start URL may contain a key.
func SaveState(path string, v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return replace(filepath.Join(path, StateFile), append(safejson.Escape(b), '\n'), 0o600, true)
}

// LoadState reads the state file of the directory into v. Without the file the error is
// [output.ErrNoCrawl], with another version [output.ErrVersion], and without a version a DamagedError.
func LoadState(path string, v any) error {
	if err := checkExists(path); err != nil {
		return err
	}
	name := filepath.Join(path, StateFile)
	b, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	var written struct {
		Version int `json:"version"`
	}
	err = jsonlines.Unmarshal(b, &written)
	switch {
	case err != nil:
	case written.Version == 0:
		err = errors.New("it has no version")
	case written.Version != Version:
		return fmt.Errorf("%w: %q has version %d, and this program reads version %d: use the program that wrote it, or crawl into a new directory", output.ErrVersion, name, written.Version, Version)
	default:
		err = jsonlines.Unmarshal(b, v)
	}
	if err != nil {
		return &jsonlines.DamagedError{File: name, Err: err}
	}
	return nil
}

// checkExists returns [output.ErrNoCrawl] if there is no crawl in the directory.
func checkExists(path string) error {
	_, err := os.Stat(filepath.Join(path, StateFile))
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%w: %q has no %s", output.ErrNoCrawl, path, StateFile)
	}
	return err
}
