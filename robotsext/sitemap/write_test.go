package sitemap

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestWriterEscapesAndEncodes(t *testing.T) {
	day := time.Date(2024, 11, 23, 0, 0, 0, 0, time.UTC)
	var b bytes.Buffer
	w := NewWriter(&b, URLSet)
	for _, e := range []struct {
		loc     string
		lastMod time.Time
	}{
		{`https://example.com/?a=1&b=<2>'"`, day},
		{"https://müller.example/ä b", day.Add(90 * time.Minute)},
		{"https://example.com/c", day.In(time.FixedZone("", 3600)).Add(time.Millisecond)},
		{"https://example.com/d", time.Time{}},
		{"https://example.com/\\^`{|}?off=5%#`", time.Time{}},
	} {
		if err := w.Write(e.loc, e.lastMod); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	want := `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
  <url><loc>https://example.com/?a=1&amp;b=&lt;2&gt;&apos;&quot;</loc><lastmod>2024-11-23</lastmod></url>
  <url><loc>https://xn--mller-kva.example/%C3%A4%20b</loc><lastmod>2024-11-23T01:30:00Z</lastmod></url>
  <url><loc>https://example.com/c</loc><lastmod>2024-11-23</lastmod></url>
  <url><loc>https://example.com/d</loc></url>
  <url><loc>https://example.com/%5C%5E%60%7B%7C%7D?off=5%25#%60</loc></url>
</urlset>
`
	if diff := cmp.Diff(want, b.String()); diff != "" || w.bytes != b.Len() {
		t.Errorf("%d bytes counted, %d written (-want +got):\n%s", w.bytes, b.Len(), diff)
	}
}

func TestWriterWritesIndex(t *testing.T) {
	var b bytes.Buffer
	w := NewWriter(&b, Index)
	if err := errors.Join(w.Write("https://example.com/sitemap-1.xml.gz", time.Time{}), w.Close()); err != nil {
		t.Fatal(err)
	}
	for e, err := range Read(&b, nil) {
		if err != nil || !e.Sitemap || e.Loc != "https://example.com/sitemap-1.xml.gz" {
			t.Errorf("entry %+v, %v", e, err)
		}
	}
}

func TestWriterRejectsInvalidEntries(t *testing.T) {
	var b bytes.Buffer
	w := NewWriter(&b, URLSet)
	long := "https://example.com/" + strings.Repeat("x", maxLoc)
	encoded := "https://example.com/" + strings.Repeat("ä", maxLoc/2)
	for _, loc := range []string{"", "/relative", "mailto:a@example.com", "https://example.com/\n", "https://", long, encoded} {
		if err := w.Write(loc, time.Time{}); !errors.Is(err, ErrInvalidEntry) {
			t.Errorf("%.50q: error %v", loc, err)
		}
	}
	for _, year := range []int{-5, 1, 1899, 10000} {
		if err := w.Write("https://example.com/", time.Date(year, 2, 3, 0, 0, 0, 0, time.UTC)); !errors.Is(err, ErrInvalidEntry) {
			t.Errorf("year %d: error %v", year, err)
		}
	}
	if err := w.Close(); err == nil || b.Len() > 0 {
		t.Errorf("a file without entries: error %v, %q", err, b.String())
	}
}

// A file holds exactly as much as the reader accepts without a finding.
func TestWriterStopsAtLimits(t *testing.T) {
	const line = "  <url><loc>https://example.com/</loc></url>\n"
	for name, almostFull := range map[string]func(*Writer){
		"entries": func(w *Writer) { w.entries = MaxEntries - 2 },
		"bytes":   func(w *Writer) { w.bytes = MaxBytes - 2*len(line) },
	} {
		w := NewWriter(io.Discard, URLSet)
		almostFull(w)
		for i, want := range []error{nil, nil, ErrFull, ErrFull} {
			if err := w.Write("https://example.com/", time.Time{}); !errors.Is(err, want) {
				t.Errorf("%s: entry %d: error %v, want %v", name, i+1, err, want)
			}
		}
		if err := w.Close(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestWriterKeepsErrors(t *testing.T) {
	r, out := io.Pipe()
	broken := errors.New("broken")
	if err := r.CloseWithError(broken); err != nil {
		t.Fatal(err)
	}
	w := NewWriter(out, URLSet)
	for range 2 {
		if err := w.Write("https://example.com/", time.Time{}); !errors.Is(err, broken) {
			t.Errorf("error %v", err)
		}
	}
	if err := w.Close(); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
}

// Whatever is written is read back, and a strict check finds nothing.
func FuzzWriter(f *testing.F) {
	for _, loc := range []string{"https://example.com/?a=1&b=2", `http://a.example/'"<>]]>&amp;`, "https://müller.example/ä b", "ftp://a.example/%zz", "http://a.example/\\^`{|}?5%#`", "http://u:p@[::1]:8080/#x"} {
		f.Add(loc, int64(1732320000), false)
		f.Add(loc, int64(1732320001), true)
	}
	f.Fuzz(func(t *testing.T, loc string, seconds int64, index bool) {
		format := URLSet
		if index {
			format = Index
		}
		var b bytes.Buffer
		w := NewWriter(&b, format)
		lastMod := time.Unix(seconds, 0)
		if err := w.Write(loc, lastMod); err != nil {
			if !errors.Is(err, ErrInvalidEntry) || b.Len() > 0 {
				t.Fatalf("%v after %q", err, b.String())
			}
			return
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		valid, err := location([]byte(loc))
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		opts := &Options{Strict: true, OnFinding: func(f Finding) { t.Fatalf("%v in\n%s", &f, b.String()) }}
		for e, err := range Read(bytes.NewReader(b.Bytes()), opts) {
			if n++; err != nil || e.Loc != escape(valid) || !e.LastMod.Equal(lastMod) || e.Sitemap != index {
				t.Fatalf("%q as %+v, %v", loc, e, err)
			}
		}
		if n != 1 {
			t.Fatalf("%d entries", n)
		}
	})
}
