package pictures

import (
	"bytes"
	"errors"
	"flag"
	"image"
	"image/png"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/browsertest"
)

var update = flag.Bool("update", false, "take the pictures that have changed anew")

// root is the folder of the repository, and dir the folder of the pictures.
var (
	root = filepath.Join("..", "..", "..")
	dir  = filepath.Join(root, "cmd", "politecrawl", "pictures")
)

// maxSize is how large a picture may be, in bytes: readers of the README load all of
// them.
const maxSize = 150_000

// TestPictures compares the labels that the program shows with those beside each picture. With
// -update, it takes the pictures whose program has changed.
func TestPictures(t *testing.T) {
	b := openBrowser(t, *update)
	var names []string
	shown := func(name string) {
		t.Helper()
		names = append(names, name)
		labels := strings.Join(browsertest.Eval[[]string](b, labelsInView), "\n") + "\n"
		list := filepath.Join(dir, strings.TrimSuffix(name, ".png")+".txt")
		old, err := os.ReadFile(list)
		changed := string(old) != labels
		if *update {
			if err := os.WriteFile(list, []byte(labels), 0o644); err != nil {
				t.Fatal(err)
			}
			keep(t, name, b.Screenshot(), changed)
		} else if changed {
			t.Errorf("%s shows other labels than the program; take it again with make pictures: %v\n%s", name, err, cmp.Diff(string(old), labels))
		}
	}
	page := runDemo(t)
	openReport := func(view string) {
		b.Open("file://" + page + view)
		b.Wait("the tables have all rows", "data !== null")
	}
	b.EmulateMedia("prefers-color-scheme", "light")
	b.Resize(1200, 1000)
	openReport("")
	shown("report.png")
	b.EmulateMedia("prefers-color-scheme", "dark")
	b.Resize(1200, 900)
	openReport("#sitemaps")
	shown("report-sitemaps.png")
	b.EmulateMedia("prefers-color-scheme", "light")
	openReport("#urls?indexable=no&sort=-inlinks")
	shown("report-urls.png")
	browsertest.Eval[int](b, firstURL+".click(), 1")
	b.Wait("the page of the URL is open", "panel.open")
	shown("report-url.png")
	b.Resize(1200, 1000)
	openDashboard(t, b)
	shown("dashboard.png")

	found, err := filepath.Glob(filepath.Join(dir, "*.png"))
	if err != nil || len(found) != len(names) {
		t.Errorf("pictures %q, %v, want %q", found, err, names)
	}
	for _, path := range found {
		body, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := png.Decode(bytes.NewReader(body)); err != nil || len(body) > maxSize {
			t.Errorf("%s has %d bytes of at most %d: %v", path, len(body), maxSize, err)
		}
	}
}

// firstURL is the button of the first row of the table of URLs.
const firstURL = `document.querySelector("[data-table=urls] tbody button")`

// labelsInView returns the names of tabs, headings, buttons and columns in the visible part of the page. Counts
// beside a name are elements of their own. URLs are no labels, since they have the port.
const labelsInView = `[...document.querySelectorAll("nav a, h2, h3, button, th")].filter(e => {
	const r = e.getBoundingClientRect();
	return e.checkVisibility() && !e.classList.contains("unseen") && r.height > 0 && r.top < innerHeight && r.bottom > 0;
}).map(e => [...e.childNodes].filter(n => n.nodeType == Node.TEXT_NODE).map(n => n.data).join("").trim()).filter(text => text && !text.startsWith("http"))`

// TestDocumentsShowPictures holds that documents show each picture, and no other.
func TestDocumentsShowPictures(t *testing.T) {
	var shown []string
	for _, name := range []string{"README.md", "cmd/politecrawl/README.md"} {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`pictures/([^)"'\s]+\.png)`).FindAllSubmatch(text, -1) {
			shown = append(shown, string(m[1]))
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var there []string
	for _, e := range entries {
		if filepath.Ext(e.Name()) == ".png" {
			there = append(there, e.Name())
		}
	}
	slices.Sort(shown)
	if diff := cmp.Diff(there, slices.Compact(shown)); diff != "" {
		t.Errorf("pictures (-there +shown):\n%s", diff)
	}
}

// keep writes a picture, unless the one that is there is much the same and its labels have not changed.
func keep(t *testing.T, name string, shot []byte, changed bool) {
	t.Helper()
	taken, err := png.Decode(bytes.NewReader(shot))
	if err != nil {
		t.Fatal(err)
	}
	taken = fewColours(taken)
	path := filepath.Join(dir, name)
	body, err := os.ReadFile(path)
	if err == nil {
		old, err := png.Decode(bytes.NewReader(body))
		if err == nil && !changed && alike(old, taken) {
			t.Logf("%s stays", name)
			return
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	var b bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	if err := encoder.Encode(&b, taken); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Logf("%s: %d bytes", name, b.Len())
}

// likeness is how much of a picture may differ from another that is much the same:
// times, ports and the charts of them.
const likeness = 0.04

// alike tells whether two pictures are much the same.
func alike(a, b image.Image) bool {
	if a.Bounds() != b.Bounds() {
		return false
	}
	differ := 0
	for y := a.Bounds().Min.Y; y < a.Bounds().Max.Y; y++ {
		for x := a.Bounds().Min.X; x < a.Bounds().Max.X; x++ {
			if distance(a.At(x, y), b.At(x, y)) > 3000 {
				differ++
			}
		}
	}
	return float64(differ) < likeness*float64(a.Bounds().Dx()*a.Bounds().Dy())
}
