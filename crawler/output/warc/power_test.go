package warc

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/output/internal/sinktest"
)

func TestFinishedFileIsSynced(t *testing.T) {
	f := newFiles(t.TempDir())
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = out.Close() })
	f.file = in
	if err := f.next(); !errors.Is(err, syscall.EINVAL) {
		t.Errorf("got %v", err)
	}
}

func TestCommitSyncs(t *testing.T) {
	s := openSink(t, t.TempDir(), nil).(*sink)
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = out.Close() })
	s.files.file = in
	if _, err := s.Commit(false); err != nil {
		t.Errorf("without power: %v", err)
	}
	if _, err := s.Commit(true); !errors.Is(err, syscall.EINVAL) {
		t.Errorf("with power: %v", err)
	}
	sinktest.Close(t, s)
}

func TestDirectoryIsSyncedOncePerFile(t *testing.T) {
	dir := t.TempDir()
	f := newFiles(dir)
	if err := f.next(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.close() })
	f.dir = filepath.Join(dir, "missing")
	if err := f.sync(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	f.dir = dir
	if err := f.sync(); err != nil {
		t.Error(err)
	}
	f.dir = filepath.Join(dir, "missing")
	if err := f.sync(); err != nil {
		t.Errorf("the second time: %v", err)
	}
}
