package results

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/internal/durable/powercut"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext/usage"
)

const (
	powerOrigin = "http://a.test"
	powerText   = "User-agent: *\nDisallow: /private\n"
)

type powerRecord struct {
	Origin string `json:"origin"`
	Number int    `json:"number"`
	Error  string `json:"error,omitempty"`
}

// create makes the directory of a crawl, and a disk that knows what a power cut leaves of it.
func create(t *testing.T) (*Dir, *powercut.Disk) {
	t.Helper()
	root := t.TempDir()
	disk := powercut.Watch(t, root)
	d, err := Create(filepath.Join(root, "parent", "crawl"), map[string]string{"state": "first"})
	must(t, err)
	t.Cleanup(func() { _ = d.Close() })
	return d, disk
}

// writerOf returns a writer of a directory.
func writerOf(d *Dir) *Writer {
	w := New(Config{Dir: d.path})
	w.dir = d
	return w
}

// contents are the files below a directory.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := make(map[string]string)
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(filepath.Join(dir, path))
		files[path] = string(text)
		return err
	})
	must(t, err)
	return files
}

func TestCreateOutlivesPowerCut(t *testing.T) {
	d, disk := create(t)
	left := filepath.Join(disk.Cut(), "parent", "crawl")
	if got, want := contents(t, left), contents(t, d.path); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("left are %q, want %q", got, want)
	}
	if _, err := os.Stat(filepath.Join(left, "robots")); err != nil {
		t.Error(err)
	}
}

// With power, whatever a power cut leaves of robots.jsonl has its files. Without, nothing
// waits for the disk.
func TestRobotsOutlivesPowerCut(t *testing.T) {
	d, disk := create(t)
	add := func(number int, power bool) {
		t.Helper()
		line, err := d.Robots(powerOrigin, fmt.Appendf(nil, "%s# %d\n", powerText, number), powerRecord{Origin: powerOrigin, Number: number}, power)
		must(t, err)
		if !power {
			_, err = d.RobotsLog().Append(line)
		} else {
			left := contents(t, disk.Cut()) // at the worst moment, if lines reach the disk by themselves
			if text := left["parent/crawl/robots/http_a.test.txt"]; text != fmt.Sprintf("%s# %d\n", powerText, number) {
				t.Errorf("before the line is written, robots.txt is %q", text)
			}
			_, err = d.RobotsLog().Append(line)
			err = errors.Join(err, d.RobotsLog().Sync())
		}
		must(t, err)
	}
	for number := range 2 { // the second replaces the first
		add(number, true)
		if got, want := contents(t, filepath.Join(disk.Cut(), "parent", "crawl")), contents(t, d.path); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("left are %q, want %q", got, want)
		}
	}
	before := disk.Syncs()
	add(2, false)
	if got := disk.Syncs(); got != before {
		t.Errorf("without power, %d files were brought to the disk", got-before)
	}
}

func TestSaveStateOutlivesPowerCut(t *testing.T) {
	d, disk := create(t)
	must(t, SaveState(d.path, map[string]any{"version": Version, "state": "second"}))
	var state map[string]any
	if err := LoadState(filepath.Join(disk.Cut(), "parent", "crawl"), &state); err != nil || state["state"] != "second" {
		t.Errorf("%v, %v", state, err)
	}
}

// Lines that were rotated before a power cut are not in the way of new ones after it.
func TestRotateOutlivesPowerCut(t *testing.T) {
	d, disk := create(t)
	var b Batch
	must(t, errors.Join(Pages.Add(&b, &output.Page{URL: "http://a.test/"}), d.Write(&b), d.Sync()))
	formats := []output.Format{{Files: []string{"table.csv"}}, {Files: []string{"a.warc"}, Exchanges: true}}
	for _, name := range []string{"table.csv", "a.warc"} {
		must(t, os.WriteFile(filepath.Join(d.path, name), []byte("x"), 0o600))
	}
	must(t, Rotate(d.path, 1, formats...))
	left := contents(t, filepath.Join(disk.Cut(), "parent", "crawl"))
	_, old := left["pages.jsonl"]
	_, table := left["table.csv"]
	_, archive := left["a.warc"]
	if old || left["pages.1.jsonl"] == "" || table || !archive {
		t.Errorf("left are %q", left)
	}
}

// The frontier counts on the length that DropRejections returns, so the shorter file is
// the one that a power cut leaves.
func TestDropRejectionsOutlivesPowerCut(t *testing.T) {
	d, disk := create(t)
	var b Batch
	for _, reason := range []output.Reason{output.MaxHostPages, output.Disallowed, output.MaxHostPages} {
		must(t, Rejected.Add(&b, &output.Rejection{URL: "http://a.test/", Reason: reason}))
	}
	must(t, errors.Join(d.Write(&b), d.Sync(), d.Close()))
	length, err := dropRejections(t, d.path, d.Lengths()[Rejected.name], func(r *output.Rejection) bool { return r.Reason == output.MaxHostPages })
	must(t, err)
	if left := contents(t, filepath.Join(disk.Cut(), "parent", "crawl"))["rejected.jsonl"]; int64(len(left)) != length {
		t.Errorf("%d bytes are left, want %d: %q", len(left), length, left)
	}
}

// Files of robots/ that a power cut removed are written again, if their text is known elsewhere.
func TestRestoreRobots(t *testing.T) {
	const (
		gone   = "http://gone.test"
		empty  = "http://empty.test"
		wildly = "\u009b,\"hash\":\"0123456789abcdef\"}&<"
	)
	known := func(texts map[string]string) func(string) ([]byte, error) {
		return func(origin string) ([]byte, error) {
			if text, ok := texts[origin]; ok {
				return []byte(text), nil
			}
			return nil, nil
		}
	}
	prepare := func(t *testing.T) *Dir {
		t.Helper()
		d := newDir(t)
		if err := errors.Join(
			addRobots(d, gone, []byte("an earlier text"), powerRecord{Origin: gone}),
			addRobots(d, empty, nil, powerRecord{Origin: empty, Error: wildly}),
			addRobots(d, gone, []byte(powerText), powerRecord{Origin: gone, Number: 2, Error: wildly}),
			addRobots(d, powerOrigin, []byte{}, powerRecord{Origin: powerOrigin}),
		); err != nil {
			t.Fatal(err)
		}
		return d
	}
	damages := map[string]func(name string) error{
		"":         func(string) error { return nil },
		"missing":  os.Remove,
		"empty":    func(name string) error { return os.Truncate(name, 0) },
		"shorter":  func(name string) error { return os.Truncate(name, 5) },
		"replaced": func(name string) error { return os.WriteFile(name, []byte("{}"), 0o600) },
	}
	for damage, do := range damages {
		files := []string{"versions/" + usage.Hash([]byte(powerText)), "versions/" + usage.Hash(nil)}
		files = append(files, "http_gone.test.txt", "http_empty.test.txt", "http_a.test.txt")
		for _, file := range files {
			t.Run(damage+"/"+file, func(t *testing.T) {
				d := prepare(t)
				want := contents(t, d.path)
				must(t, do(filepath.Join(d.path, "robots", file)))
				lost, err := writerOf(d).RestoreRobots(known(map[string]string{gone: powerText, empty: "another"}))
				if err != nil || len(lost) != 0 {
					t.Errorf("lost %q, %v", lost, err)
				}
				if got := contents(t, d.path); fmt.Sprint(got) != fmt.Sprint(want) {
					t.Errorf("got %q\nwant %q", got, want)
				}
			})
		}
	}
	t.Run("text not known elsewhere", func(t *testing.T) {
		d := prepare(t)
		must(t, os.RemoveAll(filepath.Join(d.path, "robots")))
		must(t, os.MkdirAll(output.VersionPath(d.path, ""), 0o700))
		lost, err := writerOf(d).RestoreRobots(known(map[string]string{gone: "an earlier text"}))
		if err != nil || !slices.Equal(lost, []string{gone}) {
			t.Errorf("lost %q, %v; want %s", lost, err, gone)
		}
	})
	t.Run("a line that somebody has edited", func(t *testing.T) {
		hash := usage.Hash([]byte(powerText))
		for line, want := range map[string]int{
			`{"origin":"http://../../gone.test","hash":"` + hash + `"}`: 1,
			`{"origin":"/","hash":"` + hash + `"}`:                      1,
			`{"origin":"http://\u0000.test","hash":"` + hash + `"}`:     1,
			`{"hash":"` + hash + `"}`:                                   0,
			`null`:                                                      0,
		} {
			d := prepare(t)
			if _, err := d.RobotsLog().Append([]byte(line + "\n")); err != nil {
				t.Fatal(err)
			}
			before := contents(t, filepath.Dir(d.path))
			lost, err := writerOf(d).RestoreRobots(func(string) ([]byte, error) { return []byte(powerText), nil })
			if err != nil || len(lost) != want {
				t.Errorf("%s: lost %q, %v", line, lost, err)
			}
			if got := contents(t, filepath.Dir(d.path)); fmt.Sprint(got) != fmt.Sprint(before) {
				t.Errorf("%s: got %q\nwant %q", line, got, before)
			}
		}
	})
	t.Run("an error", func(t *testing.T) {
		d := prepare(t)
		must(t, os.Remove(filepath.Join(d.path, "robots", "http_gone.test.txt")))
		enough := errors.New("enough")
		if _, err := writerOf(d).RestoreRobots(func(string) ([]byte, error) { return nil, enough }); !errors.Is(err, enough) {
			t.Errorf("%v", err)
		}
	})
	t.Run("brought to the disk", func(t *testing.T) {
		d := prepare(t)
		names := []string{filepath.Join(d.path, "robots", "http_gone.test.txt"), output.VersionPath(d.path, usage.Hash([]byte(powerText)))}
		for _, name := range names {
			must(t, os.Remove(name))
		}
		disk := powercut.Watch(t, filepath.Dir(d.path))
		if _, err := writerOf(d).RestoreRobots(known(map[string]string{gone: powerText})); err != nil {
			t.Fatal(err)
		}
		left := disk.Cut()
		for _, name := range names {
			rel, err := filepath.Rel(filepath.Dir(d.path), name)
			must(t, err)
			if text, err := os.ReadFile(filepath.Join(left, rel)); !bytes.Equal(text, []byte(powerText)) || err != nil {
				t.Errorf("left of %s is %q, %v", rel, text, err)
			}
		}
	})
}
