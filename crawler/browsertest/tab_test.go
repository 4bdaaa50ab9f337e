package browsertest

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const head = `<!doctype html><meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,"><title>x</title>`

// openText opens a page of this markup.
func openText(t *testing.T, b *Tab, markup string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(path, []byte(head+markup), 0o600); err != nil {
		t.Fatal(err)
	}
	b.Open("file://" + path)
}

// TestProblems checks pages from files and from a server.
func TestProblems(t *testing.T) {
	b := New(t, nil)
	elsewhere := httptest.NewServer(http.NotFoundHandler())
	defer elsewhere.Close()
	var page string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, page)
	}))
	defer server.Close()
	for markup, faulty := range map[string]bool{
		`<img src="` + elsewhere.URL + `/x.png">`:                                                         true,
		`<script>throw new Error("x")</script>`:                                                           true,
		`<meta http-equiv="Content-Security-Policy" content="default-src 'none'"><script>1</script>`:      true,
		`<script>console.log("x")</script>`:                                                               true,
		`<p>fine</p><img src="data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAAC"><script>1</script>`: false,
	} {
		openText(t, b, markup)
		Eval[int](b, "1") // its events have arrived by then
		if found := b.Problems("file://", "data:"); (len(found) > 0) != faulty {
			t.Errorf("%s as a file: %q", markup, found)
		}
		page = head + markup
		b.Open(server.URL)
		Eval[int](b, "1")
		if found := b.Problems(server.URL, "data:"); (len(found) > 0) != faulty {
			t.Errorf("%s from a server: %q", markup, found)
		}
	}
}

func TestLowContrast(t *testing.T) {
	b := New(t, nil)
	for markup, want := range map[string]string{
		`<p style="color: #777">x</p>`:                             `4.48 <p style="color: #777">x</p>`,
		`<p style="color: #767676">x</p>`:                          "",
		`<div style="background: #888"><p>x</p></div>`:             "",
		`<div style="background: #333"><p>x</p></div>`:             "1.66 <p>x</p>",
		`<p style="color: #777; display: none">x</p>`:              "",
		`<button disabled style="color: #777">x</button>`:          "",
		`<svg><text y="20" style="fill: #eee">x</text></svg>`:      `1.16 <text y="20" style="fill: #eee">x</text>`,
		`<p style="color: #777"><b style="color: black">x</b></p>`: "",
	} {
		openText(t, b, `<body style="background: white">`+markup)
		if got := strings.Join(b.LowContrast(), "\n"); got != want {
			t.Errorf("%s: %q, want %q", markup, got, want)
		}
	}
}

func TestClippedLabels(t *testing.T) {
	b := New(t, nil)
	for markup, want := range map[string]string{
		`<svg viewBox="0 0 100 30"><text x="0" y="20">x</text></svg>`:                       "",
		`<svg viewBox="0 0 100 30"><text x="0" y="5">above</text></svg>`:                    "above",
		`<svg viewBox="0 0 100 30"><text x="0" y="30">below</text></svg>`:                   "below",
		`<svg viewBox="0 0 100 30"><text x="95" y="20">right</text></svg>`:                  "right",
		`<svg viewBox="0 0 100 30"><text x="5" y="20" text-anchor="end">left</text></svg>`:  "left",
		`<svg viewBox="0 0 100 30"><text x="0" y="5"></text></svg>`:                         "",
		`<svg viewBox="0 0 100 30" style="display: none"><text x="0" y="5">no</text></svg>`: "",
	} {
		openText(t, b, markup)
		if got := strings.Join(b.ClippedLabels(), " "); got != want {
			t.Errorf("%s: %q, want %q", markup, got, want)
		}
	}
}

func TestOverflowing(t *testing.T) {
	b := New(t, nil)
	b.EmulatePhone()
	for markup, want := range map[string]int{
		`<p>fine</p>`: 0,
		`<p style="position: absolute; left: 0; width: 360px; margin: 0">x</p>`:                                                                          0,
		`<p style="position: absolute; left: 0; width: 361px; margin: 0">x</p>`:                                                                          2, // itself and the page
		`<div style="overflow: hidden"><p style="width: 900px">x</p></div>`:                                                                              1,
		`<div style="overflow: hidden; position: relative"><table><thead style="position: absolute"><tr><th><p style="width: 900px">x</p></table></div>`: 0,
		`<p style="width: 900px; display: none">x</p>`:                                                                                                   0,
	} {
		openText(t, b, markup)
		if got := b.Overflowing(); len(got) != want {
			t.Errorf("%s: %q, want %d", markup, got, want)
		}
	}
}

func TestUserActions(t *testing.T) {
	b := New(t, nil)
	openText(t, b, `<style>@media (prefers-color-scheme: dark) { body { background: #000 } }</style>
<input><button onclick="setTimeout(() => document.body.dataset.said = document.querySelector('input').value, 100)">say</button>`)
	b.Type("input", "hello")
	b.Click("button")
	b.Wait("it is said", `document.body.dataset.said === "hello"`)

	const background = `getComputedStyle(document.body).backgroundColor`
	for scheme, want := range map[string]string{"light": "rgba(0, 0, 0, 0)", "dark": "rgb(0, 0, 0)"} {
		b.EmulateMedia("prefers-color-scheme", scheme)
		if got := Eval[string](b, background); got != want {
			t.Errorf("%s: %s", scheme, got)
		}
	}

	b.Resize(400, 300)
	if got := size(t, b.Screenshot()); got != image.Pt(400, 300) {
		t.Errorf("the window is %v", got)
	}

	b.DisableScript()
	openText(t, b, `<script>document.title = "ran"</script>`)
	if got := Eval[string](b, `document.title`); got != "x" {
		t.Errorf("a script %s", got)
	}
}

func size(t *testing.T, picture []byte) image.Point {
	t.Helper()
	got, err := png.DecodeConfig(bytes.NewReader(picture))
	if err != nil {
		t.Fatal(err)
	}
	return image.Pt(got.Width, got.Height)
}
