package report

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext/sitemap"
)

// indexableURLs are indexable pages without a crawl.
func indexableURLs(urls ...string) *Indexable {
	x := &Indexable{Fetched: len(urls)}
	for _, url := range slices.Sorted(slices.Values(urls)) {
		x.Pages = append(x.Pages, IndexablePage{URL: url})
	}
	return x
}

// numbered returns URLs in the order of their text.
func numbered(n int) []string {
	urls := make([]string, n)
	for i := range urls {
		urls[i] = fmt.Sprintf("%s/%06d", example, i)
	}
	return urls
}

// readSitemaps reads all files below a directory: the locations by file name. No file has a
// finding.
func readSitemaps(t *testing.T, dir string) map[string][]string {
	t.Helper()
	files := make(map[string][]string)
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		file, err := os.Open(path)
		if err != nil {
			return err
		}
		opts := &sitemap.Options{
			OnFinding: func(f sitemap.Finding) { t.Errorf("%s: %v", name, &f) },
			OnEnd: func(s sitemap.Summary) {
				if want := strings.Count(name, ".gz"); s.GzipLayers != want {
					t.Errorf("%s has %d layers of gzip", name, s.GzipLayers)
				}
			},
		}
		for e, err := range sitemap.Read(file, opts) {
			if err == nil {
				files[name] = append(files[name], e.Loc)
			}
		}
		return file.Close()
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestWriteSitemapsOfOneOrigin(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "public", "site")
	c := worker(func(c *crawl) {
		c.page("/z?a=1&b='2'", output.Page{})
		c.page("/caf%C3%A9", output.Page{Headers: map[string]string{"last-modified": "Fri, 01 May 2009 10:00:00 GMT"}})
	})
	_, x := indexable(t, c.write(t))
	got, err := x.WriteSitemaps(t.Context(), dir, false)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "sitemap.xml")
	if diff := cmp.Diff([]WrittenSitemap{{example, path, example + "/sitemap.xml", 2, 1, nil}}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
  <url><loc>https://example.com/caf%C3%A9</loc><lastmod>2009-05-01T10:00:00Z</lastmod></url>
  <url><loc>https://example.com/z?a=1&amp;b=&apos;2&apos;</loc></url>
</urlset>
`
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Files of an earlier sitemap that are not replaced are named.
func TestWriteSitemapsNamesUnusedFiles(t *testing.T) {
	dir := t.TempDir()
	for _, tt := range []struct {
		pages    int
		compress bool
		unused   []string
	}{
		{sitemap.MaxEntries + 1, false, nil},
		{1, false, []string{"sitemap-1.xml", "sitemap-2.xml"}},
		{sitemap.MaxEntries + 1, true, []string{"sitemap-1.xml", "sitemap-2.xml"}},
		{1, true, []string{"sitemap-1.xml", "sitemap-1.xml.gz", "sitemap-2.xml", "sitemap-2.xml.gz", "sitemap.xml"}},
	} {
		for _, name := range []string{"sitemap-a.xml", "sitemap-1.txt", "my-sitemap.xml"} {
			if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		written, err := indexableURLs(numbered(tt.pages)...).WriteSitemaps(t.Context(), dir, tt.compress)
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for _, name := range tt.unused {
			want = append(want, filepath.Join(dir, name))
		}
		if diff := cmp.Diff(want, written[0].Unused); diff != "" {
			t.Errorf("%d pages, compressed %t (-want +got):\n%s", tt.pages, tt.compress, diff)
		}
	}
}

// A file has at most 50,000 URLs; an index lists the files.
func TestWriteSitemapsWithIndex(t *testing.T) {
	urls := numbered(sitemap.MaxEntries + 1)
	for _, compress := range []bool{false, true} {
		t.Run(fmt.Sprint(compress), func(t *testing.T) {
			if testing.Short() && !compress {
				t.Skip("compressed files suffice")
			}
			ext := ""
			if compress {
				ext = ".gz"
			}
			dir := t.TempDir()
			got, err := indexableURLs(urls...).WriteSitemaps(t.Context(), dir, compress)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]WrittenSitemap{{example, filepath.Join(dir, "sitemap.xml"), example + "/sitemap.xml", len(urls), 2, nil}}, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			want := map[string][]string{
				"sitemap.xml":         {example + "/sitemap-1.xml" + ext, example + "/sitemap-2.xml" + ext},
				"sitemap-1.xml" + ext: urls[:sitemap.MaxEntries],
				"sitemap-2.xml" + ext: urls[sitemap.MaxEntries:],
			}
			if diff := cmp.Diff(want, readSitemaps(t, dir)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}

			// A smaller site has no index.
			if got, err = indexableURLs(urls[1:]...).WriteSitemaps(t.Context(), dir, compress); err != nil || got[0].Files != 1 || got[0].URLs != sitemap.MaxEntries {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
}

// A sitemap lists pages of one origin only, whatever their order.
func TestWriteSitemapsOfSeveralOrigins(t *testing.T) {
	dir := t.TempDir()
	byOrigin := map[string]string{
		"http://example.com": "http_example.com", "https://example.com": "https_example.com", "https://example.com:8443": "https_example.com,8443",
		"https://example.com.au": "https_example.com.au", "https://example": "https_example",
	}
	var urls []string
	want := make(map[string][]string)
	for origin, name := range byOrigin {
		for _, path := range []string{"/", "/-", "/z"} {
			urls = append(urls, origin+path)
			want[name+"/sitemap.xml"] = append(want[name+"/sitemap.xml"], origin+path)
		}
	}
	got, err := indexableURLs(urls...).WriteSitemaps(t.Context(), dir, false)
	if err != nil || len(got) != len(byOrigin) {
		t.Fatalf("%+v, %v", got, err)
	}
	for _, s := range got {
		if s.Path != filepath.Join(dir, byOrigin[s.Origin], "sitemap.xml") || s.URL != s.Origin+"/sitemap.xml" || s.URLs != 3 {
			t.Errorf("%+v", s)
		}
	}
	if diff := cmp.Diff(want, readSitemaps(t, dir)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWriteSitemapsWithoutPages(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	if _, err := indexableURLs().WriteSitemaps(t.Context(), dir, false); !errors.Is(err, ErrNoPages) {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("directory: %v", err)
	}
}

// If a file cannot be written, the earlier index remains, and no temporary file.
func TestWriteSitemapsLeavesEarlierIndexAfterFailure(t *testing.T) {
	dir := t.TempDir()
	if _, err := indexableURLs(example+"/").WriteSitemaps(t.Context(), dir, false); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "sitemap-2.xml")
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	urls := numbered(sitemap.MaxEntries + 1)
	if _, err := indexableURLs(urls...).WriteSitemaps(t.Context(), dir, false); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("error %v", err)
	}
	want := map[string][]string{"sitemap.xml": {example + "/"}, "sitemap-1.xml": urls[:sitemap.MaxEntries]}
	if diff := cmp.Diff(want, readSitemaps(t, dir)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The same crawl gives the same bytes.
func TestWriteSitemapsIsDeterministic(t *testing.T) {
	urls := numbered(1000)
	dir := t.TempDir()
	var first []byte
	for range 2 {
		if _, err := indexableURLs(urls...).WriteSitemaps(t.Context(), dir, true); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(dir, "sitemap.xml.gz"))
		if err != nil || first != nil && !slices.Equal(first, text) {
			t.Errorf("%d bytes, %d before; %v", len(text), len(first), err)
		}
		first = text
		slices.Reverse(urls)
	}
}
