package robotsext_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
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
		cut := reply{status: 200, open: func(context.Context) io.ReadCloser {
			return io.NopCloser(broken{bytes.NewReader(test.body[:test.cut]), io.ErrUnexpectedEOF})
		}}
		answers := map[string][]reply{
			"/robots.txt": robotsListing(siteA + "/1.xml"),
			"/1.xml":      append(slices.Repeat([]reply{cut}, test.times), ok(string(test.body))...),
		}
		onWeb(t, "ROB-SMP-24/ROB-SMP-22/"+name, answers, func(t *testing.T, w *web) {
			pages, errs := w.sitemaps(robotsext.Options{})
			if test.times > 3 {
				unreadable := slices.DeleteFunc(w.findings, func(f finding) bool { return f.kind != sitemap.Unreadable })
				if len(errs) != 1 || !errors.Is(errs[0], sitemap.Unreadable) || w.files[0].Attempts != 4 || len(pages) != test.pages || len(unreadable) != 1 {
					t.Errorf("pages %q, errors %v, files %+v, findings %v", pages, errs, w.files, w.findings)
				}
				return
			}
			wantPages(t, pages, "/a", "/b", "/c")
			wantErrors(t, errs)
			want := []sitemap.Kind{sitemap.BadPriority, sitemap.BadLastMod}
			if !slices.EqualFunc(w.findings, want, func(f finding, kind sitemap.Kind) bool { return f.kind == kind }) || len(w.files) != 1 || !w.files[0].Summary.Complete {
				t.Errorf("findings %v, files %+v", w.findings, w.files)
			}
		})
	}
}

// Entries come as they arrive, and the answer is received to its end however long
// their reader takes.
func TestSitemapStreams(t *testing.T) {
	var start time.Time
	var ended time.Duration
	body := &endless{wait: time.Second, next: func(i int) string {
		switch {
		case i == 0:
			return strings.TrimSuffix(urlset(), "</urlset>")
		case i <= 60:
			return locs("url", []string{fmt.Sprintf("%s/%d", siteA, i)})
		}
		if ended == 0 {
			ended = time.Since(start)
		}
		return "</urlset>"
	}}
	onWeb(t, "ROB-SMP-24", body.serving(), func(t *testing.T, w *web) {
		start = w.start
		n := 0
		for _, err := range w.robots(noDelay).Sitemaps(t.Context(), rootA) {
			wantOK(t, err)
			if n++; n == 1 {
				w.after(0, 5*time.Second)
			}
			time.Sleep(time.Hour)
		}
		if n != 60 || ended != 64*time.Second {
			t.Errorf("%d entries, all received after %s", n, ended)
		}
	})
}

// What a slow reader has not read yet is kept as it came, and no more than a file
// may have.
func TestSitemapMemory(t *testing.T) {
	line := siteA + "/" + strings.Repeat("x", 1000) + "\n"
	body := &endless{next: func(int) string { return strings.Repeat(line, 64) }}
	onWeb(t, "ROB-SMP-12", body.serving(), func(t *testing.T, w *web) {
		before, after := heap(), uint64(0)
		for _, err := range w.robots(robotsext.Options{}).Sitemaps(t.Context(), rootA) {
			wantOK(t, err)
			time.Sleep(time.Minute)
			after = heap()
			break
		}
		if held := int64(after) - int64(before); held > sitemap.MaxBytes+8<<20 {
			t.Errorf("%d MiB are held", held>>20)
		}
		if body.closed != 1 {
			t.Error("the answer was not closed")
		}
	})
}
