package csvout

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/output/internal/rows"
	"github.com/politecrawl/politecrawl/crawler/output/internal/sinktest"
)

func TestPowerCommitSyncsFiles(t *testing.T) {
	s := sinktest.Open(t, Format(nil), t.TempDir(), nil).(*sink)
	t.Cleanup(func() { _ = s.Close() })
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = out.Close() })
	if err := s.files[rows.Entries].file.Close(); err != nil {
		t.Fatal(err)
	}
	s.files[rows.Entries].file = in
	if _, err := s.Commit(false); err != nil {
		t.Errorf("without power: %v", err)
	}
	if _, err := s.Commit(true); !errors.Is(err, syscall.EINVAL) {
		t.Errorf("with power: %v", err)
	}
}

func TestPowerCommitSyncsDirectoryOnce(t *testing.T) {
	dir := t.TempDir()
	s := sinktest.Open(t, Format(nil), dir, nil).(*sink)
	t.Cleanup(func() { _ = s.Close() })
	s.dir = filepath.Join(dir, "missing")
	if _, err := s.Commit(false); err != nil {
		t.Errorf("without power: %v", err)
	}
	if _, err := s.Commit(true); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("with power: %v", err)
	}
	s.dir = dir
	if _, err := s.Commit(true); err != nil {
		t.Error(err)
	}
	s.dir = filepath.Join(dir, "missing")
	if _, err := s.Commit(true); err != nil {
		t.Errorf("the second time: %v", err)
	}
}
