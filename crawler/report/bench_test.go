package report

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/results"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext/usage"
)

// BenchmarkGenerate makes the report of a crawl of 100,000 pages (or REPORT_PAGES) with 20 links
// each, all listed in a sitemap (with REPORT_BROKEN=all none of them exists), by one worker and by three. Three workers have one page of a
// thousand twice, and all have skipped the same URLs, one for ten pages.
func BenchmarkGenerate(b *testing.B) {
	pages := 100_000
	if text := os.Getenv("REPORT_PAGES"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			b.Fatal(err)
		}
		pages = n
	}
	for _, workers := range []int{1, 3} {
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) { benchmarkMake(b, pages, workers) })
	}
}

func benchmarkMake(b *testing.B, pages, workers int) {
	dirs := benchmarkCrawl(b, pages, workers)
	before := heap()
	for b.Loop() {
		m := loadModel(b, dirs...)
		b.ReportMetric(float64(heap()-before)/float64(pages), "B/URL")
		if err := m.find(); err != nil {
			b.Fatal(err)
		}
		r := m.report()
		if err := r.WriteHTML(io.Discard); err != nil {
			b.Fatal(err)
		}
		if r.Summary.Pages != pages || r.Summary.Rejected != pages/10 {
			b.Fatalf("%+v", r.Summary)
		}
	}
	b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)/float64(pages)*1e6, "µs/page")
}

// benchmarkCrawl makes the directories of the workers.
func benchmarkCrawl(b *testing.B, pages, workers int) []string {
	b.Helper()
	var dirs []string
	var out []*results.Dir
	for i := range workers {
		dirs = append(dirs, filepath.Join(b.TempDir(), strconv.Itoa(i)))
		d, err := results.Create(dirs[i], map[string]any{"version": results.Version, "config": map[string]any{"links": true}, "ended": CrawlEnd{End: "finished"}})
		if err != nil {
			b.Fatal(err)
		}
		out = append(out, d)
	}
	write := func(worker int, batch *results.Batch, err error) {
		if err := errors.Join(err, out[worker].Write(batch)); err != nil {
			b.Fatal(err)
		}
	}
	for i := range pages {
		var batch results.Batch
		page, links := benchmarkPage(i, pages)
		write(i%workers, &batch, errors.Join(results.Pages.Add(&batch, page), results.Links.Add(&batch, links),
			results.Entries.Add(&batch, &output.Entry{URL: page.URL, Sitemap: "https://host-0.example/sitemap.xml"}), results.Permissions.Add(&batch, benchmarkPermission(page, i))))
		if workers > 1 && i%1000 == 0 {
			again := *page
			again.FetchedAt = again.FetchedAt.Add(time.Minute)
			var batch results.Batch
			write((i+1)%workers, &batch, errors.Join(results.Pages.Add(&batch, &again), results.Links.Add(&batch, links)))
		}
		if i%10 > 0 {
			continue
		}
		for worker := range workers {
			var batch results.Batch
			away := &output.Rejection{URL: fmt.Sprintf("https://away-%d.example/", i), Reason: output.OutOfScope, Depth: i % 9, FoundOn: page.URL, Source: "link"}
			write(worker, &batch, results.Rejected.Add(&batch, away))
		}
	}
	for _, d := range out {
		if err := d.Close(); err != nil {
			b.Fatal(err)
		}
	}
	return dirs
}

// benchmarkPage is one page of many, with its links.
func benchmarkPage(i, pages int) (*output.Page, *output.Links) {
	url := func(i int) string {
		return fmt.Sprintf("https://host-%d.example/section/%d/page-%d.html", i%100, i%1000, i)
	}
	page := &output.Page{
		URL: url(i), Status: 200, Title: "Page " + strconv.Itoa(i), Depth: i % 9, FoundOn: url(i / 2), Source: "link", ContentType: "text/html",
		Bytes: 20_000 + i, Links: 20, FetchedAt: at(i), DurationMS: int64(i % 700), Attempt: 1, Hash: fmt.Sprintf("%016x", i-i%50/49),
	}
	switch broken := os.Getenv("REPORT_BROKEN") == "all"; {
	case broken, i%50 == 7:
		page.Status = 404
	case i%50 == 8:
		page.Status, page.Location = 301, url(i+1)
	}
	links := &output.Links{URL: page.URL}
	for j := range 20 {
		links.To = append(links.To, output.Link{URL: url((i*31 + j*17) % pages)})
	}
	return page, links
}

// benchmarkPermission is what a page may be used for. Every host says something, and one page of
// twenty too.
func benchmarkPermission(page *output.Page, i int) *output.Permission {
	statements := []usage.Statement{inRobots(usage.KindContentSignal, "search=yes, ai-train=no"), inRobots(usage.KindContentUsage, "train-ai=n")}
	if i%20 == 0 {
		statements = append(statements, inHeader("train-ai=y"))
	}
	p := permission(page.URL, statements...)
	p.FetchedAt = page.FetchedAt
	return &p
}

// heap returns the number of bytes in use.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
