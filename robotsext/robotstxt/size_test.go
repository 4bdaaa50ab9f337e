package robotstxt

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// TestSize holds the estimate against the memory that is really kept once the
// file has been asked for everything: it may be several times too much, where
// rules turn out simple or shared, but hardly too little.
func TestSize(t *testing.T) {
	numbered := func(format string) []byte {
		var b strings.Builder
		b.WriteString("user-agent:*\n")
		for i := 0; b.Len() < 200_000; i++ {
			fmt.Fprintf(&b, format, letters(i+1))
		}
		return []byte(b.String())
	}
	for name, body := range map[string][]byte{
		"typical":          typical(),
		"honest":           honest(),
		"honest with CR":   bytes.ReplaceAll(honest(), []byte("\n"), []byte("\r")),
		"wildcards":        wildcards(),
		"stars":            stars(),
		"agents":           agents(200_000),
		"names":            numbered("user-agent:%s\n"),
		"names and rules":  numbered("user-agent:%s\nallow:/\n"),
		"names and fields": numbered("user-agent:%s\nx:\n"),
		"fields":           numbered("%s:x\n"),
		"fields with CR":   []byte(strings.Repeat("x:\r", 100_000)),
		"garbage":          numbered("%s\n"),
		"bad values":       []byte(strings.Repeat("crawl-delay:"+strings.Repeat("x", 100)+"\n", 2000)),
		"sitemaps":         numbered("sitemap:http://h/%s\n"),
		"both indexes":     numbered("disallow:/*2*?:ä%s\n"),
		"escapes":          numbered("disallow:/%%2Fü%s\n"),
		"signals":          numbered("content-signal:a=y,%s=n\n"),
		"short signals":    []byte("user-agent:x\ncontent-signal:" + strings.Repeat("a=,", 100_000)),
		"usages":           numbered("content-usage:a=y,%s=n\nclean-param:a&%[1]s\nallow:/\n"),
	} {
		t.Run("ROB-FMT-20/"+name, func(t *testing.T) {
			var f *File
			kept := retained(func() {
				f = Parse(body, nil)
				for _, agent := range append(f.Agents(), "x") {
					g := f.Group(agent)
					if g.set != nil {
						g.compiled()
					}
					g.Match("/x?a=/b")
					g.ContentUsage("/x")
					g.ContentSignals("/x")
				}
				f.CleanURL("http://h/x?a=b")
			})
			size := f.Size()
			if kept > size*5/4+2048 || size > 4*kept+2048 {
				t.Errorf("%d bytes kept of a body of %d, estimated as %d", kept, len(body), size)
			}
			runtime.KeepAlive(f)
		})
	}
	t.Run("ROB-FMT-20/the same before and after a verdict", func(t *testing.T) {
		f, g := Parse(wildcards(), nil), Parse(wildcards(), nil)
		f.Check("/x?a=/b", "x")
		if f.Size() != g.Size() {
			t.Errorf("%d and %d", f.Size(), g.Size())
		}
	})
}

// retained returns how many bytes more are in use after f.
func retained(f func()) int {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&before)
	f()
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&after)
	return int(after.HeapAlloc) - int(before.HeapAlloc)
}
