package extract

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

func BenchmarkRead(b *testing.B) {
	page := benchmarkPage()
	b.SetBytes(int64(len(page)))
	b.ReportAllocs()
	for b.Loop() {
		readPage(page)
	}
}

// benchmarkPage is a page of 20 KB with 30 links.
func benchmarkPage() []byte {
	var page bytes.Buffer
	page.WriteString("<!doctype html><html><head><title>A page of 20 KB</title></head><body>\n")
	text := strings.Repeat("<p class=\"text\">Words of a page, some <b>bold</b> and some not, as long as a paragraph is.</p>\n", 6)
	for i := range 30 {
		fmt.Fprintf(&page, "<li><a class=\"link\" href=\"/section/page-%d.html?a=%d\">link %d</a>\n%s", i*7919, i, i, text)
	}
	return page.Bytes()
}
