package monitor

import (
	"fmt"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/hostiletest"
	"github.com/politecrawl/politecrawl/crawler/internal/monitortest"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// BenchmarkWrite measures the cost of a page for a monitored crawl.
func BenchmarkWrite(b *testing.B) {
	w := newTestWatch(new(monitortest.Crawl))
	pages := make([]*output.Page, 256)
	for i := range pages {
		pages[i] = &output.Page{
			URL: fmt.Sprintf("https://host-%d.example/a/page/with/a/path/%d", i%100, i), Status: 200,
			Title: "A title of usual length, of a page", Bytes: 20000, DurationMS: 120, FetchedAt: time.Now(),
		}
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if err := w.Write(&output.Results{Pages: pages[i%256 : i%256+1]}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkLook measures the cost of one second with viewers and the longest lists.
func BenchmarkLook(b *testing.B) {
	w := newTestWatch(new(monitortest.Crawl))
	w.enter()
	if err := w.Write(hostiletest.Found()); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		w.refresh(true)
	}
}
