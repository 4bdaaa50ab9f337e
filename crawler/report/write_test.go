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

// A report that is interrupted while it is written leaves the earlier one, and no temporary files.
func TestInterruptedWriteKeepsEarlierReport(t *testing.T) {
	dir := everything().write(t)
	r, err := write(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	files := func() map[string]string {
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
	before := files()
	r.Version++ // another report
	for writes := range 3 {
		ctx := &endingContext{Context: t.Context(), left: writes}
		if err := r.WriteFiles(ctx, dir); !errors.Is(err, context.Canceled) {
			t.Errorf("after %d writes: %v", writes, err)
		}
		if diff := cmp.Diff(before, files()); diff != "" {
			t.Errorf("after %d writes (-before +after):\n%s", writes, diff)
		}
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

// A full disk leaves the earlier report, and no temporary files.
func TestFailedWriteKeepsEarlierReport(t *testing.T) {
	dir := everything().write(t)
	before, err := write(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	read := func() string {
		t.Helper()
		json, err := os.ReadFile(filepath.Join(dir, JSONFile))
		html, err2 := os.ReadFile(filepath.Join(dir, HTMLFile))
		if err := errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
		return string(json) + string(html)
	}
	want := read()
	for name, fail := range map[string]func(io.Writer) error{
		"at once": func(io.Writer) error { return syscall.ENOSPC },
		"later": func(w io.Writer) error {
			_, err := w.Write(make([]byte, 1<<20))
			return errors.Join(err, syscall.ENOSPC)
		},
	} {
		err := writeFiles(t.Context(), map[string]func(io.Writer) error{
			filepath.Join(dir, JSONFile): func(w io.Writer) error { return (&Report{Version: 99}).WriteJSON(w) },
			filepath.Join(dir, HTMLFile): fail,
		})
		if !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("%s: %v", name, err)
		}
		if got := read(); got != want {
			t.Errorf("%s: the earlier report is gone", name)
		}
		left, err := filepath.Glob(filepath.Join(dir, ".report*"))
		if err != nil || len(left) > 0 {
			t.Errorf("%s: left behind: %v, %v", name, left, err)
		}
	}
	if err := os.Remove(filepath.Join(dir, HTMLFile)); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, HTMLFile), 0o755); err != nil {
		t.Fatal(err)
	}
	r, err := write(dir, nil)
	if err == nil || r == nil || r.Summary.Pages != before.Summary.Pages {
		t.Errorf("Write = %v, %v", r, err)
	}
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
