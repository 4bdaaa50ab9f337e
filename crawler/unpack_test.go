package crawler

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// codings are the content codings that pages may have.
var codings = []string{"gzip", "br", "zstd"}

// packed returns text compressed with gzip.
func packed(t *testing.T, text []byte) []byte { return encode(t, "gzip", text) }

// encode returns text with a content coding.
func encode(t *testing.T, coding string, text []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	var z io.WriteCloser
	switch coding {
	case "gzip":
		z, _ = gzip.NewWriterLevel(&b, gzip.BestSpeed)
	case "br":
		z = brotli.NewWriterLevel(&b, brotli.BestSpeed)
	case "zstd":
		var err error
		z, err = zstd.NewWriter(&b, zstd.WithEncoderConcurrency(1))
		must(t, err)
	}
	_, err := z.Write(text)
	must(t, errors.Join(err, z.Close()))
	return b.Bytes()
}

// Bodies are decompressed before colly gets them, since colly has no limit for that.
func TestUnpackLeavesNothingToColly(t *testing.T) {
	page := []byte("<title>a page</title>")
	once := packed(t, make([]byte, 4<<20))
	twice := packed(t, once)
	s := newSite(t, "127.0.0.1", nil)
	var urls []string
	for _, answer := range []struct {
		path, coding, kind string
		body               []byte
	}{
		{"/gzip", "gzip", "text/html", packed(t, page)},
		{"/x-gzip", "X-Gzip", "text/html", packed(t, page)},
		{"/br", "br", "text/html", encode(t, "br", page)},
		{"/zstd", "zstd", "text/html", encode(t, "zstd", page)},
		{"/identity", "identity", "text/html", page},
		{"/charset", "UTF-8", "text/html", page},
		{"/twice", "gzip, gzip", "text/plain", twice},
		{"/br-twice", "br, br", "text/html", encode(t, "br", encode(t, "br", page))},
		{"/br-and-zstd", "br, zstd", "text/html", encode(t, "zstd", encode(t, "br", page))},
		{"/bad-br", "br", "text/html", page},
		{"/bad-zstd", "zstd", "text/html", page},
		{"/bomb.xml.gz", "deflate", "text/html", once},
		{"/archive.gz", "", "application/gzip", once},
		{"/archive.xml.gz", "gzip", "text/html", twice},
		{"/none", "br", "text/html", nil},
		{"/gone", "compress", "text/html", []byte("as compress writes it")},
	} {
		urls = append(urls, s.url+answer.path)
		s.handle(answer.path, func(w http.ResponseWriter, r *http.Request) {
			if accepted := r.Header.Get("Accept-Encoding"); accepted != "gzip, br, zstd" {
				t.Errorf("Accept-Encoding: %q", accepted)
			}
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
	got := runCrawl(t, testConfig(t, urls...), nil)
	for _, p := range got.pages {
		if p.Truncated != "" && p.URL != s.url+"/twice" {
			t.Errorf("%s is truncated by %s", p.URL, p.Truncated)
		}
		switch path := strings.TrimPrefix(p.URL, s.url); path {
		case "/gzip", "/x-gzip", "/br", "/zstd", "/identity", "/charset", "/br-twice", "/br-and-zstd":
			if p.Title != "a page" {
				t.Errorf("%s: %+v", path, p)
			}
		case "/none", "/gone":
		case "/twice":
			if p.Truncated != "ratio" {
				t.Errorf("a bomb has %d bytes", p.Bytes)
			}
		case "/archive.gz", "/archive.xml.gz": // an archive is taken as it is
			if p.Bytes > 100_000 {
				t.Errorf("%s: %d bytes", path, p.Bytes)
			}
		default:
			t.Errorf("%s was read: %+v", path, p)
		}
	}
	for path, coding := range map[string]string{
		"/bomb.xml.gz": "the body is not valid deflate: ",
		"/bad-br":      "the body is not valid brotli\n", "/bad-zstd": "the body is not valid zstd: invalid input: magic number mismatch",
	} {
		if r := got.refusal(t, s.url+path); r.Reason != output.Failed || !strings.Contains(r.Detail+"\n", coding) {
			t.Errorf("%+v", r)
		}
	}
	if got.Pages != 13 {
		t.Errorf("%d pages", got.Pages)
	}
}
