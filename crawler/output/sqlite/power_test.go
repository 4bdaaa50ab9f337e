package sqlite

import (
	"errors"
	"io/fs"
	"path/filepath"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/output/internal/sinktest"
)

// The first commit that is to outlive the machine brings the name of the database to the
// disk.
func TestPowerName(t *testing.T) {
	s := sinktest.Open(t, Format(nil), t.TempDir(), nil).(*sink)
	t.Cleanup(func() { _ = s.Close() })
	name := s.name
	s.name = filepath.Join(filepath.Dir(name), "missing", File)
	err := s.commit(true)
	s.name = name
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("where the directory is missing: %v", err)
	}
	if err := s.commit(true); err != nil {
		t.Error(err)
	}
}
