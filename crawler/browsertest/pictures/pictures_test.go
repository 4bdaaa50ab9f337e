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
	"testing"
)

var update = flag.Bool("update", false, "take the pictures that have changed anew")

// root is the folder of the repository, and dir the folder of the pictures.
var (
	root = filepath.Join("..", "..", "..")
	dir  = filepath.Join(root, "cmd", "politecrawl", "pictures")
)

// names are all the pictures.
var names = []string{"progress.png", "summary.png", "report.png", "report-sitemaps.png", "dashboard.png"}

// maxSize is how large a picture may be, in bytes: readers of the README load all of
// them.
const maxSize = 150_000

// TestPictures takes the pictures with -update, and else holds that they are there.
func TestPictures(t *testing.T) {
	if *update {
		take(t)
	}
	for _, name := range names {
		body, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Error(err)
			continue
		}
		if len(body) > maxSize {
			t.Errorf("%s has %d bytes, more than %d", name, len(body), maxSize)
		}
		if _, err := png.Decode(bytes.NewReader(body)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	found, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range found {
		if name := filepath.Base(path); !slices.Contains(names, name) {
			t.Errorf("%s is nobody's picture", name)
		}
	}
}

// TestReadmeShowsPictures holds that the README shows no picture that is not there.
func TestReadmeShowsPictures(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`cmd/politecrawl/pictures/([^)"'\s]+\.png)`).FindAllSubmatch(readme, -1) {
		if name := string(m[1]); !slices.Contains(names, name) {
			t.Errorf("README.md shows %s, which is no picture", name)
		}
	}
}

// take takes all pictures.
func take(t *testing.T) {
	demo := runDemo(t)
	b := openBrowser(t)
	show(t, b, demo.running.markup(demo.command))
	keep(t, "progress.png", b.ElementScreenshot("main", 2))
	show(t, b, demo.over.markup(demo.command))
	keep(t, "summary.png", b.ElementScreenshot("main", 2))

	b.EmulateMedia("prefers-color-scheme", "light")
	b.Resize(1200, 1000)
	b.Open("file://" + demo.report)
	keep(t, "report.png", b.Screenshot())
	b.EmulateMedia("prefers-color-scheme", "dark")
	b.Resize(1200, 900)
	b.Open("file://" + demo.report + "#sitemaps")
	keep(t, "report-sitemaps.png", b.Screenshot())

	b.EmulateMedia("prefers-color-scheme", "light")
	b.Resize(1200, 1000)
	keep(t, "dashboard.png", dashboard(t, b))
}

// keep writes a picture, unless the one that is there is much the same.
func keep(t *testing.T, name string, shot []byte) {
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
		if err == nil && alike(old, taken) {
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
