package record

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// Only the file itself may be missing: an error of whoever takes the lines is none of it.
func TestEachReturnsErrorsOfItsCaller(t *testing.T) {
	name := filepath.Join(t.TempDir(), "lines.jsonl")
	read := func() error {
		return Each(New(Config{}), name, func(int64, *struct{}) error { return fmt.Errorf("frontier: %w", os.ErrNotExist) })
	}
	if err := read(); err != nil {
		t.Errorf("a missing file: %v", err)
	}
	if err := os.WriteFile(name, []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := read(); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v, want the error of the function", err)
	}
}
