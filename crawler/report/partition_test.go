package report_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/politecrawl/politecrawl/crawler/internal/results"
	"github.com/politecrawl/politecrawl/crawler/report"
)

// split distributes the lines of a crawl to the directories of workers. pick chooses the worker
// of a URL.
func split(t *testing.T, dir string, workers int, pick func(url string) int) []string {
	t.Helper()
	to := make([]string, workers)
	for i := range to {
		to[i] = filepath.Join(t.TempDir(), fmt.Sprintf("w%d", i+1))
		shareState(t, dir, to[i])
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil || len(files) < 6 {
		t.Fatal(files, err)
	}
	slices.Reverse(files) // pages.jsonl before links.jsonl
	pages := make(map[string]int)
	for _, file := range files {
		name := filepath.Base(file)
		if name == "journal.jsonl" {
			continue
		}
		body, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		parts := make([]bytes.Buffer, workers)
		for line := range bytes.Lines(body) {
			var v struct{ URL, Sitemap, Origin string }
			if err := json.Unmarshal(line, &v); err != nil {
				t.Fatal(err)
			}
			url := v.URL + v.Origin
			if v.Sitemap != "" { // its worker has written the entry
				url = v.Sitemap
			}
			i, fetched := pages[url]
			if name != "links.jsonl" || !fetched { // whose worker has written these
				i = pick(url)
			}
			if name == "pages.jsonl" {
				pages[url] = i
			}
			parts[i].Write(line)
		}
		for i := range parts {
			put(t, filepath.Join(to[i], name), parts[i].Bytes())
		}
	}
	share(t, filepath.Join(dir, "robots"), to, pick)
	return to
}

// shareState makes the directory of a worker, with the state of the whole crawl.
func shareState(t *testing.T, dir, to string) {
	t.Helper()
	var state map[string]any
	if err := errors.Join(results.LoadState(dir, &state), os.MkdirAll(filepath.Join(to, "robots"), 0o755)); err != nil {
		t.Fatal(err)
	}
	if ended, ok := state["ended"].(map[string]any); ok {
		delete(ended, "written") // which is of the whole
	}
	config := state["config"].(map[string]any)
	config["links"] = true
	config["frontier"], config["crawl-name"] = "redis://127.0.0.1:1", "nightly"
	if err := results.SaveState(to, state); err != nil {
		t.Fatal(err)
	}
}

// share copies each stored robots.txt to the worker that pick chooses for its origin.
func share(t *testing.T, robots string, to []string, pick func(url string) int) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(robots, "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		origin := strings.NewReplacer("_", "://", ",", ":").Replace(strings.TrimSuffix(filepath.Base(file), ".txt"))
		body, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		put(t, filepath.Join(to[pick(origin)], "robots", filepath.Base(file)), body)
	}
}

func put(t *testing.T, name string, body []byte) {
	t.Helper()
	if err := os.WriteFile(name, body, 0o600); err != nil {
		t.Fatal(err)
	}
}

// byHost gives each host to one worker.
func byHost(workers int) func(string) int {
	return func(text string) int {
		h := fnv.New32a()
		if u, err := url.Parse(text); err == nil {
			_, _ = h.Write([]byte(u.Host))
		}
		return int(h.Sum32() % uint32(workers))
	}
}

// atRandom gives each line to any worker.
func atRandom(workers int, seed uint64) func(string) int {
	r := rand.New(rand.NewPCG(seed, 8))
	return func(string) int { return r.IntN(workers) }
}

// wantSame checks that the report of a crawl and that of its parts are equal.
func wantSame(t *testing.T, whole string, parts []string) {
	t.Helper()
	for _, rows := range []int{2, 1000} {
		opts := &report.Options{Rows: rows}
		one, err := report.Generate(t.Context(), []string{whole}, opts)
		if err != nil {
			t.Fatal(err)
		}
		several, err := report.Generate(t.Context(), parts, opts)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(one, several, cmpopts.IgnoreFields(report.Report{}, "GeneratedAt", "Workers", "Notes"), cmpopts.IgnoreUnexported(report.Report{})); diff != "" {
			t.Errorf("%d rows (-one crawl +its parts):\n%s", rows, diff)
		}
		pages := 0
		for _, s := range several.Workers {
			pages += s.Pages
		}
		if len(several.Workers) != len(parts) || pages != one.Summary.Pages || pages == 0 || len(several.Notes) > 0 {
			t.Errorf("%d directories with %d pages, of %d; notes %q", len(several.Workers), pages, one.Summary.Pages, several.Notes)
		}
	}
}

// wantPart checks that the report of some of the parts says that it is incomplete.
func wantPart(t *testing.T, parts []string, words string) {
	t.Helper()
	r, err := report.Generate(t.Context(), parts, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(r.Notes, func(note string) bool { return strings.Contains(note, words) }) {
		t.Errorf("notes %q", r.Notes)
	}
	for _, k := range report.SitemapFindings(r) {
		if !strings.Contains(strings.Join(k.Caveats, "; "), words) {
			t.Errorf("%s is inconclusive for %q", kindOf(k), k.Caveats)
		}
	}
}

// wantSameOfParts distributes the lines of a crawl to several workers. Their report is that of the whole
// crawl, in whichever order the directories are given.
func wantSameOfParts(t *testing.T, dir string) {
	t.Helper()
	parts := split(t, dir, 3, byHost(3))
	wantSame(t, dir, parts)
	slices.Reverse(parts)
	wantSame(t, dir, parts)
	wantPart(t, parts[:1], "may have had other workers")
	for seed := range uint64(2) {
		parts := split(t, dir, 3, atRandom(3, seed))
		wantSame(t, dir, parts)
		wantPart(t, parts[:2], "the directory of a worker may be missing")
	}
}

func TestReportOfPartsEqualsReportOfWhole(t *testing.T) {
	for name, dir := range report.WriteCrawls(t) {
		t.Run(name, func(t *testing.T) { wantSameOfParts(t, dir) })
	}
}
