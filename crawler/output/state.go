package output

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/politecrawl/politecrawl/crawler/output/jsontext"
)

// SaveState replaces the state file of the directory by v as JSON, on the disk: without
// it no crawl goes on. Only its owner can read it: the query of a start URL may have a
// key in it.
func SaveState(path string, v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return replace(filepath.Join(path, StateFile), append(jsontext.Tame(b), '\n'), 0o600, true)
}

// State reads the state file of the directory into v. The error is ErrNone where
// there is none.
func State(path string, v any) error {
	if err := begun(path); err != nil {
		return err
	}
	name := filepath.Join(path, StateFile)
	b, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if err := unmarshal(b, v); err != nil {
		return fmt.Errorf("%q: %w", name, err)
	}
	return nil
}

// begun returns ErrNone unless a crawl was begun in the directory.
func begun(path string) error {
	_, err := os.Stat(filepath.Join(path, StateFile))
	switch {
	case errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("%w: %q has no %s", ErrNone, path, StateFile)
	case err != nil:
		return err
	}
	return nil
}
