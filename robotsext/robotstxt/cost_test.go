package robotstxt

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// These tests read the same files as the benchmarks.

// TestMatchAllocatesNothing holds for canonical paths, whatever the file, and
// from the lines of the group, its compiled rules, and its prefix tree.
func TestMatchAllocatesNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("it reads large files again and again")
	}
	for name, body := range map[string][]byte{"typical": typical(), "honest": honest(), "wildcards": wildcards(), "empty": nil} {
		for _, path := range []string{"/", "/section-3/drafts/x.html", "/shop/item-31676/review?page=2", "/a/1234b?x=y&z=%C3%A9", "/robots.txt", "/100%", "/a%zz?x=%E", "/%7Bid%7D/%5B1%5D?q=%27%7C"} {
			t.Run("ROB-MAT-26/"+name+" "+path, func(t *testing.T) {
				f := Parse(body, nil)
				g := f.Group("examplebot")
				for _, way := range []struct {
					name    string
					prepare func()
				}{{"lines", func() {}}, {"compiled rules", func() { g.compiled() }}, {"prefix tree", func() { g.compiled().index.grow() }}} {
					if g.set != nil {
						way.prepare()
					}
					if n := testing.AllocsPerRun(1, func() { f.Group("examplebot").Match(path) }); n > 0 {
						t.Errorf("%s: %v allocations", way.name, n)
					}
				}
				url := "https://www.example.com" + path
				if n := testing.AllocsPerRun(10, func() { f.Check(url, "examplebot-news", "examplebot") }); n > 0 {
					t.Errorf("Check: %v allocations", n)
				}
			})
		}
	}
}

// TestMatchCost limits the steps of one verdict, far below one for each rule, and takes the
// verdict: a matcher that goes back would not end.
func TestMatchCost(t *testing.T) {
	rules := func(lines ...string) []byte { return []byte("User-agent: *\n" + strings.Join(lines, "\n")) }
	as := "/" + strings.Repeat("a", 5000)
	for _, c := range []struct {
		name  string
		body  []byte
		path  string
		least int // steps
		most  int
	}{
		{"100 times *a against 5,000 times a", rules("Disallow: /" + strings.Repeat("*a", 100) + "$"), as, 1_400, 1_500},
		{"and no match", rules("Disallow: /" + strings.Repeat("*a", 100) + "b"), as + "b" + as, 2_600, 2_800},
		{"14,000 rules", honest(), "/shop/item-31676/reviews?page=2", 5, 7},
		{"24,000 rules with wildcards", wildcards(), "/a/path/1234/that-is-usual.html", 5_800, 6_100},
		{"24,000 rules, whose octets the path has, but not in pairs", wildcards(), "/a/0/1/2/3/4/5/6/7/8/9/b", 12_000, 13_500},
		{"254 rules of 1,000 stars", stars(), "/" + strings.Repeat("a", 500) + "b" + strings.Repeat("a", 1500), 2_400, 2_600},
		{"a rule 22,259 times over", rules(slices.Repeat([]string{"Disallow:/*aaaaabaaaaa"}, 22259)...), "/" + strings.Repeat("aaaab", 1600), 1_900, 2_100},
		{"18,000 rules alike", alike(), "/" + strings.Repeat("abbaa", 400) + "acbc", 4_800_000, 5_000_000},
		{"18,000 rules alike, without an index", alike(), "/", 18_000, 19_000},
		{"prefixes of each other", rules(nested(900)...), as, 1_400, 1_600},
		{"runs of stars", rules("Disallow: /" + strings.Repeat("*", 400_000) + "b"), "/" + strings.Repeat("a", 100) + "b", 25, 35},
	} {
		t.Run("ROB-MAT-26/"+c.name, func(t *testing.T) {
			g := Parse(c.body, nil).Group("x")
			if g.Match(c.path); c.path != "/" {
				g.compiled().index.grow()
				g.Match(c.path)
			}
			if got := g.Cost(c.path); got < c.least || got > c.most {
				t.Errorf("%d steps, want %d to %d", got, c.least, c.most)
			}
		})
	}
}

// alike is a file of rules with wildcards that only looking at the path can tell
// apart.
func alike() []byte {
	var b strings.Builder
	b.WriteString("User-agent: *\n")
	word := strings.NewReplacer("0", "a", "1", "b")
	for i := 0; b.Len() < DefaultMaxBytes-64; i++ {
		b.WriteString("Disallow:/*" + word.Replace(fmt.Sprintf("%015b", i)) + "c\n")
	}
	return []byte(b.String())
}

// nested makes rules that each begin with the previous one.
func nested(n int) []string {
	var lines []string
	for i := range n {
		lines = append(lines, "Disallow: /"+strings.Repeat("a", i)+"*b$")
	}
	return lines
}

// TestParseGrowth shows that the memory that a file takes grows with its size and no faster, however its
// lines are arranged, and that it is read in one pass: a file of 4 MiB would otherwise take minutes.
func TestParseGrowth(t *testing.T) {
	each := func(line string) func(size int) []byte { // %s is another name in each
		return func(size int) []byte {
			if !strings.Contains(line, "%s") {
				return []byte(strings.Repeat(line, size/len(line)))
			}
			var b strings.Builder
			for i := 0; b.Len() < size; i++ {
				b.WriteString(strings.ReplaceAll(line, "%s", letters(i+1)))
			}
			return []byte(b.String())
		}
	}
	for name, build := range map[string]func(size int) []byte{
		"half agents, half rules":   agents,
		"agents and rules in turn":  each("User-agent: %s\nUser-agent: x\nDisallow: /%s\n"),
		"agents and fields in turn": each("User-agent: %s\nx: y\n"),
		"fields":                    each("x:\n"),
		"CR":                        each("\r"),
		"CR and LF at the end":      func(size int) []byte { return []byte(strings.Repeat("\r", size) + "\n") },
		"CR at the start alone":     func(size int) []byte { return []byte("\r" + strings.Repeat("a\n", size/2)) },
		"garbage":                   each("x\n"),
		"sitemaps":                  each("sitemap: http://h/%s\n"),
		"one sitemap":               each("sitemap: http://h/x\n"),
		"stars":                     func(size int) []byte { return []byte("User-agent: *\nDisallow: " + strings.Repeat("*", size)) },
	} {
		t.Run("ROB-FMT-20/"+name, func(t *testing.T) {
			check := func(size int) uint64 {
				body := build(size)
				return allocated(func() { Parse(body, &Options{MaxBytes: -1}).Check("/x", "x") })
			}
			one := check(32 << 10)
			began := time.Now()
			sixteen := check(512 << 10)
			if !testing.Short() || name == "CR" { // it has the most lines, and none ends in LF
				check(4 << 20)
			}
			if took := time.Since(began); took > 30*time.Second {
				t.Errorf("4 MiB take %v", took)
			}
			if sixteen > 24*one {
				t.Errorf("%d bytes allocated for 32 KiB, %d for 512 KiB", one, sixteen)
			}
			if sixteen > 40*512<<10 {
				t.Errorf("%d bytes allocated for 512 KiB", sixteen)
			}
		})
	}
	t.Run("ROB-MAT-26/dot segments", func(t *testing.T) {
		began, n := time.Now(), 200_000
		Parse(rules(1), nil).Check("http://h/"+strings.Repeat("a", 5*n)+strings.Repeat("/b/..", n), "x")
		if took := time.Since(began); took > 30*time.Second {
			t.Errorf("a path of %d bytes takes %v", 10*n, took)
		}
	})
}

// allocated returns how many bytes f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestSharedRules shows that agents of one group share its rules.
func TestSharedRules(t *testing.T) {
	t.Run("ROB-GRP-01/one list for all", func(t *testing.T) {
		f := Parse(agents(64<<10), nil)
		names := f.Agents()
		first, last := f.Group(names[0]).Rules(), f.Group(names[len(names)-1]).Rules()
		if len(names) < 1000 || len(first) < 1000 || &first[0] != &last[0] {
			t.Errorf("%d agents, %d rules, not shared", len(names), len(first))
		}
	})
}

// TestReadOnce shows that the fields that are asked for with a URL are not read
// again for each.
func TestReadOnce(t *testing.T) {
	f := Parse([]byte("User-agent: *\n"+strings.Repeat("Clean-param: a&b /x\nContent-Usage: /x a=y, b=n\n", 1000)), nil)
	g := f.Group("x")
	for name, ask := range map[string]func(){
		"ROB-EXT-03/CleanURL":     func() { f.CleanURL("http://h/y?c=d") },
		"ROB-EXT-05/ContentUsage": func() { g.ContentUsage("/y") },
	} {
		t.Run(name, func(t *testing.T) {
			if n := testing.AllocsPerRun(10, ask); n > 10 {
				t.Errorf("%v allocations", n)
			}
		})
	}
}
