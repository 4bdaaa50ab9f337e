package results

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// Only the file itself may be missing: an error of the callback is returned.
func TestEachReturnsErrorsOfItsCaller(t *testing.T) {
	name := filepath.Join(t.TempDir(), "lines.jsonl")
	read := func() error {
		return Each(New(Config{}), name, func(int64, *struct{}) error { return fmt.Errorf("frontier: %w", os.ErrNotExist) })
	}
	if err := read(); err != nil {
		t.Errorf("a missing file: %v", err)
	}
	must(t, os.WriteFile(name, []byte("{}\n"), 0o600))
	if err := read(); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v, want the error of the function", err)
	}
}

// Damaged lines are skipped, and a file with damaged lines is reported once.
func TestDamagedFileIsReportedOnce(t *testing.T) {
	r := openWriter(t, nil)
	name := filepath.Join(r.cfg.Dir, "pages.jsonl")
	must(t, os.WriteFile(name, []byte("{}\nno JSON\n{}\n"), 0o600))
	for range 2 {
		lines := 0
		if err := Each(r, name, func(int64, *struct{}) error { lines++; return nil }); err != nil || lines != 2 {
			t.Errorf("%d lines are read, %v", lines, err)
		}
	}
	if got := r.Damages(); len(got) != 1 || got[0].File != "pages.jsonl" {
		t.Errorf("damages: %+v", got)
	}
}
