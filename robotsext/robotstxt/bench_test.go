package robotstxt

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/temoto/robotstxt"
)

// typical is a file of 2 KB as a shop or a blog has it.
func typical() []byte {
	var b strings.Builder
	b.WriteString("# robots.txt\n\nUser-agent: *\n")
	for p := range strings.FieldsSeq("/admin/ /cart /checkout /account/ /login /search /*?sort= /*?page= /*.json$ /tmp/ /private/ /api/ /internal/ /cgi-bin/ /wp-admin/ /feed/ /trackback/ /comments/ /tag/*/page/ /*&session=") {
		b.WriteString("Disallow: " + p + "\n")
	}
	b.WriteString("Allow: /wp-admin/admin-ajax.php\nAllow: /api/public/\nCrawl-delay: 1\n\n")
	for a := range strings.FieldsSeq("GPTBot CCBot Google-Extended anthropic-ai Bytespider PerplexityBot ClaudeBot Amazonbot Applebot-Extended FacebookBot") {
		b.WriteString("User-agent: " + a + "\n")
	}
	b.WriteString("Disallow: /\n\n")
	for a := range strings.FieldsSeq("Googlebot Bingbot Slurp DuckDuckBot") {
		b.WriteString("# " + a + "\nUser-agent: " + a + "\n")
		for i := range 8 {
			fmt.Fprintf(&b, "Disallow: /section-%d/drafts/\n", i)
		}
		b.WriteString("Allow: /section-1/drafts/public/\n\n")
	}
	b.WriteString("Sitemap: https://www.example.com/sitemap.xml\nSitemap: https://www.example.com/news/sitemap.xml\n")
	return []byte(b.String())
}

// honest is a file of 500 KiB of rules that differ early.
func honest() []byte {
	var b strings.Builder
	b.WriteString("User-agent: *\n")
	for i := 0; b.Len() < DefaultMaxBytes-64; i++ {
		fmt.Fprintf(&b, "Disallow: /shop/item-%d/review\n", i*7919%100003)
	}
	return []byte(b.String())
}

// wildcards is a file of 500 KiB of short rules with stars.
func wildcards() []byte {
	var b strings.Builder
	b.WriteString("User-agent: *\n")
	for i := 0; b.Len() < DefaultMaxBytes-64; i++ {
		fmt.Fprintf(&b, "Disallow: /*a*%d*b\n", i)
	}
	return []byte(b.String())
}

// stars is a file of 254 rules of 1,000 stars.
func stars() []byte {
	return []byte("User-agent: *\n" + strings.Repeat("Disallow: /"+strings.Repeat("*a", 1000)+"b\n", 254))
}

// agents is a file that is half User-agent lines and half rules, all of them in
// one group.
func agents(size int) []byte {
	var b strings.Builder
	for i := 0; b.Len() < size/2; i++ {
		fmt.Fprintf(&b, "User-agent: bot%s\n", strings.ToLower(letters(i)))
	}
	for i := 0; b.Len() < size-32; i++ {
		fmt.Fprintf(&b, "Disallow: /x%d\n", i)
	}
	return []byte(b.String())
}

func letters(i int) string {
	s := ""
	for ; i > 0; i /= 26 {
		s += string(rune('A' + i%26))
	}
	return s
}

func corpus(b *testing.B) (files [][]byte, size int64) {
	names, err := filepath.Glob(filepath.Join(shared, "robots-corpus", "*.txt"))
	if err != nil || len(names) == 0 {
		b.Skip("the corpus of real files is not here")
	}
	for _, name := range names {
		body, err := os.ReadFile(name)
		if err != nil {
			b.Fatal(err)
		}
		files = append(files, body)
		size += int64(len(body))
	}
	return files, size
}

func BenchmarkParse(b *testing.B) {
	files, size := corpus(b)
	for _, c := range []struct {
		name   string
		bodies [][]byte
		size   int64
	}{
		{"typical", [][]byte{typical()}, int64(len(typical()))},
		{"honest", [][]byte{honest()}, int64(len(honest()))},
		{"wildcards", [][]byte{wildcards()}, int64(len(wildcards()))},
		{"honest with CR", [][]byte{bytes.ReplaceAll(honest(), []byte("\n"), []byte("\r"))}, int64(len(honest()))},
		{"agents64K", [][]byte{agents(64 << 10)}, 64 << 10},
		{"corpus", files, size},
	} {
		b.Run(c.name+"/ours", func(b *testing.B) {
			b.SetBytes(c.size)
			b.ReportAllocs()
			for b.Loop() {
				for _, body := range c.bodies {
					Parse(body, nil)
				}
			}
		})
		b.Run(c.name+"/temoto", func(b *testing.B) {
			b.SetBytes(c.size)
			b.ReportAllocs()
			for b.Loop() {
				for _, body := range c.bodies {
					_, _ = robotstxt.FromBytes(body)
				}
			}
		})
	}
	b.Run("agents500K/ours", func(b *testing.B) {
		body := agents(500 << 10)
		b.SetBytes(int64(len(body)))
		b.ReportAllocs()
		for b.Loop() {
			Parse(body, nil)
		}
	})
}

func BenchmarkMatch(b *testing.B) {
	as := strings.Repeat("a", 2000)
	pairs := "" // of digits, all of them
	for i := range 100 {
		pairs += fmt.Sprintf("%02d", i)
	}
	for _, c := range []struct {
		name, path string
		body       []byte
		temoto     bool // it takes seconds for the others
	}{
		{"typical", "/section-3/articles/how-to-write?ref=home", typical(), true},
		{"honest", "/shop/item-31676/reviews?page=2", honest(), true},
		{"wildcards", "/a/path/1234/that-is-usual.html", wildcards(), true},
		{"wildcards-all-tried", "/ba" + pairs, wildcards(), false},
		{"stars", "/" + as[:500] + "b" + as[:1499], stars(), false},
	} {
		b.Run(c.name+"/ours", func(b *testing.B) {
			g := Parse(c.body, nil).Group("examplebot")
			g.Match("/")
			b.ReportAllocs()
			for b.Loop() {
				g.Match(c.path)
			}
		})
		if !c.temoto {
			continue
		}
		b.Run(c.name+"/temoto", func(b *testing.B) {
			data, err := robotstxt.FromBytes(c.body)
			if err != nil {
				b.Fatal(err)
			}
			g := data.FindGroup("examplebot")
			b.ReportAllocs()
			for b.Loop() {
				g.Test(c.path)
			}
		})
	}
}

// BenchmarkCheck is a verdict from the URL on, and one with all that a file
// costs when it is asked once.
func BenchmarkCheck(b *testing.B) {
	const url = "https://www.example.com/section-3/articles/how-to-write?ref=home"
	b.Run("typical", func(b *testing.B) {
		f := Parse(typical(), nil)
		b.ReportAllocs()
		for b.Loop() {
			f.Check(url, "examplebot")
		}
	})
	for name, body := range map[string][]byte{"typical": typical(), "honest": honest()} {
		b.Run(name+" with its parse", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Parse(body, nil).Check(url, "examplebot")
			}
		})
	}
}
