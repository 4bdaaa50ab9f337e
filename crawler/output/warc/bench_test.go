package warc

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// BenchmarkWrite writes pages of 20 KB of text with all their records.
func BenchmarkWrite(b *testing.B) {
	for _, level := range []int{gzip.BestSpeed, gzip.DefaultCompression} {
		for _, sent := range []string{"plain", "gzip"} {
			b.Run(fmt.Sprintf("level=%d/%s", level, sent), func(b *testing.B) {
				f := pagesOf(100, 20<<10, sent == "gzip")
				s, err := Format(&Options{Level: max(level, 0) + 6*min(1, max(0, -level))}).Open(b.TempDir(), nil)
				if err != nil {
					b.Fatal(err)
				}
				total := 0
				for _, x := range f.Exchanges {
					total += len(x.Body)
				}
				b.SetBytes(int64(total))
				b.ReportAllocs()
				for n := 0; b.Loop(); n++ {
					for i, x := range f.Exchanges { // another payload each time
						copy(x.Body[len(x.Body)-16:], fmt.Sprintf("%016d", n*len(f.Exchanges)+i))
					}
					if err := s.Write(f); err != nil {
						b.Fatal(err)
					}
					if _, err := s.Commit(false); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.N*len(f.Pages))/b.Elapsed().Seconds(), "pages/s")
				if err := s.Close(); err != nil {
					b.Fatal(err)
				}
			})
		}
	}
}

// pagesOf returns pages of about size bytes of text, with 30 links each.
func pagesOf(count, size int, packed bool) *output.Results {
	random := rand.New(rand.NewPCG(1, 2))
	words := make([]string, 2000)
	for i := range words {
		words[i] = fmt.Sprintf("%x", random.Uint32N(1<<(8+i%20)))
	}
	f := new(output.Results)
	for n := range count {
		var body bytes.Buffer
		body.WriteString("<!doctype html><title>page</title><p>")
		for body.Len() < size {
			fmt.Fprintf(&body, "%s ", words[random.IntN(len(words))])
		}
		content := body.Bytes()
		if packed {
			var b bytes.Buffer
			w := gzip.NewWriter(&b)
			w.Write(content)
			w.Close()
			content = b.Bytes()
		}
		url := fmt.Sprintf("https://example.com/section/page-%d", n)
		links := &output.Links{URL: url}
		for i := range 30 {
			links.To = append(links.To, output.Link{URL: fmt.Sprintf("https://example.com/section/page-%d", n*30+i)})
		}
		f.Links = append(f.Links, links)
		f.Pages = append(f.Pages, &output.Page{URL: url, Status: 200, Depth: 3, Source: "link", FoundOn: "https://example.com/"})
		f.Exchanges = append(f.Exchanges, &output.Exchange{
			URL: url, StartedAt: time.Unix(1_700_000_000, 0), Addr: "192.0.2.1", Proto: "HTTP/2.0",
			Request:  fmt.Appendf(nil, "GET /section/page-%d HTTP/1.1\r\nHost: example.com\r\nUser-Agent: Test/1\r\nAccept-Encoding: gzip\r\n\r\n", n),
			Response: []byte("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nDate: Tue, 14 Nov 2023 22:13:20 GMT\r\nServer: test\r\nCache-Control: max-age=60\r\n\r\n"),
			Status:   200, Body: content,
		})
	}
	return f
}
