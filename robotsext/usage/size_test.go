package usage

import (
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// The estimate is at least about the memory that a parsed file keeps, and not many times as much.
func TestTDMRepSize(t *testing.T) {
	list := func(n int, rule func(i int) string) string {
		rules := make([]string, n)
		for i := range rules {
			rules[i] = rule(i)
		}
		return "[" + strings.Join(rules, ",") + "]"
	}
	retained(func() {}) // the first measurement allocates
	for name, body := range map[string]string{
		"no rule":        "[]",
		"one rule":       `[{"location": "/", "tdm-reservation": 1}]`,
		"shortest rules": list(MaxTDMRepRules, func(int) string { return `{"location":"/"}` }),
		"reservations":   list(MaxTDMRepRules, func(i int) string { return fmt.Sprintf(`{"location": "/%d", "tdm-reservation": %d}`, i, i%2) }),
		"policies": list(MaxTDMRepRules, func(i int) string {
			return fmt.Sprintf(`{"location": "/%d*", "tdm-reservation": 1, "tdm-policy": "https://example.com/policies/%[1]d"}`, i)
		}),
		"ignored rules":   list(MaxTDMRepRules, func(int) string { return `{}` }),
		"wildcards":       list(MaxTDMRepRules, func(i int) string { return fmt.Sprintf(`{"location": "/*a**b*%d*c", "tdm-reservation": 0}`, i) }),
		"escaped paths":   list(MaxTDMRepRules, func(i int) string { return fmt.Sprintf(`{"location": "/%s%d"}`, strings.Repeat("ä", 100), i) }),
		"one long path":   `[{"location": "/` + strings.Repeat("ä", MaxTDMRepBytes/3) + `", "tdm-reservation": 1}]`,
		"a path of stars": `[{"location": "/` + strings.Repeat("*", MaxTDMRepBytes-100) + `", "tdm-reservation": 1}]`,
		"long text":       list(200, func(i int) string { return fmt.Sprintf(`{"location": "/%d", "x": %q}`, i, strings.Repeat("x", 1200)) }),
	} {
		t.Run(name, func(t *testing.T) {
			var parsed *TDMRep
			var err error
			kept := retained(func() { parsed, err = ParseTDMRep([]byte(body)) })
			if err != nil {
				t.Fatal(err)
			}
			size := parsed.Size()
			t.Logf("%d bytes kept of a body of %d, estimated as %d", kept, len(body), size)
			if kept > size*5/4+2048 || size > 4*kept+2048 {
				t.Errorf("%d bytes kept of a body of %d, estimated as %d", kept, len(body), size)
			}
			runtime.KeepAlive(parsed)
		})
	}
	if n := (*TDMRep)(nil).Size(); n != 0 {
		t.Errorf("no file: %d", n)
	}
}

// TestNoSignalAllocatesNothing shows that a page without a signal costs no memory.
func TestNoSignalAllocatesNothing(t *testing.T) {
	tdmrep, err := ParseTDMRep([]byte(`[{"location": "/reserved/", "tdm-reservation": 1}]`))
	if err != nil {
		t.Fatal(err)
	}
	file := robotstxt.Parse([]byte("User-agent: *\nCrawl-delay: 1\nDisallow: /private/\nSitemap: https://example.com/sitemap.xml\n"), nil)
	header := http.Header{
		"Content-Type": {"text/html; charset=utf-8"}, "Cache-Control": {"max-age=60"}, "Etag": {`"x"`},
		"Link": {`<https://example.com/style.css>; rel="preload"; as="style"`},
	}
	elements, tokens := metas("viewport=width=device-width", "description=An article", "og:title=An article", "theme-color=#fff"), []string{"examplebot"}
	if n := testing.AllocsPerRun(100, func() {
		all := FromRobots(file, file.Group(tokens...), "", "/articles/1?page=2")
		if s, ok := tdmrep.Match("/articles/1?page=2"); ok {
			all = append(all, s)
		}
		all = append(all, FromHeader(header, tokens, now)...)
		if Merge(append(all, FromMeta(elements, tokens, now)...)) != nil {
			t.Error("a verdict")
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
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
