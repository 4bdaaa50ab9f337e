package csvout

import (
	"fmt"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// BenchmarkPage measures the cost of the format for a page with 30 links.
func BenchmarkPage(b *testing.B) {
	s, err := Format(nil).Open(b.TempDir(), nil)
	if err != nil {
		b.Fatal(err)
	}
	found := &output.Results{Pages: []*output.Page{{
		URL: "https://www.example.com/section/article-1.html", Status: 200, Title: "An article with a title of common length",
		FoundOn: "https://www.example.com/section/", Source: "link", ContentType: "text/html; charset=utf-8", Hash: "0123456789abcdef",
	}}, Links: []*output.Links{{URL: "https://www.example.com/section/article-1.html"}}}
	for n := range 30 {
		found.Links[0].To = append(found.Links[0].To, output.Link{URL: fmt.Sprintf("https://www.example.com/section/article-%d.html", n)})
	}
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		if err := s.Write(found); err != nil {
			b.Fatal(err)
		}
		if n%100 == 99 {
			if _, err := s.Commit(false); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(31*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
}
