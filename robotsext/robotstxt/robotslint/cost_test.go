package robotslint

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// hostile are files of about n bytes that might keep a linter busy.
func hostile(n int) map[string]string {
	fill := func(size int, head string, line func(i int) string) string {
		var b strings.Builder
		b.WriteString(head)
		for i := 0; b.Len() < size-1200; i++ {
			b.WriteString(line(i))
		}
		return b.String()
	}
	const head = "User-agent: *\n"
	agents := func(size int) string {
		return fill(size, "", func(i int) string { return "User-agent: " + letters(i) + "\n" })
	}
	rules := func(size int) string {
		return fill(size, "", func(i int) string { return fmt.Sprintf("Allow: /%d\n", i) })
	}
	return map[string]string{
		"empty lines":     strings.Repeat("\n", n),
		"no colon":        strings.Repeat("a\n", n/2),
		"one long line":   head + "Disallow: /" + strings.Repeat("*a", n/2),
		"one rule":        fill(n, head, func(int) string { return "Allow:/\n" }),
		"short wildcards": fill(n, head, func(i int) string { return fmt.Sprintf("Disallow: /*a*%d*b\n", i) }),
		"stars":           fill(n, head, func(i int) string { return "Disallow: /" + strings.Repeat("*a", 100+i) + "b\n" }),
		"runs of stars": fill(n/2, head, func(i int) string { return fmt.Sprintf("Disallow: /%s%d\n", strings.Repeat("*", n/20), i) }) +
			fill(n/2, "", func(i int) string { return fmt.Sprintf("Disallow: /*%d\n", i) }),
		"nested": fill(n, head, func(i int) string { return "Disallow: /" + strings.Repeat("a", i%1000) + "\n" }),
		"nested, both kinds": fill(n, head, func(i int) string {
			return []string{"Disallow: /", "Allow: /"}[i%2] + strings.Repeat("a", i%1000) + "*\n"
		}),
		"queries":     fill(n, head, func(i int) string { return []string{"Disallow: /a?", "Allow: /a"}[i%2] + fmt.Sprintf("%d*:\n", i) }),
		"one agent":   strings.Repeat("User-agent: a\nDisallow: /\n", n/27),
		"many agents": agents(n/2) + rules(n/2),
		"groups that overlap": agents(n/4) + rules(n/4) + fill(n/2, "", func(i int) string {
			return "User-agent: " + letters(i) + "\nAllow: /x\n"
		}),
		"sitemaps": fill(n, "", func(i int) string { return fmt.Sprintf("Sitemap: /%d\n", i) }),
		"usage lines": fill(n, head, func(i int) string {
			return []string{"Content-Usage: /", "Disallow: /", "Content-Signal: /"}[i%3] + fmt.Sprintf("%d* train-ai=n,ai-train=yes\n", i)
		}),
		"usage lines of many groups": fill(n, "", func(i int) string {
			return "User-agent: *\nUser-agent: " + letters(i) + "\nContent-Usage: train-ai=n\nDisallow: /" + letters(i) + "\n"
		}),
		"usage lines with long paths": fill(n, head, func(i int) string { return "Content-Usage: /" + strings.Repeat("*a", 500) + letters(i) + " search=y\n" }),
		"usage lines that contradict": fill(n, head, func(i int) string {
			return []string{"Content-Usage: search=y\n", "Content-Signal: search=no\n"}[i%2]
		}),
		"usage lines of many paths": fill(n, head, func(i int) string {
			return fmt.Sprintf("Content-Usage: /%d search=%s\n", i, []string{"y", "n"}[i%2])
		}),
		"one line of many signals": head + "Content-Signal: " + strings.Repeat("a=yes,", n/6),
		"one line of many labels":  head + "Content-Usage: " + strings.Repeat("a=n,", n/4) + "b=n",
		"NUL":                      strings.Repeat("\x00a", n/2),
		"not UTF-8":                strings.Repeat("Disallow: /\xff\r", n/13),
	}
}

// TestCost holds that the search for redundant rules ends when no steps remain: what it takes beyond
// them is a few steps for each rule. The checks of usage lines end too: otherwise they take minutes.
func TestCost(t *testing.T) {
	large := hostile(500 << 10)
	for name, body := range hostile(64 << 10) {
		if strings.HasPrefix(name, "usage lines") {
			body = large[name]
		}
		l := &linter{opts: &Options{}, found: map[class]int{}, source: read([]byte(body), len(body), false), file: robotstxt.Parse([]byte(body), nil), steps: 20_000}
		began := time.Now()
		l.usage()
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("ROB-EXT-05: %s: usage lines take %v", name, took)
		}
		if l.redundant(); l.steps < -4*mostRules {
			t.Errorf("ROB-MAT-03: %s: %d steps beyond the limit", name, -l.steps)
		}
	}
}

func BenchmarkHostile(b *testing.B) {
	for name, body := range hostile(500 << 10) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			for b.Loop() {
				Lint([]byte(body), nil)
			}
		})
	}
}

// letters is a number in letters.
func letters(n int) string {
	s := ""
	for {
		s += string(rune('a' + n%26))
		if n /= 26; n == 0 {
			return s
		}
	}
}
