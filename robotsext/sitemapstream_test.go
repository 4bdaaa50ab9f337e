package robotsext_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/sitemap"
)

// broken yields what it has and then an error.
type broken struct {
	io.Reader
	err error
}

func (b broken) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if err == io.EOF {
		err = b.err
	}
	return n, err
}

// A file that breaks off is read on where it did, and what is wrong with it is
// told once.
func TestSitemapBreaksOff(t *testing.T) {
	whole := urlset(siteA+"/a", siteA+"/b", siteA+"/c")
	whole = strings.Replace(whole, "</url>", "<priority>7</priority></url>", 1)
	whole = strings.Replace(whole, siteA+"/c</loc>", siteA+"/c</loc><lastmod>soon</lastmod>", 1)
	plain, packed := []byte(whole), zip([]byte(whole))
	for name, test := range map[string]struct {
		body  []byte
		cut   int
		times int // how often it breaks off
		pages int // that are read if it always does
	}{
		"in the first entry":       {plain, 80, 1, 0},
		"between entries":          {plain, strings.Index(whole, siteA+"/b"), 1, 0},
		"ROB-SMP-11/gzip":          {packed, len(packed) / 2, 1, 0},
		"ROB-POL-08/three times":   {plain, strings.Index(whole, siteA+"/c"), 3, 0},
		"ROB-POL-08/for good":      {plain, strings.Index(whole, siteA+"/c"), 9, 2},
		"ROB-POL-08/gzip for good": {packed, len(packed) / 2, 9, 0},
	} {
		t.Run("ROB-SMP-24/ROB-SMP-22/"+name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				asked := 0
				var told []string
				var files []robotsext.SitemapFile
				r := newRobots(t, &robotsext.Options{
					Sitemaps: robotsext.SitemapOptions{
						OnFile:    func(f robotsext.SitemapFile) { files = append(files, f) },
						OnFinding: func(_ string, f sitemap.Finding) { told = append(told, string(f.Kind)) },
					},
					Transport: roundTripper(func(req *http.Request) (*http.Response, error) {
						resp, _ := reply{status: 200}.RoundTrip(req)
						if req.URL.Path == "/robots.txt" {
							resp.Body = io.NopCloser(strings.NewReader("Sitemap: " + siteA + "/1.xml"))
							return resp, nil
						}
						var body io.Reader = bytes.NewReader(test.body)
						if asked++; asked <= test.times {
							body = broken{bytes.NewReader(test.body[:test.cut]), io.ErrUnexpectedEOF}
						}
						resp.Body = io.NopCloser(body)
						return resp, nil
					}),
				})
				var pages []string
				var errs []error
				for entry, err := range r.Sitemaps(t.Context(), rootA) {
					if err != nil {
						errs = append(errs, err)
						continue
					}
					pages = append(pages, entry.Loc)
					if entry.File != siteA+"/1.xml" {
						t.Errorf("entry %+v", entry)
					}
				}
				want := []string{string(sitemap.BadPriority), string(sitemap.BadLastMod)}
				if test.times > 3 {
					if len(errs) != 1 || !errors.Is(errs[0], sitemap.Unreadable) || files[0].Attempts != 4 {
						t.Errorf("errors %v, files %+v", errs, files)
					}
					unreadable := slices.DeleteFunc(told, func(s string) bool { return s != string(sitemap.Unreadable) })
					if len(pages) != test.pages || len(unreadable) != 1 {
						t.Errorf("pages %q, told %q", pages, told)
					}
					return
				}
				wantPages(t, pages, "/a", "/b", "/c")
				if len(errs) > 0 || !slices.Equal(told, want) || len(files) != 1 || !files[0].Summary.Complete {
					t.Errorf("errors %v, told %q, files %+v", errs, told, files)
				}
			})
		})
	}
}

// Entries come as they arrive, and the answer is received to its end however long
// their reader takes.
func TestSitemapStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var ended time.Duration
		body := &endless{wait: time.Second, next: func(i int) string {
			switch {
			case i == 0:
				return strings.TrimSuffix(urlset(), "</urlset>")
			case i <= 60:
				return strings.TrimSpace(locs("url", []string{fmt.Sprintf("%s/%d", siteA, i)}))
			}
			if ended == 0 {
				ended = time.Since(start)
			}
			return "</urlset>"
		}}
		n := 0
		for _, err := range served(t, body, robotsext.Options{Sitemaps: robotsext.SitemapOptions{Delay: -1}}).Sitemaps(t.Context(), rootA) {
			wantOK(t, err)
			if n++; n == 1 && time.Since(start) > 5*time.Second {
				t.Errorf("the first entry came after %s", time.Since(start))
			}
			time.Sleep(time.Hour)
		}
		if n != 60 || ended != 62*time.Second {
			t.Errorf("%d entries, all received after %s", n, ended)
		}
	})
}

// What a slow reader has not read yet is kept as it came, and no more than a file
// may have.
func TestSitemapMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		body := &endless{next: func(int) string { return siteA + "/" + strings.Repeat("x", 1000) + "\n" }}
		before, after := heap(), uint64(0)
		for _, err := range served(t, body, robotsext.Options{}).Sitemaps(t.Context(), rootA) {
			wantOK(t, err)
			time.Sleep(time.Minute)
			after = heap()
			break
		}
		if held := int64(after) - int64(before); held > sitemap.MaxBytes+8<<20 {
			t.Errorf("%d MiB are held", held>>20)
		}
		if *body.over != 1 {
			t.Error("the answer was not closed")
		}
	})
}
