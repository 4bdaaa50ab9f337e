package robotstxt

import (
	"bytes"
	"fmt"
	neturl "net/url"
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

// rules is a file of n such rules.
func rules(n int) []byte {
	body := honest()
	for i := range body {
		if body[i] == '\n' {
			if n--; n < 0 {
				return body[:i+1]
			}
		}
	}
	return body
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

// escapes is a file of 500 KiB of rules that have no canonical form as written.
func escapes() []byte {
	var b strings.Builder
	b.WriteString("User-agent: *\n")
	for i := 0; b.Len() < DefaultMaxBytes-64; i++ {
		fmt.Fprintf(&b, "Disallow: /%%2f?a=/%d\n", i)
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

// corpus returns the files of real sites, none where they are not at hand.
func corpus(b *testing.B) (files [][]byte) {
	names, err := filepath.Glob(filepath.Join(shared, "robots-corpus", "*.txt"))
	if err != nil {
		b.Fatal(err)
	}
	for _, name := range names {
		body, err := os.ReadFile(name)
		if err != nil {
			b.Fatal(err)
		}
		files = append(files, body)
	}
	return files
}

// benchmarkBoth measures ours beside temoto's. Each of the two gets a function to
// measure; temoto's is left out where it would take seconds.
func benchmarkBoth(b *testing.B, name string, size int64, ours, temoto func()) {
	for _, who := range []struct {
		name string
		f    func()
	}{{"ours", ours}, {"temoto", temoto}} {
		if who.f == nil {
			continue
		}
		b.Run(name+"/"+who.name, func(b *testing.B) {
			b.SetBytes(size)
			b.ReportAllocs()
			for b.Loop() {
				who.f()
			}
		})
	}
}

// crawler is the crawler that asks for rules. No file names it.
const crawler = "examplebot"

// BenchmarkParse is what a file costs before anybody asks it for anything.
func BenchmarkParse(b *testing.B) { benchmarkFiles(b, false) }

// BenchmarkFirst is parsing and one verdict: what parsing leaves to the first
// question is in it.
func BenchmarkFirst(b *testing.B) { benchmarkFiles(b, true) }

func benchmarkFiles(b *testing.B, ask bool) {
	const path = "/section-3/articles/how-to-write?ref=home"
	files := corpus(b)
	for _, c := range []struct {
		name   string
		bodies [][]byte
	}{
		{"typical", [][]byte{typical()}},
		{"honest", [][]byte{honest()}},
		{"honest-CR", [][]byte{bytes.ReplaceAll(honest(), []byte("\n"), []byte("\r"))}},
		{"wildcards", [][]byte{wildcards()}},
		{"escapes", [][]byte{escapes()}},
		{"corpus", files},
	} {
		if len(c.bodies) == 0 {
			b.Log("the corpus of real files is not here")
			continue
		}
		size := 0
		for _, body := range c.bodies {
			size += len(body)
		}
		benchmarkBoth(b, c.name, int64(size), func() {
			for _, body := range c.bodies {
				if f := Parse(body, nil); ask {
					f.Check("https://www.example.com"+path, crawler)
				}
			}
		}, func() {
			for _, body := range c.bodies {
				if data, err := robotstxt.FromBytes(body); err == nil && ask {
					data.TestAgent(path, crawler)
				}
			}
		})
	}
}

// BenchmarkAgents is parsing a file that is half User-agent lines and half rules.
func BenchmarkAgents(b *testing.B) {
	for _, kib := range []int{16, 32, 64, 128, 256, 500} {
		body := agents(kib << 10)
		temoto := func() { _, _ = robotstxt.FromBytes(body) }
		if kib > 64 {
			temoto = nil
		}
		benchmarkBoth(b, fmt.Sprintf("%dK", kib), int64(len(body)), func() { Parse(body, nil) }, temoto)
	}
}

// BenchmarkMatch is a verdict on a file that has been asked before.
func BenchmarkMatch(b *testing.B) {
	as := strings.Repeat("a", 2000)
	pairs := "" // of digits, all of them
	for i := range 100 {
		pairs += fmt.Sprintf("%02d", i)
	}
	for _, c := range []struct {
		name, path string
		body       []byte
		temoto     bool
	}{
		{"typical", "/section-3/articles/how-to-write?ref=home", typical(), true},
		{"honest", "/shop/item-31676/reviews?page=2", honest(), true},
		{"wildcards", "/a/path/1234/that-is-usual.html", wildcards(), true},
		{"wildcards-all-tried", "/ba" + pairs, wildcards(), true},
		{"stars", "/" + as[:500] + "b" + as[:1499], stars(), false},
		{"stars-2000-a", "/" + as, stars(), false},
		{"rules-10", "/shop/item-31676/reviews?page=2", rules(10), true},
		{"rules-10000", "/shop/item-31676/reviews?page=2", rules(10000), true},
	} {
		benchmarkMatch(b, c.name, c.body, c.path, c.temoto)
	}
}

func benchmarkMatch(b *testing.B, name string, body []byte, path string, both bool) {
	g := Parse(body, nil).Group(crawler)
	g.compiled().index.grow() // as it is after some questions
	var temoto func()
	if both {
		data, err := robotstxt.FromBytes(body)
		if err != nil {
			b.Fatal(err)
		}
		group := data.FindGroup(crawler)
		temoto = func() { group.Test(path) }
	}
	benchmarkBoth(b, name, 0, func() { g.Match(path) }, temoto)
}

// BenchmarkCheck is a verdict from the URL on.
func BenchmarkCheck(b *testing.B) {
	const url = "https://www.example.com/section-3/articles/how-to-write?ref=home"
	f := Parse(typical(), nil)
	data, err := robotstxt.FromBytes(typical())
	if err != nil {
		b.Fatal(err)
	}
	benchmarkBoth(b, "typical", 0, func() { f.Check(url, crawler) }, func() {
		if u, err := neturl.Parse(url); err == nil {
			data.TestAgent(u.RequestURI(), crawler)
		}
	})
}

// BenchmarkGrowth is a verdict by one rule of many stars on paths that are longer
// and longer, and by rules of more and more stars.
func BenchmarkGrowth(b *testing.B) {
	file := func(stars int) []byte {
		return []byte("User-agent: *\nDisallow: /" + strings.Repeat("*a", stars) + "b\n")
	}
	for _, length := range []int{1000, 2000, 4000, 8000, 16000} {
		benchmarkMatch(b, fmt.Sprintf("length-%d", length), file(100), "/ab"+strings.Repeat("a", length), false)
	}
	for _, stars := range []int{32, 64, 128, 256, 512} {
		benchmarkMatch(b, fmt.Sprintf("stars-%d", stars), file(stars), "/ab"+strings.Repeat("a", 16000), false)
	}
}
