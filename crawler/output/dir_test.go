package output

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
)

func TestWrite(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made", "by", "create")
	d, err := Create(dir, map[string]int{"version": 1})
	if err != nil {
		t.Fatal(err)
	}
	const batches, each = 8, 50
	for range batches {
		var all Batch
		for range each {
			var one Batch
			err := errors.Join(
				one.Page(&Page{URL: "http://example.com/?a=1&b=<2>", Title: strings.Repeat("x", 5000)}),
				one.Reject(&Rejection{URL: "http://example.com/no", Reason: Disallowed, Rule: "Disallow: /no", Line: 2}),
				one.Links(&Links{URL: "http://example.com/", To: []string{"http://example.com/a"}}),
				one.Entry(&Entry{URL: "http://example.com/", Sitemap: "http://example.com/map.xml"}),
				one.Sitemap(&Sitemap{URL: "http://example.com/map.xml", Status: 200}))
			if err != nil {
				t.Fatal(err)
			}
			all.Join(&one)
		}
		if err := d.Write(&all); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(d.Sync(), d.Close()); err != nil {
		t.Fatal(err)
	}
	for _, name := range fileNames {
		lines := readLines(t, filepath.Join(dir, name))
		if len(lines) != batches*each {
			t.Errorf("%s has %d lines, want %d", name, len(lines), batches*each)
		}
		for _, line := range lines {
			if !json.Valid([]byte(line)) {
				t.Fatalf("%s holds a torn line: %s", name, line)
			}
		}
		if name == PagesFile && !strings.Contains(lines[0], `"http://example.com/?a=1&b=<2>"`) {
			t.Errorf("a URL should stand as it is, got %s", lines[0])
		}
	}
	n := 0
	for p, err := range Pages(dir) {
		if err != nil || p.URL == "" {
			t.Fatal(p, err)
		}
		if n++; n == 10 {
			break
		}
	}
}

// A crawl that goes on keeps what counts and nothing else.
func TestOpenCutsWhatDoesNotCount(t *testing.T) {
	page := func(url string) *Batch {
		b := new(Batch)
		if err := errors.Join(b.Page(&Page{URL: url}), b.Reject(&Rejection{URL: url})); err != nil {
			t.Fatal(err)
		}
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
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(d.Write(page("a")), d.Write(page("b"))); err != nil {
				t.Fatal(err)
			}
			counted := d.Lengths()
			if err := errors.Join(d.Write(page("c")), d.Close(), tt.damage(filepath.Join(dir, PagesFile))); err != nil {
				t.Fatal(err)
			}
			lost, err := Lost(dir, counted.Files())
			if err != nil || len(lost) > 0 != tt.lost || tt.lost && lost[0].File != PagesFile {
				t.Errorf("lost %v, %v", lost, err)
			}
			d, err = Open(dir, counted)
			if err != nil {
				t.Fatal(err)
			}
			if left := d.Lengths().Pages; tt.lost && lost[0] != (Loss{File: PagesFile, Bytes: counted.Pages - left, Had: counted.Pages}) {
				t.Errorf("lost %v, %d are left of %d", lost, left, counted.Pages)
			}
			if err := errors.Join(d.Write(page("new")), d.Close()); err != nil {
				t.Fatal(err)
			}
			var got []string
			for p, err := range Pages(dir) {
				if err != nil {
					t.Fatal(err)
				}
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
	if _, err := Open(dir, Lengths{}); !errors.Is(err, ErrNone) || !strings.Contains(err.Error(), dir) {
		t.Errorf("Open = %v, want ErrNone that names %s", err, dir)
	}
	if err := State(dir, new(string)); !errors.Is(err, ErrNone) {
		t.Errorf("State = %v, want ErrNone", err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Error("a refused Open made the directory")
	}
}

func TestState(t *testing.T) {
	dir := t.TempDir()
	d, err := Create(dir, "first")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(SaveState(dir, "second"), d.Close()); err != nil {
		t.Fatal(err)
	}
	var got string
	if err := State(dir, &got); err != nil || got != "second" {
		t.Errorf("State = %q, %v", got, err)
	}
	if err := os.WriteFile(filepath.Join(dir, StateFile), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := State(dir, &got); err == nil || !strings.Contains(err.Error(), StateFile) {
		t.Errorf("State of a damaged file = %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, StateFile), []byte("\"s\xe5cond\""), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := State(dir, &got); !errors.Is(err, ErrNotUTF8) || !strings.Contains(err.Error(), StateFile) {
		t.Errorf("State of a file that is not UTF-8 = %v", err)
	}
}

func TestRotate(t *testing.T) {
	dir := t.TempDir()
	write := func(text string) {
		for _, name := range []string{PagesFile, RejectedFile, RobotsFile} { // no sitemaps.jsonl
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	write("one")
	first, err := Rotate(dir, 1)
	if err != nil || filepath.Base(first.Pages) != "pages.1.jsonl" {
		t.Fatal(first, err)
	}
	if again, err := Rotate(dir, 1); err != nil || again != first {
		t.Errorf("a second time: %v, %v", again, err)
	}
	write("two")
	if _, err := Rotate(dir, 1); err == nil || !strings.Contains(err.Error(), "pages.1.jsonl") {
		t.Errorf("over what is there: %v", err)
	}
	if !Rotated(dir, 1) || Rotated(dir, 2) {
		t.Error("Rotated is wrong")
	}
	if _, err := Rotate(dir, 2); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"pages.1.jsonl": "one", "rejected.1.jsonl": "one", "robots.1.jsonl": "one", "pages.2.jsonl": "two"} {
		if b, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(b) != want {
			t.Errorf("%s: %q, %v", name, b, err)
		}
	}
}

// A log that is read while it grows shows whole lines only.
func TestLog(t *testing.T) {
	name := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(name, []byte(`{"url":"a"}`+"\n"+`{"url":"to`), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := OpenLog(name)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				line, err := Line(nil, Page{URL: "b", Title: strings.Repeat("x", 500)})
				if err != nil {
					t.Error(err)
				}
				if _, err := l.Append(line); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 20 {
		if err := Each(name, func(int64, *Page) error { return nil }); err != nil {
			t.Error(err)
		}
	}
	wg.Wait()
	if err := errors.Join(l.Sync(), l.Close()); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	err = Each(name, func(at int64, p *Page) error {
		n++
		var same Page
		if err := json.NewDecoder(bytes.NewReader(file[at:])).Decode(&same); err != nil || same.URL != p.URL {
			t.Errorf("at %d: %+v, %v, want %s", at, same, err, p.URL)
		}
		return nil
	})
	if err != nil || n != 401 {
		t.Errorf("%d lines, %v; want 401", n, err)
	}
}

// Lines that cannot be read are named, in whatever way they are damaged, and all others are
// read.
func TestDamagedLinesAreNamedAndTheOthersRead(t *testing.T) {
	name := filepath.Join(t.TempDir(), "log")
	const a, b = `{"url":"a"}` + "\n", `{"url":"b"}` + "\n"
	for text, want := range map[string]struct {
		read string // the URLs
		says string // of the lines; empty: nothing
	}{
		a + b:                                     {"ab", ""},
		a + "\n \n\r\n" + b:                       {"ab", ""},
		strings.TrimSuffix(a, "\n"):               {"a", ""},
		a + `{"url":"b`:                           {"a", ""}, // it is being written
		"nonsense\n":                              {"", "line 1 cannot be read (invalid character"},
		a + "nonsense\n" + b:                      {"ab", "line 2 cannot be read"},
		a + `{"url":` + "\n" + b + a:              {"aba", "line 2 cannot be read"},
		a + b + "\n \n" + `{"url":1}` + "\n":      {"ab", "line 5 cannot be read (json: cannot unmarshal number"},
		a + "\r\n\x00\x00\x00\n" + b:              {"ab", "line 3 cannot be read"},
		a + `{"url":"x` + "\n" + `y"}` + "\n" + b: {"ab", "lines 2, 3 cannot be read"}, // one byte has become a line end
		`{"url":"a"}*{"url":"b"}` + "\n" + b:      {"b", "line 1 cannot be read"},      // a line end has become another byte
		a + `{"url":"b"}` + "\x8a":                {"ab", ""},                          // as above, in the last line
		a + `{"url":x`:                            {"a", "line 2 cannot be read"},      // and not for the lack of an end
		a + "{\"url\":\"\xe2\"}\n" + b:            {"ab", "line 2 cannot be read (not UTF-8)"},
		"{\"\xf5rl\":\"a\"}\n" + b:                {"b", "line 1 cannot be read (not UTF-8)"},
		a + "{\"url\":\"\xe2\"}":                  {"a", "line 2 cannot be read (not UTF-8)"},
		a + "{\"url\":\"b\xc3":                    {"a", ""}, // it is being written
		strings.Repeat("x\n", 7) + a:              {"a", "lines 1, 2, 3, 4, 5 and 2 more cannot be read"},
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		var read string
		var err error
		for p, failed := range Read[Page](name) {
			if err = failed; err == nil {
				read += p.URL
			}
		}
		if read != want.read {
			t.Errorf("%q: read %q, want %q", text, read, want.read)
		}
		if want.says == "" {
			if err != nil {
				t.Errorf("%q: %v", text, err)
			}
			continue
		}
		damage, ok := errors.AsType[*DamagedError](err)
		if !ok || damage.File != name || !strings.HasPrefix(err.Error(), fmt.Sprintf("%q is damaged: %s", name, want.says)) {
			t.Errorf("%q: %v, want %s…", text, err, want.says)
		}
	}
}

// Whatever is in a file, each line of it is read, or named, or empty, or the last one that has
// no end.
func FuzzEach(f *testing.F) {
	for _, seed := range []string{"", "{}\n", "{}\n\n{\"url\":\"a\"}", "{\n}\n", "nonsense\r\n1 2\nnull\n[", "\xff\n\"\x00\"\n{}{}\n"} {
		f.Add([]byte(seed))
	}
	name := filepath.Join(f.TempDir(), "log")
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
		read := map[int]string{} // by the numbers of lines
		err := Each(name, func(at int64, v *json.RawMessage) error {
			if at > 0 && text[at-1] != '\n' {
				t.Errorf("a line begins at %d", at)
			}
			read[1+bytes.Count(text[:at], []byte("\n"))] = string(*v)
			return nil
		})
		damage, damaged := errors.AsType[*DamagedError](err)
		if err != nil && !damaged {
			t.Fatal(err)
		}
		lines := bytes.SplitAfter(text, []byte("\n"))
		for i, line := range lines {
			number, line := i+1, bytes.TrimSpace(line)
			value, isRead := read[number]
			isNamed := damaged && slices.Contains(damage.Lines, number)
			switch last := number == len(lines); {
			case isRead && isNamed, isRead && !last && value != string(line), isRead && !json.Valid([]byte(value)):
				t.Errorf("line %d is %q, read as %q, named %v", number, line, value, isNamed)
			case !isRead && !isNamed && len(line) > 0 && !last:
				t.Errorf("line %d, %q, is neither read nor named", number, line)
			}
		}
	})
}

// What a caller finds wrong with a line is damage like any other, and what fails in the
// caller is not.
func TestBadLine(t *testing.T) {
	name := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(name, []byte("{\"url\":\"a\"}\n{\"url\":\"b\"}\n{\"url\":\"c\"}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	none := errors.New("there is no b")
	var read string
	err := Each(name, func(_ int64, p *Page) error {
		if p.URL == "b" {
			return BadLine(none)
		}
		read += p.URL
		return nil
	})
	if damage, ok := errors.AsType[*DamagedError](err); !ok || !errors.Is(err, none) || !slices.Equal(damage.Lines, []int{2}) || read != "ac" {
		t.Errorf("read %q, %v", read, err)
	}
	if err := Each(name, func(int64, *Page) error { return none }); !errors.Is(err, none) || err.Error() != none.Error() {
		t.Errorf("the caller fails: %v", err)
	}
}

func TestFieldNames(t *testing.T) {
	want := map[string]any{
		"page":      &Page{},
		"rejection": &Rejection{},
	}
	fields := map[string][]string{
		"page":      {"url", "status", "title", "depth", "via", "source"},
		"rejection": {"url", "reason", "rule", "line", "robots_url"},
	}
	for name, v := range want {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		var got map[string]any
		if err := json.Unmarshal(b, &got); err != nil {
			t.Fatal(err)
		}
		for _, field := range fields[name] {
			if _, ok := got[field]; !ok {
				t.Errorf("an empty %s has no field %q, which scripts rely on: %s", name, field, b)
			}
		}
	}
}

func TestCreateLeavesAnotherCrawlAlone(t *testing.T) {
	dir := t.TempDir()
	old := filepath.Join(dir, PagesFile)
	if err := os.WriteFile(old, []byte("old\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Create(dir, "state"); !errors.Is(err, ErrExists) || !strings.Contains(err.Error(), dir) {
		t.Errorf("Create = %v, want ErrExists that names %s", err, dir)
	}
	if b, err := os.ReadFile(old); err != nil || string(b) != "old\n" {
		t.Errorf("the old crawl was changed: %q, %v", b, err)
	}
	if _, err := os.Stat(filepath.Join(dir, RejectedFile)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a refused Create left %s behind", RejectedFile)
	}
}

func TestCreateWhereADirectoryCannotBe(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
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
	d, err := Create(t.TempDir(), "state")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	for _, body := range []string{"first, and longer", "second"} {
		if err := addRobots(d, "http://example.com:8080", []byte(body), map[string]string{"outcome": "rules"}); err != nil {
			t.Fatal(err)
		}
	}
	if lines := readLines(t, filepath.Join(d.Path(), RobotsFile)); len(lines) != 2 {
		t.Errorf("%s has %d lines, want one for each fetch", RobotsFile, len(lines))
	}
	entries, err := os.ReadDir(filepath.Join(d.Path(), RobotsDir))
	if err != nil || len(entries) != 2 {
		t.Fatalf("robots/ holds %v, %v; want the body and the record", entries, err)
	}
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(d.Path(), RobotsDir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Ext(e.Name()) == ".txt" && string(b) != "second" {
			t.Errorf("%s holds %q", e.Name(), b)
		}
	}
}

func readLines(t *testing.T, path string) []string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	var lines []string
	s := bufio.NewScanner(f)
	for s.Scan() {
		lines = append(lines, s.Text())
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	return lines
}

func TestFileNames(t *testing.T) {
	long := "http://" + strings.Repeat("a", 250)
	seen := make(map[string]string)
	for _, origin := range []string{
		"http://a", "https://a", "http://a:80", "http://a_80", "http://[::1]", "http://[::1]:80", long, long + "b", long + ":80",
	} {
		name := fileName(origin)
		if other, ok := seen[name]; ok || len(name) > 200 || strings.ContainsAny(name, `/\:*?"<>|`) {
			t.Errorf("%s is %s (also of %q)", origin, name, other)
		}
		seen[name] = origin
	}
}
