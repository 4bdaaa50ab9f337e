package trap

import (
	"fmt"
	"net/url"
	"runtime"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/trap/traptest"
)

// fill counts pages of a pattern until it closes, and returns how many; most: it does not.
func fill(tr *Detector, host frontier.Host, most int, page func(i int) string) int {
	for i := range most {
		url := fmt.Sprintf("%s/x?id=%d", host, i)
		if !tr.Fetched(host, url) {
			continue
		}
		if closed := tr.Judge(host, url, []byte(page(i)), true); closed != nil {
			return closed.Pages
		}
	}
	return most
}

func TestBudget(t *testing.T) {
	nav := "<nav>" + traptest.Prose(1, 200) + "</nav>"
	for _, tt := range []struct {
		name  string
		page  func(i int) string
		least int // pages until it is closed
		most  int
	}{
		{"the same", func(int) string { return nav }, 1090, 1110},
		{"nothing", func(int) string { return "" }, 1090, 1110},
		{"a date", func(i int) string {
			return fmt.Sprintf("%s<h1>%d May %d</h1><p>0%d.05.%d</p>", nav, i%31, 2000+i/31, i%10, i)
		}, 1090, 1110},
		{"a short answer", func(i int) string { return nav + "<p>Nothing is " + traptest.Prose(uint64(i), 3) }, 1090, 1110},
		{"a script", func(i int) string { return nav + "<script>" + traptest.Prose(uint64(i), 300) + "</script>" }, 1090, 1110},
		{"things that were all there", func(i int) string {
			var b strings.Builder
			for k := range 20 {
				b.WriteString("<p>" + traptest.Prose(uint64((i*7+k*13)%1000), 6))
			}
			return nav + b.String()
		}, 1090, 5000},
		{"articles", func(i int) string { return nav + "<p>" + traptest.Prose(uint64(i), 30) }, 6_000, 6_000},
		{"pictures", func(i int) string { return fmt.Sprintf(`%s<img src="/%d.jpg">`, nav, i) }, 6_000, 6_000},
		{"tables", func(i int) string {
			b := nav + "<table>"
			for k := range 30 {
				b += fmt.Sprintf("<td>%d.%d", (i*31+k*17)%997, (i*i+k)%9973)
			}
			return b
		}, 3000, 3000},
		{"one of ten is there", func(i int) string {
			return nav + []string{"<p>" + traptest.Prose(uint64(i), 30), "<p>gone"}[min(i/4%10, 1)]
		}, 6_000, 6_000},
		{"one of forty is there", func(i int) string {
			return nav + []string{"<p>" + traptest.Prose(uint64(i), 30), "<p>gone"}[min(i/4%40, 1)]
		}, 1090, 2000},
		{"a thousand in a row are gone, after ten thousand", func(i int) string {
			if i > 10_000 && i < 11_000 {
				return nav
			}
			return nav + "<p>" + traptest.Prose(uint64(i), 30)
		}, 12_000, 12_000},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			pages := tt.most
			if tt.least < tt.most { // it is to be closed by then
				pages += 1000
			}
			if got := fill(New(1000), "https://a.test", pages, tt.page); got < tt.least || got > tt.most {
				t.Errorf("closed after %d pages, want %d to %d", got, tt.least, tt.most)
			}
		})
	}
}

// A host with more patterns than are counted one by one has coarse ones for the rest. One
// of these closes without the others of its shape.
func TestCoarsePatternClosesAlone(t *testing.T) {
	const host = "https://a.test"
	tr := New(20)
	for i := range maxHostPatterns {
		tr.Fetched(host, fmt.Sprintf("%s/%s/page", host, traptest.Slug(i)))
	}
	trap := func(i int) string { return fmt.Sprintf("%s/x-%s/page", host, traptest.Slug(i)) }
	closes := false
	for i := 0; i < 200 && !closes; i++ {
		if tr.Fetched(host, trap(i)) {
			closes = tr.Judge(host, trap(i), nil, true) != nil
		}
	}
	for url, want := range map[string]bool{trap(1000): true, fmt.Sprintf("%s/%s/other", host, traptest.Slug(7)): false, host + "/a/b/c": false} {
		if why := tr.Closed(host, url); why != "" != want {
			t.Errorf("%s is closed: %q, want %t", url, why, want)
		}
	}
}

// A pattern that was closed stays so by whatever name its URLs would be counted now: that
// of a host which has begun anew, since the crawl went on or so many others came, and has
// had its patterns since. A coarse one of the same form is another.
func TestClosedStaysClosed(t *testing.T) {
	const host = "https://a.test"
	for name, forget := range map[string]func(tr *Detector){
		"going on": func(*Detector) {},
		"other hosts": func(tr *Detector) {
			tr.Fetched(host, host+"/calendar?month=1")
			for i := range maxPatterns {
				other := frontier.Host(fmt.Sprintf("h%d.test", i))
				tr.Fetched(other, string(other)+"/")
			}
		},
	} {
		tr := New(20)
		tr.Restore(&ClosedPattern{Host: host, Pattern: "/calendar?month", Pages: 60, Free: 20})
		tr.Restore(&ClosedPattern{Host: host, Pattern: "/*", Pages: 60, Free: 20})
		forget(tr)
		check := func(when string) {
			for path, want := range map[string]bool{"/calendar?month=2": true, "/about": true, "/diary?day=2": false, "/page.html": false} {
				if why := tr.Closed(host, host+path); why != "" != want {
					t.Errorf("%s, %s: %s is closed: %q, want %t", name, when, path, why, want)
				}
			}
		}
		check("at once")
		for i := range maxHostPatterns {
			tr.Fetched(host, fmt.Sprintf("%s/%s/page", host, traptest.Slug(i)))
		}
		if tr.Fetched(host, host+"/page.html"); tr.current[host]["/*"+coarseSuffix] == nil {
			t.Errorf("%s: coarse patterns are not counted", name)
		}
		check("with a thousand patterns")
	}
}

// Of a page that is long, or shows very many things, some are looked at.
func TestItemsAreBounded(t *testing.T) {
	tr := New(1)
	if n := len(tr.items([]byte(strings.Repeat("<p>a thing", 2*maxItems)))); n != maxItems {
		t.Errorf("%d things are looked at", n)
	}
	size := 0
	for _, i := range tr.items([]byte(strings.Repeat("<p>"+strings.Repeat("x", 1000), 2*maxItemBytes/1000))) {
		size += i.size
	}
	if size > maxItemBytes || size < maxItemBytes*9/10 {
		t.Errorf("%d bytes are looked at", size)
	}
}

// However many hosts and patterns there are, traps remember so many.
func TestMemoryIsBounded(t *testing.T) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	tr := New(1)
	for host := range 45_000 {
		h := frontier.Host(fmt.Sprintf("www.host-%d.test", host))
		for i := range 4 {
			for range 2 - min(i, 1) { // the second is looked at
				if url := fmt.Sprintf("%s/some/path/%d?id%c=1", h, i, 'a'+i); tr.Fetched(h, url) {
					tr.Judge(h, url, []byte("<p>text</p>"), true)
				}
			}
		}
	}
	for i := range 3000 {
		tr.Fetched("https://deep.test", "https://deep.test/"+url.PathEscape(traptest.Prose(uint64(i), 1))+"/x")
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if took := int64(after.HeapAlloc) - int64(before.HeapAlloc); took > 100<<20 {
		t.Errorf("%d MiB", took>>20)
	} else {
		t.Logf("%d MiB", took>>20)
	}
	count := 0
	for _, h := range []map[frontier.Host]map[string]*pattern{tr.current, tr.previous} {
		for _, patterns := range h {
			count += 1 + len(patterns)
		}
	}
	if deep := tr.current["https://deep.test"]; count > maxPatterns || len(tr.watched) > maxWatched || len(deep) > maxHostPatterns+1 {
		t.Errorf("%d patterns, %d of them watched, %d of one host", count, len(tr.watched), len(deep))
	}
	runtime.KeepAlive(tr)
}
