// Package replay tests in a browser that archives replay: that replayweb.page shows the pages of a WACZ file as
// their sites did.
package replay

import (
	"bytes"
	"fmt"
	"image/png"
	"maps"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/browsertest"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// TestFaultsReplay archives a site with codings, character encodings, redirects and references of all kinds. After a
// recrawl, the latest records refer to those of the first crawl.
func TestFaultsReplay(t *testing.T) {
	for _, name := range []string{"crawl", "recrawl"} {
		t.Run(name, func(t *testing.T) {
			site := startFaults(t)
			a := newArchive(t, site+"/", name == "recrawl")
			if name == "recrawl" && a.revisits < len(faults) {
				t.Errorf("%d revisits in the archive, want %d or more", a.revisits, len(faults))
			}
			disallowed := map[string]output.Reason{site + "/private/secret.png": output.Disallowed}
			if diff := cmp.Diff(disallowed, a.skipped); diff != "" {
				t.Errorf("requisites that were not requested (-want +got):\n%s", diff)
			}
			for i, path := range faultPages() {
				if name == "crawl" || i%3 == 0 {
					a.compare(t, site+path, !slices.Contains(unshown, path))
				}
			}
			for _, path := range candidates {
				if status := fetch(a.tab, site+path); status != http.StatusOK {
					t.Errorf("%s has status %d in the replay, want 200", path, status)
				}
			}
		})
	}
}

// TestDocumentationReplays archives the documentation of Debian packages, and replays a sample of their pages.
func TestDocumentationReplays(t *testing.T) {
	tests := []struct {
		pkg, root string
		first     int // the first page to replay
	}{
		{"sqlite3-doc", "/usr/share/doc/sqlite3", 1}, // a script of the start page chooses images at random
		{"python3-doc", "/usr/share/doc/python3/html", 0},
		{"debian-policy", "/usr/share/doc/debian-policy/policy.html", 0},
		{"git-doc", "/usr/share/doc/git-doc", 0},
	}
	for _, tt := range tests {
		t.Run(tt.pkg, func(t *testing.T) {
			need(t, filepath.Join(tt.root, "index.html"), "make docs")
			site := serve(t, "127.0.0.1", http.FileServer(http.Dir(tt.root)))
			a := newArchive(t, site+"/", false)
			if len(a.skipped) > 0 {
				t.Errorf("requisites were not requested: %q", a.skipped)
			}
			for i := range samples {
				a.compare(t, a.pages[tt.first+i*(len(a.pages)-1-tt.first)/(samples-1)], true)
			}
			t.Logf("%d pages", len(a.pages))
		})
	}
}

// samples is how many pages of each documentation are replayed.
const samples = 8

// An archive is that of a crawl, shown by a player.
type archive struct {
	tab      *browsertest.Tab
	player   string
	pages    []string                 // the URLs of HTML pages, in the order of the crawl
	skipped  map[string]output.Reason // the requisites that were not requested, and why
	revisits int                      // records that refer to others with the same payload
}

// newArchive crawls the site at a URL, and again if recrawl is set, into a WACZ file. It opens a browser and the player.
func newArchive(t *testing.T, start string, recrawl bool) *archive {
	t.Helper()
	dir := t.TempDir()
	wacz := filepath.Join(dir, "site.wacz")
	run := func(args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), program, args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("politecrawl %q: %v: %s", args, err, out)
		}
	}
	a := &archive{skipped: make(map[string]output.Reason)}
	a.tab = browsertest.New(t, &browsertest.Options{Flags: map[string]any{
		// The test reads frames of other hosts in the original, which are all of one host in the replay.
		"disable-web-security": true, "disable-site-isolation-trials": true, "disable-features": "IsolateOrigins,site-per-process",
	}})
	a.tab.Resize(1000, 700)
	a.player = startPlayer(t, wacz)
	flags := []string{"--archive", "--delay", "0s", "--allow-addr", "127.0.0.0/8", "--quiet", "--retries", "0"}
	run(append([]string{"crawl", start, "--output", "crawl"}, flags...)...)
	if recrawl {
		run(append([]string{"crawl", "--recrawl", "crawl"}, flags...)...)
	}
	run("archive", "wacz", "crawl", "--output", wacz)
	run("archive", "check", wacz)
	for c, err := range output.Read[output.Check](filepath.Join(dir, "crawl")) {
		if err != nil {
			t.Fatal(err)
		}
		if c.Reason != "" {
			a.skipped[c.URL] = c.Reason
		}
	}
	indexes, err := filepath.Glob(filepath.Join(dir, "crawl", "*.cdxj"))
	if err != nil || len(indexes) == 0 {
		t.Fatalf("index files %q: %v", indexes, err)
	}
	for _, name := range indexes {
		body, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		a.revisits += bytes.Count(body, []byte(`"warc/revisit"`))
	}
	a.tab.Block(slices.Collect(maps.Keys(a.skipped))...)
	for p, err := range output.Read[output.Page](filepath.Join(dir, "crawl")) {
		if err != nil {
			t.Fatal(err)
		}
		if p.Status == http.StatusOK && strings.HasPrefix(p.ContentType, "text/html") {
			a.pages = append(a.pages, p.URL)
		}
	}
	return a
}

// compare opens a page on its site and in the player. It checks that all requisites of the page are in the archive except
// those that were skipped, and, if shown is set, that both show the same.
func (a *archive) compare(t *testing.T, page string, shown bool) {
	t.Helper()
	a.tab.Open(page)
	var last state
	want := settle(a.tab, "document", func(s state) bool {
		same := reflect.DeepEqual(s, last)
		last = s
		return same
	})
	wantStatuses, original := requisites(a.tab), a.tab.Screenshot()

	a.tab.Open(a.player + url.QueryEscape(page))
	got := settle(a.tab, replayed, func(s state) bool { return !shown || reflect.DeepEqual(s, want) })
	statuses, copied := requisites(a.tab), a.tab.Screenshot()
	for url, status := range wantStatuses {
		got, requested := statuses[url]
		if !requested && !shown {
			got = fetch(a.tab, url)
		}
		if got != status {
			t.Errorf("%s: %s has status %d in the replay, want %d", page, url, got, status)
		}
	}
	for url := range a.skipped {
		if status := fetch(a.tab, url); status != http.StatusNotFound {
			t.Errorf("%s has status %d in the replay, but was not requested", url, status)
		}
	}
	share := difference(t, original, copied)
	t.Logf("%s: %d requests, %d elements, %d images, %.3f%% of the pixels differ", page, len(wantStatuses), len(want.Elements), len(want.Images), 100*share)
	if dir := os.Getenv("REPLAY_PICTURES"); dir != "" {
		name := filepath.Join(dir, url.QueryEscape(page))
		_ = os.WriteFile(name+".site.png", original, 0o644)
		_ = os.WriteFile(name+".replay.png", copied, 0o644)
	}
	if !shown {
		return
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s: (-site +replay):\n%.3000s", page, diff)
	}
	if share > tolerance {
		t.Errorf("%s: %.2f%% of the pixels differ", page, 100*share)
	}
}

// tolerance is the share of pixels that may differ.
const tolerance = 0.001

// difference returns the share of pixels that differ by more than rounding.
func difference(t *testing.T, a, b []byte) float64 {
	t.Helper()
	one, err := png.Decode(bytes.NewReader(a))
	if err != nil {
		t.Fatal(err)
	}
	two, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	if one.Bounds() != two.Bounds() {
		return 1
	}
	area, differ := one.Bounds(), 0
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			r1, g1, b1, _ := one.At(x, y).RGBA()
			r2, g2, b2, _ := two.At(x, y).RGBA()
			if max(r1, r2)-min(r1, r2)+max(g1, g2)-min(g1, g2)+max(b1, b2)-min(b1, b2) > 0x2000 {
				differ++
			}
		}
	}
	return float64(differ) / float64(area.Dx()*area.Dy())
}

// program is the path of the program.
var program string

func TestMain(m *testing.M) { os.Exit(runWithProgram(m)) }

func runWithProgram(m *testing.M) int {
	dir, err := os.MkdirTemp("", "replay")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	program = filepath.Join(dir, "politecrawl")
	build := exec.Command("go", "build", "-o", program, "./cmd/politecrawl")
	build.Dir = filepath.Join("..", "..", "..")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%v: %v\n%s", build, err, out)
		return 1
	}
	return m.Run()
}
