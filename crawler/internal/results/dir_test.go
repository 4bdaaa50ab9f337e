package results

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/internal/jsonlines"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext/usage"
)

// anyFile is what tests do with the files of the table.
type anyFile interface {
	addEmpty(*Batch) error
	count(dir string) (int, error)
}

func (f *File[T]) addEmpty(b *Batch) error { return f.Add(b, new(T)) }

// count returns how many lines package output reads.
func (f *File[T]) count(dir string) (n int, err error) {
	for _, err := range output.Read[T](dir) {
		if err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// Each file of the table has its lines, and package output has its name.
func TestWrite(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made", "by", "create")
	d, err := Create(dir, map[string]int{"version": 1})
	must(t, err)
	const batches, each = 8, 50
	for range batches {
		var all Batch
		for range each {
			var one Batch
			must(t, Pages.Add(&one, &output.Page{URL: "http://example.com/?a=1&b=<2>", Title: strings.Repeat("x", 5000)}))
			for _, f := range files[1:] {
				must(t, f.(anyFile).addEmpty(&one))
			}
			all.Join(&one)
		}
		must(t, d.Write(&all))
	}
	must(t, errors.Join(d.Sync(), d.Close()))
	for _, f := range files {
		name := f.self().name
		lines := readLines(t, filepath.Join(dir, name))
		if n, err := f.(anyFile).count(dir); n != batches*each || err != nil {
			t.Errorf("package output reads %d lines of %s, want %d; %v", n, name, batches*each, err)
		}
		if len(lines) != batches*each {
			t.Errorf("%s has %d lines, want %d", name, len(lines), batches*each)
		}
		for _, line := range lines {
			if !json.Valid([]byte(line)) {
				t.Fatalf("%s holds a torn line: %s", name, line)
			}
		}
		if name == "pages.jsonl" && !strings.Contains(lines[0], `"http://example.com/?a=1&b=<2>"`) {
			t.Errorf("a URL should stand as it is, got %s", lines[0])
		}
	}
	n := 0
	for p, err := range output.Read[output.Page](dir) {
		if err != nil || p.URL == "" {
			t.Fatal(p, err)
		}
		if n++; n == 10 {
			break
		}
	}
}

// A resumed crawl keeps what counts and nothing else.
func TestOpenCutsWhatDoesNotCount(t *testing.T) {
	page := func(url string) *Batch {
		b := new(Batch)
		must(t, errors.Join(Pages.Add(b, &output.Page{URL: url}), Rejected.Add(b, &output.Rejection{URL: url})))
		return b
	}
	for _, tt := range []struct {
		name   string
		damage func(pages string) error
		want   []string
		lost   bool
	}{
		{"written and not counted", func(string) error { return nil }, []string{"a", "b"}, false},
		{"torn besides", func(name string) error {
			f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			_, err = f.WriteString(`{"url":"d`)
			return errors.Join(err, f.Close())
		}, []string{"a", "b"}, false},
		{"shorter than what counts", func(name string) error { return os.Truncate(name, 300) }, []string{"a"}, true},
		{"gone", os.Remove, nil, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			d, err := Create(dir, "state")
			must(t, err)
			must(t, errors.Join(d.Write(page("a")), d.Write(page("b"))))
			counted := d.Lengths()
			must(t, errors.Join(d.Write(page("c")), d.Close(), tt.damage(filepath.Join(dir, "pages.jsonl"))))
			lost, err := Lost(dir, counted)
			if err != nil || len(lost) > 0 != tt.lost || tt.lost && lost[0].File != "pages.jsonl" {
				t.Errorf("lost %v, %v", lost, err)
			}
			d, err = Open(dir, counted)
			must(t, err)
			if left := d.Lengths()[Pages.name]; tt.lost && lost[0] != (output.Loss{File: "pages.jsonl", Bytes: counted[Pages.name] - left, SizeBefore: counted[Pages.name]}) {
				t.Errorf("lost %v, %d are left of %d", lost, left, counted[Pages.name])
			}
			must(t, errors.Join(d.Write(page("new")), d.Close()))
			var got []string
			for p, err := range output.Read[output.Page](dir) {
				must(t, err)
				got = append(got, p.URL)
			}
			if want := append(slices.Clone(tt.want), "new"); !slices.Equal(got, want) {
				t.Errorf("pages %v, want %v", got, want)
			}
		})
	}
}

func TestOpenWhereThereIsNoCrawl(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "none")
	if _, err := Open(dir, nil); !errors.Is(err, output.ErrNoCrawl) || !strings.Contains(err.Error(), dir) {
		t.Errorf("Open = %v, want ErrNone that names %s", err, dir)
	}
	if err := LoadState(dir, new(string)); !errors.Is(err, output.ErrNoCrawl) {
		t.Errorf("State = %v, want ErrNone", err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Error("a refused Open made the directory")
	}
}

func TestState(t *testing.T) {
	type state struct {
		Version int
		Name    string
	}
	dir := t.TempDir()
	d, err := Create(dir, state{Version, "first"})
	must(t, err)
	must(t, errors.Join(SaveState(dir, state{Version, "second"}), d.Close()))
	var got state
	if err := LoadState(dir, &got); err != nil || got.Name != "second" {
		t.Errorf("State = %v, %v", got, err)
	}
	for _, version := range []int{Version - 1, Version + 1} {
		must(t, SaveState(dir, state{version, "other"}))
		if err := LoadState(dir, &got); err == nil || got.Name != "second" || !strings.Contains(err.Error(), fmt.Sprintf("version %d, and this program reads version %d", version, Version)) {
			t.Errorf("State of version %d = %v, %v", version, got, err)
		}
	}
	must(t, os.WriteFile(filepath.Join(dir, "crawl.json"), []byte("{"), 0o600))
	if err := LoadState(dir, &got); err == nil || !strings.Contains(err.Error(), "crawl.json") {
		t.Errorf("State of a damaged file = %v", err)
	}
	must(t, os.WriteFile(filepath.Join(dir, "crawl.json"), []byte("\"s\xe5cond\""), 0o600))
	if err := LoadState(dir, &got); !errors.Is(err, jsonlines.ErrNotUTF8) || !strings.Contains(err.Error(), "crawl.json") {
		t.Errorf("State of a file that is not UTF-8 = %v", err)
	}
	if err := errors.Join(os.Remove(filepath.Join(dir, "crawl.json")), os.MkdirAll(filepath.Join(dir, "crawl.json", "x"), 0o755)); err != nil {
		t.Fatal(err)
	}
	if err := SaveState(dir, state{Version, "third"}); err == nil {
		t.Error("a state is saved in the place of a directory")
	}
}

func TestRotate(t *testing.T) {
	dir := t.TempDir()
	write := func(text string) {
		for _, name := range []string{"pages.jsonl", "rejected.jsonl", "robots.jsonl"} { // no sitemaps.jsonl
			must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
		}
	}
	write("one")
	for range 2 {
		must(t, Rotate(dir, 1))
	}
	write("two")
	if err := Rotate(dir, 1); err == nil || !strings.Contains(err.Error(), "pages.1.jsonl") {
		t.Errorf("over what is there: %v", err)
	}
	if !Rotated(dir, 1) || Rotated(dir, 2) {
		t.Error("Rotated is wrong")
	}
	must(t, Rotate(dir, 2))
	for name, want := range map[string]string{"pages.1.jsonl": "one", "rejected.1.jsonl": "one", "robots.1.jsonl": "one", "pages.2.jsonl": "two"} {
		if b, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(b) != want {
			t.Errorf("%s: %q, %v", name, b, err)
		}
	}
}

func TestRotateFilesOfFormats(t *testing.T) {
	dir := t.TempDir()
	formats := []output.Format{
		{Name: "table", Files: []string{"*.csv", "pages.*"}}, // both match pages.csv
		{Name: "archive", Files: []string{"crawl-?.warc.gz"}, Exchanges: true},
	}
	names := []string{"pages.csv", "links.csv", "crawl-0.warc.gz", "crawl-1.warc.gz", "notes.5.txt"}
	for _, name := range names {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(name), 0o600))
	}
	must(t, Rotate(dir, 2, formats...))
	left, err := os.ReadDir(dir)
	must(t, err)
	var kept []string
	for _, entry := range left {
		kept = append(kept, entry.Name())
	}
	if want := names[2:]; !slices.Equal(kept, want) {
		t.Errorf("files %q, want %q", kept, want)
	}
}

func TestCreateRefusesAnotherCrawl(t *testing.T) {
	dir := t.TempDir()
	old := filepath.Join(dir, "pages.jsonl")
	must(t, os.WriteFile(old, []byte("old\n"), 0o600))
	if _, err := Create(dir, "state"); !errors.Is(err, output.ErrExists) || !strings.Contains(err.Error(), dir) {
		t.Errorf("Create = %v, want ErrExists that names %s", err, dir)
	}
	if b, err := os.ReadFile(old); err != nil || string(b) != "old\n" {
		t.Errorf("the old crawl was changed: %q, %v", b, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "rejected.jsonl")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a refused Create left %s behind", "rejected.jsonl")
	}
}

func TestCreateWhereADirectoryCannotBe(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(file, nil, 0o600))
	if _, err := Create(filepath.Join(file, "crawl"), "state"); err == nil {
		t.Error("Create below a file succeeded")
	}
}

// addRobots writes a robots.txt with its line.
func addRobots(d *Dir, origin string, body []byte, record any) error {
	line, err := d.Robots(origin, body, record, false)
	if err != nil {
		return err
	}
	_, err = d.RobotsLog().Append(line)
	return err
}

func TestRobotsReplaces(t *testing.T) {
	d := newDir(t)
	for _, body := range []string{"first, and longer", "second"} {
		must(t, addRobots(d, "http://example.com:8080", []byte(body), map[string]string{"outcome": "rules"}))
	}
	if lines := readLines(t, filepath.Join(d.path, "robots.jsonl")); len(lines) != 2 {
		t.Errorf("%s has %d lines, want one for each fetch", "robots.jsonl", len(lines))
	}
	entries, err := os.ReadDir(filepath.Join(d.path, "robots"))
	if err != nil || len(entries) != 2 || entries[0].Name() != "http_example.com,8080.txt" || !entries[1].IsDir() {
		t.Fatalf("robots/ holds %v, %v; want the body and the versions", entries, err)
	}
	if body, err := os.ReadFile(filepath.Join(d.path, "robots", entries[0].Name())); string(body) != "second" || err != nil {
		t.Errorf("the body is %q, %v", body, err)
	}
}

func readLines(t *testing.T, path string) []string {
	t.Helper()
	f, err := os.Open(path)
	must(t, err)
	defer func() { _ = f.Close() }()
	var lines []string
	s := bufio.NewScanner(f)
	for s.Scan() {
		lines = append(lines, s.Text())
	}
	must(t, s.Err())
	return lines
}

// A format's files are found by its patterns, rotated under a number, and kept beside new ones when
// a part of them is lost.
func TestFilesOfFormats(t *testing.T) {
	dir := t.TempDir()
	titles := output.Format{Name: "titles", Files: []string{"titles.txt"}}
	for _, name := range []string{"titles.1.txt", "other.txt"} {
		must(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
	}
	for _, want := range []string{"titles.lost-1.txt", "titles.lost-2.txt"} {
		must(t, errors.Join(CheckEmpty(dir, titles), os.WriteFile(filepath.Join(dir, "titles.txt"), nil, 0o600)))
		if names, err := FilesOf(dir, titles); err != nil || !slices.Equal(names, titles.Files) {
			t.Errorf("files %q, %v", names, err)
		}
		if err := CheckEmpty(dir, titles); !errors.Is(err, output.ErrExists) || !strings.Contains(err.Error(), "titles.txt") {
			t.Errorf("Vacant = %v", err)
		}
		if kept, err := RenameIncomplete(dir, titles); err != nil || !slices.Equal(kept, []string{want}) {
			t.Errorf("kept %q, %v, want %s", kept, err, want)
		}
	}
	if _, err := FilesOf(dir, output.Format{Files: []string{"["}}); err == nil {
		t.Error("a pattern that is none was taken")
	}
}

func TestVersionOfSchema(t *testing.T) {
	text, err := os.ReadFile("../../output/SCHEMA.md")
	if err != nil || !bytes.HasPrefix(text, fmt.Appendf(nil, "# The directory of a crawl, version %d\n", Version)) {
		t.Errorf("SCHEMA.md is not of version %d, %v", Version, err)
	}
}

// Origins with the same robots.txt write one version at the same time.
func TestKeepVersionConcurrently(t *testing.T) {
	dir := t.TempDir()
	d, err := Create(dir, "state")
	must(t, err)
	const versions, origins = 50, 20
	var wg sync.WaitGroup
	for i := range versions * origins {
		wg.Go(func() {
			body := []byte(strings.Repeat("#", i/origins))
			if err := d.KeepVersion(usage.Hash(body), body, false); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	entries, err := os.ReadDir(output.VersionPath(dir, ""))
	if err := errors.Join(err, d.Close()); err != nil || len(entries) != versions {
		t.Errorf("%d files, %v", len(entries), err)
	}
}

// must ends a test with an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// newDir creates the directory of a crawl.
func newDir(t *testing.T) *Dir {
	t.Helper()
	d, err := Create(t.TempDir(), "state")
	must(t, err)
	t.Cleanup(func() { _ = d.Close() })
	return d
}
