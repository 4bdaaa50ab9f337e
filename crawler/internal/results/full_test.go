//go:build unix

package results

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/internal/durable/disktest"
	"github.com/politecrawl/politecrawl/crawler/internal/jsonlines"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// room is how large files can be on a full disk. The log that "go test" has this process
// write is smaller.
const room = 1 << 20

// A reader of a robots.txt that is replaced reads the old or the new one, never half of it. If the
// disk has no space for the new one, the old one stays.
func TestRobotsIsNeverTorn(t *testing.T) {
	d := newDir(t)
	write := func(body string) error { return addRobots(d, "http://a.test", []byte(body), map[string]string{}) }
	must(t, write("first"))
	name := filepath.Join(d.path, "robots", "http_a.test.txt")
	open, err := os.Open(name)
	must(t, err)
	defer func() { _ = open.Close() }()
	must(t, write("second"))
	if text, err := io.ReadAll(open); string(text) != "first" || err != nil {
		t.Errorf("it was opened before and holds %q, %v", text, err)
	}
	disktest.Full(t, room, func() { err = write(strings.Repeat("third", room)) })
	if !errors.Is(err, syscall.EFBIG) {
		t.Errorf("on a full disk: %v", err)
	}
	if text, err := os.ReadFile(name); string(text) != "second" || err != nil {
		t.Errorf("it holds %q, %v", text, err)
	}
}

// DropRejections removes the given lines and those that do not count. If the disk has no space for
// the rest, the file stays as it was, and no other file remains.
func TestDropRejections(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "rejected.jsonl")
	var text []byte
	var counted int64
	for _, url := range []string{"a", "drop", "b", "beyond"} {
		if url == "beyond" {
			counted = int64(len(text))
		}
		var err error
		if text, err = jsonlines.Line(text, &output.Rejection{URL: url, Detail: strings.Repeat("x", room)}); err != nil {
			t.Fatal(err)
		}
	}
	must(t, os.WriteFile(name, text, 0o600))
	drop := func(r *output.Rejection) bool { return r.URL == "drop" }
	t.Run("full disk", func(t *testing.T) {
		var err error
		disktest.Full(t, room, func() { _, err = dropRejections(t, dir, counted, drop) })
		if !errors.Is(err, syscall.EFBIG) {
			t.Errorf("%v", err)
		}
		if after, err := os.ReadFile(name); !bytes.Equal(after, text) || err != nil {
			t.Errorf("it holds %q, %v", after, err)
		}
		if _, err := os.Lstat(name + "~"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("beside it is %s~, %v", name, err)
		}
	})
	t.Run("link", func(t *testing.T) {
		outside := filepath.Join(t.TempDir(), "mine")
		must(t, errors.Join(os.WriteFile(outside, []byte("mine"), 0o600), os.Symlink(outside, name+"~")))
		if _, err := dropRejections(t, dir, int64(len(text)), func(*output.Rejection) bool { return false }); err != nil {
			t.Error(err)
		}
		if after, err := os.ReadFile(outside); string(after) != "mine" || err != nil {
			t.Errorf("what a link led to holds %q, %v", after, err)
		}
	})
	length, err := dropRejections(t, dir, counted, drop)
	must(t, err)
	var urls []string
	for r, err := range output.Read[output.Rejection](dir) {
		must(t, err)
		urls = append(urls, r.URL)
	}
	if info, err := os.Stat(name); !slices.Equal(urls, []string{"a", "b"}) || err != nil || info.Size() != length {
		t.Errorf("%q are left, in %d bytes, %v, %v", urls, length, info, err)
	}
}

// Sync writes the files to the disk, and returns an error if it cannot.
func TestSync(t *testing.T) {
	d := newDir(t)
	if err := d.Sync(); err != nil {
		t.Error(err)
	}
	for name, sync := range map[string]func() error{"links.jsonl": d.files[Links.index].Close, "robots.jsonl": d.RobotsLog().Close} {
		must(t, sync())
		if err := d.Sync(); !errors.Is(err, os.ErrClosed) {
			t.Errorf("%s cannot be brought to the disk: %v", name, err)
		}
	}
}

// A new state of a crawl reaches the disk before it replaces the old one, since no crawl resumes
// without it. If it cannot, as with a pipe, that is an error.
func TestWriteAndClose(t *testing.T) {
	for power, want := range map[bool]error{false: nil, true: syscall.EINVAL} {
		out, in, err := os.Pipe()
		must(t, err)
		if err := writeAndClose(in, []byte("new"), power); !errors.Is(err, want) {
			t.Errorf("power %t: %v, want %v", power, err, want)
		}
		if text, err := io.ReadAll(out); string(text) != "new" || err != nil {
			t.Errorf("%q, %v", text, err)
		}
		_ = out.Close()
	}
}

// Texts of a site reach no terminal as a command, whatever file they are read from.
func TestFilesAreEscaped(t *testing.T) {
	const wild = "\x1b[2J\u009b31m\x7f\u0085"
	d, err := Create(t.TempDir(), map[string]string{"url": wild})
	must(t, err)
	b := new(Batch)
	if err := errors.Join(
		Pages.Add(b, &output.Page{URL: "http://a.test/", Title: wild}), d.Write(b),
		addRobots(d, "http://a.test", nil, map[string]string{"error": wild}), d.Close()); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"pages.jsonl", "robots.jsonl", "crawl.json"} {
		text, err := os.ReadFile(filepath.Join(d.path, file))
		must(t, err)
		if strings.ContainsAny(string(text), wild[:1]+"\u009b\x7f\u0085") {
			t.Errorf("%s holds %q", file, text)
		}
		var line map[string]any
		if err := json.Unmarshal(text, &line); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		found := false
		for _, value := range line {
			found = found || value == wild
		}
		if !found {
			t.Errorf("%s does not hold what was written: %s", file, text)
		}
	}
}
