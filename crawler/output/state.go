package output

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/politecrawl/politecrawl/crawler/output/internal/durable"
	"github.com/politecrawl/politecrawl/crawler/output/jsontext"
)

// SaveState replaces the state file of the directory by v as JSON, on the disk: without
// it no crawl goes on. Only its owner can read it: the query of a start URL may have a
// key in it.
func SaveState(path string, v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("output: %w", err)
	}
	name := filepath.Join(path, StateFile)
	if err := write(name+"~", append(jsontext.Tame(b), '\n')); err != nil {
		return fmt.Errorf("output: %w", err)
	}
	if err := errors.Join(os.Rename(name+"~", name), durable.Dir(path)); err != nil {
		return fmt.Errorf("output: %w", err)
	}
	return nil
}

// write writes a file for its owner, and returns when it has reached the disk.
func write(name string, content []byte) error {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	if err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
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
		return fmt.Errorf("output: %w", err)
	}
	if err := json.Unmarshal(b, v); err != nil {
		return fmt.Errorf("output: %q: %w", name, err)
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
		return fmt.Errorf("output: %w", err)
	}
	return nil
}
