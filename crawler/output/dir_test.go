package output

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func TestLinesAreWholeWhateverTheOrder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made", "by", "create")
	d, err := Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	const writers, each = 8, 50
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			for range each {
				err := errors.Join(
					d.Page(&Page{URL: "http://example.com/?a=1&b=<2>", Title: strings.Repeat("x", 5000)}),
					d.Reject(&Rejection{URL: "http://example.com/no", Reason: Disallowed, Rule: "Disallow: /no", Line: 2}))
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{PagesFile, RejectedFile} {
		lines := readLines(t, filepath.Join(dir, name))
		if len(lines) != writers*each {
			t.Errorf("%s has %d lines, want %d", name, len(lines), writers*each)
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
	if _, err := Create(dir); !errors.Is(err, ErrExists) || !strings.Contains(err.Error(), dir) {
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
	if _, err := Create(filepath.Join(file, "crawl")); err == nil {
		t.Error("Create below a file succeeded")
	}
}

func TestRobotsReplaces(t *testing.T) {
	d, err := Create(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	for _, body := range []string{"first, and longer", "second"} {
		if err := d.Robots("http://example.com:8080", []byte(body), map[string]string{"outcome": "rules"}); err != nil {
			t.Fatal(err)
		}
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
