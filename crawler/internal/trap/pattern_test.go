package trap

import (
	"fmt"
	"strings"
	"testing"
)

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
