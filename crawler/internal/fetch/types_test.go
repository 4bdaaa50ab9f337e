package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/politecrawl/politecrawl/crawler/internal/mimetype"
)

func TestParseTypes(t *testing.T) {
	for _, test := range []struct {
		text string
		ok   bool
	}{
		{"text/html", true}, {"TEXT/HTML", true}, {"text/*", true}, {"application/xhtml+xml", true}, {"application/vnd.ms-excel", true},
		{"", false}, {"html", false}, {"/", false}, {"text/", false}, {"/html", false}, {"*/*", false}, {"*/html", false}, {"*", false}, {"text/h*", false},
		{"text/html; charset=utf-8", false}, {"text/html/x", false}, {" text/html", false}, {"text /html", false}, {"text/html,text/plain", false}, {"text/ü", false},
	} {
		types, err := ParseTypes([]string{"a/b", test.text})
		if (err == nil) != test.ok || err == nil && !strings.EqualFold(types[1], test.text) || err != nil && !strings.Contains(err.Error(), "is not a media type") {
			t.Errorf("%q: %q, %v", test.text, types, err)
		}
	}
}

func TestAcceptTypes(t *testing.T) {
	for _, test := range []struct {
		types, media string
		want         bool
	}{
		{"", "image/png", true},
		{"text/html", "text/html", true},
		{"Text/HTML", "text/html", true},
		{"text/html", "text/plain", false},
		{"text/html", "application/xhtml+xml", false},
		{"text/*", "text/x", true},
		{"text/*", "textual/x", false},
		{"text/html image/*", "image/png", true},
	} {
		types, err := ParseTypes(strings.Fields(test.types))
		must(t, err)
		if got := types.Accept(test.media); got != test.want {
			t.Errorf("%q accept %q: %t", test.types, test.media, got)
		}
	}
}

// FuzzParseTypes: a media type that is parsed accepts itself, and so does its range.
func FuzzParseTypes(f *testing.F) {
	for _, text := range []string{"text/html", "text/*", "a/b;c", "*/*"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		types, err := ParseTypes([]string{text})
		if err != nil {
			return
		}
		media := strings.ToLower(strings.Replace(text, "/*", "/x", 1))
		name, _, _ := strings.Cut(media, "/")
		if !types.Accept(media) || !(Types{name + "/*"}).Accept(media) {
			t.Errorf("%q does not accept %q", types, media)
		}
	})
}

// The type that browsers determine decides whether a body is read.
func TestTypeDecidesAboutBody(t *testing.T) {
	const page, text = "<!doctype html><title>x</title>", "text"
	for _, test := range []struct {
		contentType []string
		body        string
		other       string // the type if the body is not read
	}{
		{[]string{"Text/HTML;charset=utf-8"}, text, ""},
		{[]string{"text/html; charset=\""}, text, ""},
		{[]string{" text/html ; x"}, text, ""},
		{[]string{"text/html, text/html"}, text, ""},
		{[]string{"text/plain, text/html"}, text, ""},
		{[]string{"text/plain", "text/html"}, text, ""},
		{[]string{"text/html", "charset=utf-8"}, text, ""},
		{[]string{"text/html", "text/plain"}, page, "text/plain"},
		{[]string{"text/plain"}, page, "text/plain"},
		{[]string{"application/xhtml+xml"}, page, "application/xhtml+xml"},
		{[]string{"*/*"}, page, ""},
		{[]string{"*/*"}, text, "text/plain"},
		{[]string{"unknown/unknown"}, page, ""},
		{[]string{"html"}, page, ""},
		{[]string{";"}, page, ""},
		{[]string{";"}, text, "text/plain"},
		{[]string{"application/unknown"}, "", ""},
		{nil, page, ""},
	} {
		resp := &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": test.contentType}, Body: io.NopCloser(strings.NewReader(test.body))}
		got := Response{limit: 1 << 20}
		got.readBody(resp, Types{"text/html"}, nil, -1)
		if got.OtherType != test.other || test.other == "" && string(got.Body) != test.body {
			t.Errorf("%q, %q: type %q, body %q", test.contentType, test.body, got.OtherType, got.Body)
		}
	}
}

// A body without a Content-Type is read unchanged if its beginning is of a type to read, whatever
// the sizes of reads, and little more than what decides about the type otherwise.
func TestSniffedBody(t *testing.T) {
	types := Types{"text/html"}
	page, picture := "<!doctype html>"+strings.Repeat("text ", 1000), "\x89PNG\r\n\x1a\n"+strings.Repeat("x", 10000)
	for _, test := range []struct{ name, body, want, other string }{
		{"page", page, page, ""},
		{"short page", "<html>", "<html>", ""},
		{"empty body", "", "", ""},
		{"picture", picture, "", "image/png"},
		{"short text", "x", "", "text/plain"},
	} {
		for name, wrap := range map[string]func(io.Reader) io.Reader{"whole": func(r io.Reader) io.Reader { return r }, "bytes": iotest.OneByteReader, "data with the end": iotest.DataErrReader} {
			in := strings.NewReader(test.body)
			resp := &http.Response{StatusCode: http.StatusOK, Header: make(http.Header), Body: io.NopCloser(wrap(in))}
			got := Response{limit: 1 << 20}
			got.readBody(resp, types, nil, -1)
			if _, err := resp.Body.Read(make([]byte, 1)); string(got.Body) != test.want || err != io.EOF || got.OtherType != test.other {
				t.Errorf("%s, %s: %v, %+v", test.name, name, err, got)
			}
			if read := len(test.body) - in.Len(); test.other != "" && read > 2*mimetype.HeaderSize {
				t.Errorf("%s, %s: %d bytes read", test.name, name, read)
			}
		}
	}
	lost := io.ErrClosedPipe
	resp := &http.Response{StatusCode: http.StatusOK, Header: make(http.Header), Body: io.NopCloser(io.MultiReader(strings.NewReader("<html>"), iotest.ErrReader(lost)))}
	(&Response{limit: 1 << 20}).readBody(resp, types, nil, -1)
	if _, err := resp.Body.Read(make([]byte, 1)); !errors.Is(err, lost) {
		t.Errorf("a lost connection: %v", err)
	}
}

// A small body of another type is read and dropped, so that the next request uses its connection. A
// body of unknown or larger size closes it. A decoder gets none of either.
func TestConnectionsOfOtherTypes(t *testing.T) {
	const picture = "\x89PNG\r\n\x1a\n"
	for _, test := range []struct {
		name, kind, coding string
		size               int
		chunked            bool
		conns              int
	}{
		{"small", "image/png", "", maxDropped, false, 1},
		{"empty", "image/png", "", 0, false, 1},
		{"without a Content-Type", "", "", maxDropped, false, 1},
		{"with a content coding", "image/svg+xml", "gzip", maxDropped, false, 1},
		{"large", "image/png", "", 1 << 20, false, 10},
		{"a byte too large", "image/png", "", maxDropped + 1, false, 10},
		{"of unknown size", "image/png", "", 1 << 10, true, 10},
	} {
		for _, proto := range []int{1, 2} {
			t.Run(fmt.Sprintf("%s over HTTP/%d", test.name, proto), func(t *testing.T) {
				var mu sync.Mutex
				conns := make(map[string]bool)
				server, base := http2Site(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					mu.Lock()
					conns[r.RemoteAddr] = true
					mu.Unlock()
					w.Header()["Content-Type"] = nil
					if test.kind != "" {
						w.Header().Set("Content-Type", test.kind)
					}
					if test.coding != "" {
						w.Header().Set("Content-Encoding", test.coding)
					}
					body := make([]byte, test.size)
					copy(body, picture)
					if !test.chunked {
						w.Header().Set("Content-Length", strconv.Itoa(test.size))
					}
					_, _ = w.Write(body[:len(body)/2])
					w.(http.Flusher).Flush()
					_, _ = w.Write(body[len(body)/2:])
					if test.chunked {
						<-r.Context().Done() // the end has not arrived when the client closes the body
					}
				}))
				if proto == 1 {
					base = withoutHTTP2(base)
					t.Cleanup(base.CloseIdleConnections)
				}
				transport := testTransport(t, base)
				transport.cfg.Types = Types{"text/html"}
				for i := range 10 {
					page := Response{limit: 1 << 20}
					req, err := http.NewRequestWithContext(context.WithValue(t.Context(), responseKey{}, &page), http.MethodGet, fmt.Sprint(server.URL, "/", i), nil)
					must(t, err)
					resp, err := transport.RoundTrip(req)
					must(t, err)
					if _, err := resp.Body.Read(make([]byte, 1)); len(page.Body) > 0 || err != io.EOF || resp.ProtoMajor != proto || (page.OtherType == "") != (test.size == 0 && test.kind == "") {
						t.Errorf("%v, HTTP/%d, %+v", err, resp.ProtoMajor, page)
					}
					if err := resp.Body.Close(); err != nil {
						t.Error(err)
					}
				}
				mu.Lock()
				defer mu.Unlock()
				if n := len(conns); n != test.conns {
					t.Errorf("%d connections for 10 responses, want %d", n, test.conns)
				}
			})
		}
	}
}
