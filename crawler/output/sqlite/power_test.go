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

func TestFirstPowerCommitSyncsDirectory(t *testing.T) {
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

func TestPowerCommitSyncsEarlierCommits(t *testing.T) {
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
	if err := errors.Join(s.commit(false), s.Write(&output.Results{Pages: []*output.Page{{URL: "http://a.test/"}}}), s.commit(false)); err != nil {
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
