package crawler

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// A page is decoded by its byte order mark, otherwise by the header, otherwise by what it declares.
func TestEncodingOfAPage(t *testing.T) {
	const utf16 = "\xff\xfe<\x00t\x00i\x00t\x00l\x00e\x00>\x00\xe9\x00"
	tests := []struct{ name, contentType, page, title string }{
		{"header", "text/html; charset=ISO-8859-1", "<title>\xe9", "é"},
		{"quoted header", `text/html; charset="shift_jis"`, "<title>\x93\xfa\x96{", "日本"},
		{"header and declaration", "text/html; charset=windows-1251", "<meta charset=utf-8><title>\xe9", "й"},
		{"declaration", "text/html", "<meta charset=windows-1251><title>\xe9", "й"},
		{"mark and header", "text/html; charset=iso-8859-1", utf16, "é"},
		{"mark of UTF-8 and header", "text/html; charset=iso-8859-1", "\xef\xbb\xbf<title>é", "é"},
		{"UTF-8 in the header", "text/html; charset=UTF8", "<meta charset=windows-1251><title>é", "é"},
		{"nothing, and valid UTF-8", "text/html", "<title>é", "é"},
		{"nothing, and not UTF-8", "text/html", "<title>\xe9", "é"},
		{"UTF-8 in a header joined from two", "text/html; charset=utf-8,text/html", "<!--" + strings.Repeat("-", 1024) + "--><title>é</title>\xe9", "é"},
		{"UTF-8 under a wrong name", "text/html; charset=UTF-8mb4", "<!--" + strings.Repeat("-", 1024) + "--><title>é</title>\xe9", "é"},
		{"declaration of ISO-2022-JP", "text/html", "<meta charset=iso-2022-jp><title>\x1b$BF|K\\\x1b(B", "日本"},
		{"unknown name", "text/html; charset=klingon", "<title>é", "é"},
	}
	s, links := newSite(t, "127.0.0.1", nil), ""
	for i, test := range tests {
		path := fmt.Sprint("/", i)
		links += "<a href=" + path + ">"
		s.handle(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", test.contentType)
			_, _ = w.Write([]byte(test.page))
		})
	}
	s.page("/", links)
	got := runCrawl(t, testConfig(t, s.url+"/"), nil)
	for i, test := range tests {
		if page := pageOf(t, got, fmt.Sprint(s.url, "/", i)); strings.TrimPrefix(page.Title, "\ufeff") != test.title || page.Bytes != len(test.page) {
			t.Errorf("%s: title %q, %d bytes", test.name, page.Title, page.Bytes)
		}
	}
}
