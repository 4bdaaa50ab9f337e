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

func TestPatternsOf(t *testing.T) {
	for _, tt := range []struct{ path, fine, coarse string }{
		{"/", "/", "/*"},
		{"/about", "/*", "/*"},
		{"/calendar?month=2031-05", "/calendar?month", "/*?+"},
		{"/events/2031/05/", "/events/#/#/", "/*/*/*/*"},
		{"/events/2031-05-17.html", "/events/#-#-#.html", "/*/*"},
		{"/2024/05/some-title", "/#/#/*", "/*/*/*"},
		{"/2024/05/top-10-titles/", "/#/#/*/", "/*/*/*/*"},
		{"/p/123456", "/p/#", "/*/*"},
		{"/p/123456?ref=home", "/p/#?ref", "/*/*?+"},
		{"/blog/page12.html", "/blog/*.html", "/*/*"},
		{"/s/8f3c1a2b9d/index.html", "/s/~/*.html", "/*/*/*"},
		{"/download/0b5c7c1e-9a1f-4a63-8a52-2f1c3d4e5f60", "/download/~", "/*/*"},
		{"/a;jsessionid=0123/b;v=1", "/a;jsessionid/*;v", "/*/*"},
		{"/shop?size=m&color=red", "/shop?color&size", "/*?++"},
		{"/shop?color=red&size=m&page=2", "/shop?+", "/*?+++"},
		{"/shop?f[0]=a&f[1]=b&f[2]=c", "/shop?f[#]", "/*?+"},
		{"/shop?", "/shop", "/*?"},
		{"/index.php?route=product/product&product_id=5", "/index.php?product_id&route", "/*?++"},
		{"/page?sid=1&sid=2", "/page?sid", "/*?+"},
		{"/session/x7Gq2LpTz91KwVb4/", "/session/~/", "/*/*/*"},
		{"/report-2024/q3", "/report-#/*", "/*/*"},
		{"/" + strings.Repeat("long-", 40) + "/a", "/*/* (others)", "/*/*"},
		{"/here/a/b/a/index.html", "/here/**", "/*/*/*/*/*"},
		{"/here/a/b/a/?x=1", "/here/**?x", "/*/*/*/*/*?+"},
		{"/2024/2024/01/x", "/#/#/#/*", "/*/*/*/*"},
		{"/a/b/c/d/e/f/g", "/a/b/c/d/e/f/*", "/*/*/*/*/*/*"},
		{strings.Repeat("/x1/y2", 4000), "/*/*/*/*/*/* (others)", "/*/*/*/*/*/*"},
		{"/a//b", "/a//*", "/*/*/*"},
		{"/%D1%82%D0%B5%D0%BC%D0%B0/7", "/%D1%82%D0%B5%D0%BC%D0%B0/#", "/*/*"},
	} {
		if got := patternsOf("https://a.test:8080" + tt.path); got != [2]string{tt.fine, tt.coarse + coarseSuffix} {
			t.Errorf("patternsOf(%s) = %q, want %q and %q", tt.path, got, tt.fine, tt.coarse)
		}
	}
}

// However a site makes up its URLs, its coarse patterns are few.
func TestCoarsePatternsAreFew(t *testing.T) {
	seen := make(map[string]bool)
	for depth := range 200 {
		for params := range 20 {
			url := "https://a.test" + strings.Repeat("/x", depth)
			for i := range params {
				url += fmt.Sprintf("%c%c%d=1", "?&"[min(i, 1)], 'a'+i, depth)
			}
			seen[patternsOf(url)[1]] = true
		}
	}
	if len(seen) > 4*maxPatternDepth {
		t.Errorf("%d coarse patterns: %v", len(seen), seen)
	}
}

// FuzzPatternsOf holds that a pattern says less than its URL, in a form of its own, and
// that the path of a URL is looked at in time.
func FuzzPatternsOf(f *testing.F) {
	for _, url := range []string{"https://a.test/", "https://a.test/a;b=1/%41%/1?x&&=&y=%", "https://a.test/a/b/a/b", "https://a.test?x", "", "://", ":////////"} {
		f.Add(url)
	}
	f.Fuzz(func(t *testing.T, url string) {
		for i, name := range patternsOf(url) {
			if len(name) > maxPattern || i == 0 && len(name) > 2*len(url)+2 {
				t.Errorf("pattern %d of %q: %q", i, url, name)
			}
		}
	})
}
