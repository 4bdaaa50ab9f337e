package sqlite

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/output"
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

// A commit that is to outlive the machine also brings there what those before it only
// took out of the process: it writes to the log, which is synchronised then.
func TestPowerAfterLess(t *testing.T) {
	s := sinktest.Open(t, Format(nil), t.TempDir(), nil).(*sink)
	t.Cleanup(func() { _ = s.Close() })
	log := func() int64 {
		t.Helper()
		info, err := os.Stat(s.name + "-wal")
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	if err := errors.Join(s.commit(false), s.Write(&output.Found{Pages: []*output.Page{{URL: "http://a.test/"}}}), s.commit(false)); err != nil {
		t.Fatal(err)
	}
	before := log()
	if err := s.commit(true); err != nil {
		t.Fatal(err)
	}
	if after := log(); after <= before {
		t.Errorf("the log has %d bytes, and had %d", after, before)
	}
}
