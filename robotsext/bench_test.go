package robotsext_test

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

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
		if err != nil {
			tb.Fatal(err)
		}
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

// fill has a Robots know n origins, with the bodies in turn as files, and checks a page
// of each as often as it takes until the rules are compiled. It returns the text held.
func fill(tb testing.TB, r *robotsext.Robots, n int, bodies []string, current *string) (text int64) {
	tb.Helper()
	for i := range n {
		*current = bodies[i%len(bodies)]
		u := &url.URL{Scheme: "https", Host: fmt.Sprintf("host-%d.example.com", i), Path: "/some/page.html"}
		for range 64 {
			_ = r.Check(tb.Context(), u)
		}
		text += int64(min(len(*current), 512_000))
	}
	return text
}

func serving(current *string) http.RoundTripper {
	return roundTripper(func(req *http.Request) (*http.Response, error) {
		return reply{status: 200, body: *current}.RoundTrip(req)
	})
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
				var current string
				r, err := robotsext.New(agent, &robotsext.Options{Transport: serving(&current), Cache: robotsext.CacheOptions{MaxBytes: 1 << 40}})
				if err != nil {
					b.Fatal(err)
				}
				before := heap()
				text := fill(b, r, n, bodies, &current)
				held := int64(heap() - before)
				runtime.KeepAlive(r)
				b.ReportMetric(float64(held)/float64(n), "B/record")
				b.ReportMetric(float64(held)/float64(text), "B/byte-of-text")
				b.ReportMetric(float64(held)/float64(n)*100_000/(1<<20), "MiB/100k")
			}
		})
	}
}
