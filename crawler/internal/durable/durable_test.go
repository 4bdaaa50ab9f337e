package durable_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/internal/durable"
	"github.com/politecrawl/politecrawl/crawler/internal/durable/powercut"
)

func TestDir(t *testing.T) {
	dir := t.TempDir()
	if err := durable.Dir(dir); err != nil {
		t.Error(err)
	}
	if err := durable.Dir(filepath.Join(dir, "missing")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("of one that is missing: %v", err)
	}
}

func TestMkdirAllOutlivesPowerCut(t *testing.T) {
	root := t.TempDir()
	disk := powercut.Watch(t, root)
	path := filepath.Join("a", "b", "c")
	for range 2 { // the second time it is there
		must(t, durable.MkdirAll(filepath.Join(root, path)))
	}
	if info, err := os.Stat(filepath.Join(disk.Cut(), path)); err != nil || !info.IsDir() {
		t.Error(err)
	}
	if got := disk.Syncs(); got != 3 {
		t.Errorf("%d directories were brought to the disk, want 3", got)
	}
}

func TestMkdirAllWhereAFileIs(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(name, nil, 0o600))
	for _, path := range []string{name, filepath.Join(name, "below")} {
		if err := durable.MkdirAll(path); !errors.Is(err, syscall.ENOTDIR) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// Without Rename, the file is there under its old name after a power cut, or not at all.
func TestRenameOutlivesPowerCut(t *testing.T) {
	root := t.TempDir()
	disk := powercut.Watch(t, root)
	from, to := filepath.Join(root, "from"), filepath.Join(root, "to")
	file, err := os.Create(from)
	must(t, err)
	_, err = file.WriteString("text")
	must(t, errors.Join(err, durable.File(file), file.Close()))
	if left, err := os.ReadDir(disk.Cut()); err != nil || len(left) != 0 {
		t.Errorf("before its name is brought to the disk: %v, %v", left, err)
	}
	must(t, durable.Rename(from, to))
	left := disk.Cut()
	if text, err := os.ReadFile(filepath.Join(left, "to")); string(text) != "text" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	if names, err := os.ReadDir(left); err != nil || len(names) != 1 {
		t.Errorf("%v, %v", names, err)
	}
	if err := durable.Rename(from, to); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("of one that is missing: %v", err)
	}
}

// must ends a test with an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
