package report

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/internal/durable/powercut"
	"github.com/politecrawl/politecrawl/crawler/output"
)

func TestWriteFilesReplacesReport(t *testing.T) {
	dir := everything().write(t)
	for range 2 {
		if _, err := write(dir, &Options{CrawlEnd: func(string) *CrawlEnd { return &CrawlEnd{End: "max-pages", Remaining: 3} }}); err != nil {
			t.Fatal(err)
		}
	}
	var r Report
	body, err := os.ReadFile(filepath.Join(dir, JSONFile))
	if err == nil {
		err = json.Unmarshal(body, &r)
	}
	if err != nil || r.Version != Version || r.Summary.State != Stopped || r.Summary.Remaining != 3 {
		t.Errorf("%+v, %v", r.Summary, err)
	}
	left, err := filepath.Glob(filepath.Join(dir, ".report*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	info, err := os.Stat(filepath.Join(dir, HTMLFile))
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o644 {
		t.Errorf("%v, %v", info, err)
	}
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := write(filepath.Join(dir, "sub"), nil); !errors.Is(err, output.ErrNoCrawl) {
		t.Errorf("Write of no crawl: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "sub", HTMLFile)); !errors.Is(err, fs.ErrNotExist) {
		t.Error("a report of no crawl was written")
	}
}

func TestWriteOutlivesPowerCut(t *testing.T) {
	dir := everything().write(t)
	if _, err := write(dir, nil); err != nil {
		t.Fatal(err)
	}
	disk := powercut.Watch(t, dir)
	if _, err := write(dir, &Options{CrawlEnd: func(string) *CrawlEnd { return &CrawlEnd{End: "max-pages", Remaining: 3} }}); err != nil {
		t.Fatal(err)
	}
	left := disk.Cut()
	for _, name := range []string{JSONFile, HTMLFile} {
		want, err := os.ReadFile(filepath.Join(dir, name))
		got, err2 := os.ReadFile(filepath.Join(left, name))
		if err := errors.Join(err, err2); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %d bytes are left, want %d, %v", name, len(got), len(want), err)
		}
	}
}

// contents returns the files of a directory.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := make(map[string]string)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		all[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// A report that is interrupted while it is written, or for which the disk is full, leaves the earlier one, and no
// temporary files.
func TestFailedWriteKeepsEarlierReport(t *testing.T) {
	dir := everything().write(t)
	r, err := write(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	pages, before := r.Summary.Pages, contents(t, dir)
	r.Version++ // another report
	writing := func(html func(io.Writer) error) func() error {
		return func() error {
			return writeFiles(t.Context(), map[string]func(io.Writer) error{filepath.Join(dir, JSONFile): r.WriteJSON, filepath.Join(dir, HTMLFile): html})
		}
	}
	interrupted := func(writes int) func() error {
		return func() error { return r.WriteFiles(&endingContext{Context: t.Context(), left: writes}, dir) }
	}
	for name, tt := range map[string]struct {
		write func() error
		want  error
	}{
		"interrupted at once":          {interrupted(0), context.Canceled},
		"interrupted after one write":  {interrupted(1), context.Canceled},
		"interrupted after two writes": {interrupted(2), context.Canceled},
		"full at once":                 {writing(func(io.Writer) error { return syscall.ENOSPC }), syscall.ENOSPC},
		"full after a part of the page": {writing(func(w io.Writer) error {
			_, err := w.Write(make([]byte, 1<<20))
			return errors.Join(err, syscall.ENOSPC)
		}), syscall.ENOSPC},
	} {
		if err := tt.write(); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(before, contents(t, dir)); diff != "" {
			t.Errorf("%s (-before +after):\n%s", name, diff)
		}
	}
	page := filepath.Join(dir, HTMLFile)
	if err := errors.Join(os.Remove(page), os.Mkdir(page, 0o755)); err != nil {
		t.Fatal(err)
	}
	if r, err := write(dir, nil); err == nil || r == nil || r.Summary.Pages != pages {
		t.Errorf("Write = %v, %v", r, err)
	}
}

// An endingContext ends when Err has been called as often as left says.
type endingContext struct {
	context.Context

	left int
}

func (c *endingContext) Err() error {
	if c.left == 0 {
		return context.Canceled
	}
	c.left--
	return nil
}

// An error of closing a file is not lost beside that of writing it.
func TestNotWrittenNamesEveryError(t *testing.T) {
	beside := func(op string, err error) error { return &fs.PathError{Op: op, Path: ".report.json-1", Err: err} }
	several := errors.Join(beside("write", syscall.ENOSPC), beside("close", syscall.EIO))
	for _, all := range []error{several, errors.Join(several, nil), errors.Join(several, beside("remove", syscall.EPERM))} {
		err := notWritten("report.json", all)
		if !errors.Is(err, syscall.ENOSPC) || !errors.Is(err, syscall.EIO) || strings.Contains(err.Error(), ".report.json-1") {
			t.Errorf("%v, want both errors, and the place instead of the name beside it", err)
		}
	}
}
