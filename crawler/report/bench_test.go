package report

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// BenchmarkMake makes the report of a crawl of 100,000 pages (REPORT_PAGES in the
// environment: of so many) with 20 links each, all listed in a sitemap.
func BenchmarkMake(b *testing.B) {
	pages := 100_000
	if text := os.Getenv("REPORT_PAGES"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			b.Fatal(err)
		}
		pages = n
	}
	dir := b.TempDir()
	d, err := output.Create(dir, map[string]any{"ended": Ending{End: "finished"}})
	if err != nil {
		b.Fatal(err)
	}
	url := func(i int) string {
		return fmt.Sprintf("https://host-%d.example/section/%d/page-%d.html", i%100, i%1000, i)
	}
	entries, err := os.Create(filepath.Join(dir, output.EntriesFile))
	if err != nil {
		b.Fatal(err)
	}
	for i := range pages {
		var batch output.Batch
		page := &output.Page{
			URL: url(i), Status: 200, Title: "Page " + strconv.Itoa(i), Depth: i % 9, Via: url(i / 2), Source: "link", ContentType: "text/html",
			Bytes: 20_000 + i, Links: 20, FetchedAt: at(i), Millis: int64(i % 700), Attempt: 1,
		}
		switch i % 50 {
		case 7:
			page.Status = 404
		case 8:
			page.Status, page.Location = 301, url(i+1)
		}
		links := &output.Links{URL: url(i)}
		for j := range 20 {
			links.To = append(links.To, url((i*31+j*17)%pages))
		}
		line, err := output.Line(nil, output.Entry{URL: url(i), Sitemap: "https://host-0.example/sitemap.xml"})
		if err == nil {
			_, err = entries.Write(line)
		}
		for _, err := range []error{err, batch.Page(page), batch.Links(links), d.Write(&batch)} {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
	for _, err := range []error{entries.Close(), d.Close()} {
		if err != nil {
			b.Fatal(err)
		}
	}
	before := heap()
	for b.Loop() {
		m := &maker{dir: dir, Options: (*Options)(nil).withDefaults(), lines: make(map[string]int)}
		m.begin()
		if err := m.learn(); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(heap()-before)/float64(pages), "B/URL")
		m.conclude()
		if err := m.name(); err != nil {
			b.Fatal(err)
		}
		if err := m.report().WriteHTML(io.Discard); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)/float64(pages)*1e6, "µs/page")
}

// heap is how many bytes are in use.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
