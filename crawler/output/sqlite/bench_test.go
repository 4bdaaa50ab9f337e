package sqlite

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// article returns the URL of a benchmark page.
func article(n int) string {
	return fmt.Sprintf("https://www.example.com/section-%d/articles/%08x/some-words-of-the-title-%d.html", n%50, uint32(n)*2654435761, n)
}

// site returns the results of a crawl of a typical site: each page has 30 links, half of them
// common to all pages, and one in ten to a new page.
type site struct{ pages, known int }

func (s *site) found(pages int) *output.Results {
	f := new(output.Results)
	for range pages {
		from := article(s.pages)
		s.pages++
		l := &output.Links{URL: from}
		for n := range 30 {
			switch {
			case n < 15:
				l.To = append(l.To, output.Link{URL: article(n)})
			case n < 18 || s.known == 0:
				l.To = append(l.To, output.Link{URL: article(s.known)})
				s.known++
			default:
				l.To = append(l.To, output.Link{URL: article(rand.IntN(s.known))})
			}
		}
		f.Links = append(f.Links, l)
		f.Pages = append(f.Pages, &output.Page{
			URL: from, Status: 200, Title: "An article with a title of common length", Depth: 3, FoundOn: article(0), Source: "link",
			ContentType: "text/html; charset=utf-8", Bytes: 20480, Links: 30, FetchedAt: time.Now(), DurationMS: 12, Attempt: 1, Hash: "0123456789abcdef",
		})
	}
	return f
}

// BenchmarkPage measures the cost of the format for a page with 30 links, by the number of pages
// in a commit.
func BenchmarkPage(b *testing.B) {
	for _, together := range []int{1, 10, 100} {
		for _, power := range []bool{false, true} {
			b.Run(fmt.Sprintf("together=%d/power=%t", together, power), func(b *testing.B) {
				dir := b.TempDir()
				s, err := Format(nil).Open(dir, nil)
				if err != nil {
					b.Fatal(err)
				}
				site := new(site)
				b.ReportAllocs()
				for b.Loop() {
					b.StopTimer()
					f := site.found(together)
					b.StartTimer()
					if err := s.Write(f); err != nil {
						b.Fatal(err)
					}
					if _, err := s.Commit(power); err != nil {
						b.Fatal(err)
					}
				}
				pages := float64(site.pages)
				if err := s.Close(); err != nil {
					b.Fatal(err)
				}
				info, err := os.Stat(filepath.Join(dir, File))
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(31*pages/b.Elapsed().Seconds(), "rows/s")
				b.ReportMetric(float64(b.Elapsed().Microseconds())/pages, "µs/page")
				b.ReportMetric(float64(info.Size())/pages, "B/page")
			})
		}
	}
}
