package crawler

import (
	"bytes"
	"compress/gzip"
	"errors"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// packed returns text compressed with gzip.
func packed(t *testing.T, text []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := z.Write(text)
	must(t, errors.Join(err, z.Close()))
	return b.Bytes()
}

// Bodies are decompressed before colly gets them, since colly has no limit for that.
func TestUnpackLeavesNothingToColly(t *testing.T) {
	page := []byte("<title>a page</title>")
	once := packed(t, make([]byte, 32<<20))
	twice := packed(t, once)
	s := newSite(t, "127.0.0.1", nil)
	for _, answer := range []struct {
		path, coding, kind string
		body               []byte
	}{
		{"/gzip", "gzip", "text/html", packed(t, page)},
		{"/x-gzip", "X-Gzip", "text/html", packed(t, page)},
		{"/identity", "identity", "text/html", page},
		{"/charset", "UTF-8", "text/html", page},
		{"/twice", "gzip, gzip", "text/html", twice},
		{"/br", "br", "text/html", []byte("as br writes it")},
		{"/bomb.xml.gz", "deflate", "text/html", once},
		{"/archive.gz", "", "application/gzip", once},
		{"/archive.xml.gz", "gzip", "text/html", twice},
		{"/none", "br", "text/html", nil},
		{"/gone", "br", "text/html", []byte("as br writes it")},
	} {
		s.handle(answer.path, func(w http.ResponseWriter, _ *http.Request) {
			if answer.coding != "" {
				w.Header().Set("Content-Encoding", answer.coding)
			}
			w.Header().Set("Content-Type", answer.kind)
			if answer.path == "/gone" {
				w.WriteHeader(http.StatusGone)
			}
			_, _ = w.Write(answer.body)
		})
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got := run(t, testConfig(t, s.url+"/gzip", s.url+"/x-gzip", s.url+"/identity", s.url+"/charset", s.url+"/twice", s.url+"/br",
		s.url+"/bomb.xml.gz", s.url+"/archive.gz", s.url+"/archive.xml.gz", s.url+"/none", s.url+"/gone"), nil)
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 32<<20 {
		t.Errorf("%d MiB of memory were taken for some KB that came", took>>20)
	}
	for _, p := range got.pages {
		if p.Truncated != "" {
			t.Errorf("%s is truncated by %s", p.URL, p.Truncated)
		}
		switch path := strings.TrimPrefix(p.URL, s.url); path {
		case "/gzip", "/x-gzip", "/identity", "/charset":
			if p.Title != "a page" {
				t.Errorf("%s: %+v", path, p)
			}
		case "/none", "/gone":
		case "/archive.gz", "/archive.xml.gz": // an archive is taken as it is
			if p.Bytes > 100_000 {
				t.Errorf("%s: %d bytes", path, p.Bytes)
			}
		default:
			t.Errorf("%s was read: %+v", path, p)
		}
	}
	for path, coding := range map[string]string{"/twice": `"gzip, gzip"`, "/br": `"br"`, "/bomb.xml.gz": `"deflate"`} {
		if r := got.refusal(t, s.url+path); r.Reason != output.Failed || !strings.Contains(r.Detail, coding) {
			t.Errorf("%+v", r)
		}
	}
	if got.Pages != 8 {
		t.Errorf("%d pages", got.Pages)
	}
}
