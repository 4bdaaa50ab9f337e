package extract

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// BenchmarkRead parses a page of 20 KB with 30 links, and real pages. It compares Read with a
// loop over the tokenizer that only lists links.
func BenchmarkRead(b *testing.B) {
	names, pages := []string{"benchmark page"}, [][]byte{benchmarkPage()}
	for _, file := range realPages(b) {
		page, err := os.ReadFile(file)
		if err != nil {
			b.Fatal(err)
		}
		if len(page) >= 10<<10 {
			names, pages = append(names, filepath.Base(file)), append(pages, page)
		}
	}
	for i, page := range pages {
		for _, reader := range []struct {
			name string
			read func([]byte)
		}{
			{"Read", func(page []byte) { readPage(page) }},
			{"tokenizer", func(page []byte) { tokenizerLinks(page) }},
		} {
			b.Run(names[i]+"/"+reader.name, func(b *testing.B) {
				b.SetBytes(int64(len(page)))
				b.ReportAllocs()
				for b.Loop() {
					reader.read(page)
				}
			})
		}
	}
}

func benchmarkPage() []byte {
	var page bytes.Buffer
	page.WriteString("<!doctype html><html><head><title>A page of 20 KB</title></head><body>\n")
	text := strings.Repeat("<p class=\"text\">Words of a page, some <b>bold</b> and some not, as long as a paragraph is.</p>\n", 6)
	for i := range 30 {
		fmt.Fprintf(&page, "<li><a class=\"link\" href=\"/section/page-%d.html?a=%d\">link %d</a>\n%s", i*7919, i, i, text)
	}
	return page.Bytes()
}

func tokenizerLinks(page []byte) (links []string) {
	z := html.NewTokenizer(bytes.NewReader(page))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return links
		case html.StartTagToken:
			name, more := z.TagName()
			if string(name) != "a" {
				continue
			}
			for more {
				var key, value []byte
				key, value, more = z.TagAttr()
				if string(key) == "href" {
					links = append(links, string(value))
				}
			}
		}
	}
}
