package robotsext_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/gocolly/colly/v2"

	"github.com/politecrawl/politecrawl/robotsext"
)

// typical is a file of the median size of real ones, about 560 bytes.
func typical() string {
	var b strings.Builder
	b.WriteString("User-agent: *\n")
	for i := range 18 {
		fmt.Fprintf(&b, "Disallow: /section-%d/private/\n", i)
	}
	b.WriteString("Sitemap: https://www.example.com/sitemap.xml\n")
	return b.String()
}

// realFiles are real robots.txt files, kept beside the repository.
func realFiles(tb testing.TB) []string {
	tb.Helper()
	names, err := filepath.Glob("../../shared/robots-corpus/*.txt")
	if err != nil || len(names) == 0 {
		if os.Getenv("CI") != "" {
			tb.Fatal("no real robots.txt files beside the repository")
		}
		tb.Skip("no real robots.txt files beside the repository")
	}
	var bodies []string
	for _, name := range names {
		body, err := os.ReadFile(name)
		wantOK(tb, err)
		bodies = append(bodies, string(body))
	}
	return bodies
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// BenchmarkRecordMemory measures what a record in use costs in memory, with its body,
// the parsed file, and the compiled rules.
func BenchmarkRecordMemory(b *testing.B) {
	for _, kind := range []string{"typical", "real"} {
		b.Run(kind, func(b *testing.B) {
			bodies := []string{typical()}
			n := 100_000
			if kind == "real" {
				bodies = realFiles(b)
				n = 10_000
			}
			for b.Loop() {
				var body string
				r, err := robotsext.New(agent, &robotsext.Options{
					Cache:     robotsext.CacheOptions{MaxBytes: 1 << 40},
					Transport: roundTripper(func(req *http.Request) (*http.Response, error) { return reply{status: 200, body: body}.RoundTrip(req) }),
				})
				wantOK(b, err)
				before, text := heap(), 0
				for i := range n {
					body = bodies[i%len(bodies)]
					text += min(len(body), 512_000)
					u := &url.URL{Scheme: "https", Host: fmt.Sprintf("host-%d.example.com", i), Path: "/some/page.html"}
					for range 64 { // until the rules are compiled
						_ = r.Check(b.Context(), u)
					}
				}
				held := float64(heap() - before)
				runtime.KeepAlive(r)
				b.ReportMetric(held/float64(n), "B/record")
				b.ReportMetric(held/float64(text), "B/byte-of-text")
				b.ReportMetric(held/float64(n)*100_000/(1<<20), "MiB/100k")
			}
		})
	}
}

// BenchmarkVisit measures a visit of a page of 4 KB on loopback: by colly without a check, by
// colly with its own check, and by an attached collector.
func BenchmarkVisit(b *testing.B) {
	page := []byte("<html><body>" + strings.Repeat("x", 4<<10) + "</body></html>")
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.URL.Path == "/robots.txt" {
			_, _ = w.Write([]byte(typical()))
			return
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write(page)
	}))
	defer site.Close()
	for _, kind := range []string{"unchecked", "colly", "attached"} {
		b.Run(kind, func(b *testing.B) {
			c := colly.NewCollector(colly.AllowURLRevisit())
			switch kind {
			case "colly":
				c.IgnoreRobotsTxt = false
			case "attached":
				r, err := robotsext.New(agent, nil)
				if err != nil {
					b.Fatal(err)
				}
				r.Attach(c)
			}
			pages := 0
			c.OnResponse(func(*colly.Response) { pages++ })
			n := 0
			b.ReportAllocs()
			for b.Loop() {
				if err := c.Visit(fmt.Sprint(site.URL, "/page/", n)); err != nil {
					b.Fatal(err)
				}
				n++
			}
			if pages != n {
				b.Fatalf("received %d of %d pages", pages, n)
			}
		})
	}
}
