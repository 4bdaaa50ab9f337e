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

// least is the shortest time that f took, so that a busy machine does not make
// a test fail.
func least(f func()) time.Duration {
	f()
	best := time.Hour
	for range 20 {
		start := time.Now()
		f()
		best = min(best, time.Since(start))
	}
	return best
}

// TestMatchCost puts limits to what one verdict costs, some fifty times above
// what it does, and far below what it would if it had to visit every rule or to
// go back.
func TestMatchCost(t *testing.T) {
	rules := func(lines ...string) []byte { return []byte("User-agent: *\n" + strings.Join(lines, "\n")) }
	as := "/" + strings.Repeat("a", 5000)
	for _, c := range []struct {
		name  string
		body  []byte
		path  string
		limit time.Duration
	}{
		{"100 times *a against 5,000 times a", rules("Disallow: /" + strings.Repeat("*a", 100) + "$"), as, 10 * time.Millisecond},
		{"and no match", rules("Disallow: /" + strings.Repeat("*a", 100) + "b"), as + "b" + as, 10 * time.Millisecond},
		{"14,000 rules", honest(), "/shop/item-31676/reviews?page=2", 10 * time.Microsecond},
		{"24,000 rules with wildcards", wildcards(), "/a/path/1234/that-is-usual.html", time.Millisecond},
		{"254 rules of 1,000 stars", stars(), "/" + strings.Repeat("a", 500) + "b" + strings.Repeat("a", 1500), 50 * time.Millisecond},
		{"a rule 22,259 times over", rules(slices.Repeat([]string{"Disallow:/*aaaaabaaaaa"}, 22259)...), "/" + strings.Repeat("aaaab", 1600), time.Millisecond},
		{"18,000 rules alike", alike(), "/" + strings.Repeat("abbaa", 400) + "acbc", 500 * time.Millisecond},
		{"prefixes of each other", rules(nested(900)...), as, time.Millisecond},
	} {
		t.Run("ROB-MAT-26/"+c.name, func(t *testing.T) {
			g := Parse(c.body, nil).Group("x")
			if got := least(func() { g.Match(c.path) }); got > c.limit {
				t.Errorf("%v, more than %v", got, c.limit)
			}
		})
	}
}

// TestExplainCost holds that an explanation costs a look at each rule, and no more.
func TestExplainCost(t *testing.T) {
	f := Parse(honest(), nil)
	if got := least(func() { f.Explain("/shop/item-31676/reviews?page=2", "x") }); got > 10*time.Millisecond {
		t.Errorf("ROB-MAT-26: %v among 14,000 rules", got)
	}
}

// TestCost holds the estimate against the time that a verdict takes: within a factor
// that leaves room for a busy machine, a step is no more than so many nanoseconds.
func TestCost(t *testing.T) {
	for name, c := range map[string]struct {
		body []byte
		path string
	}{
		"honest":        {honest(), "/shop/item-31676/reviews?page=2"},
		"wildcards":     {wildcards(), "/a/path/1234/that-is-usual.html"},
		"alike":         {alike(), "/" + strings.Repeat("abbaa", 400) + "acbc"},
		"stars":         {stars(), "/" + strings.Repeat("a", 500) + "b" + strings.Repeat("a", 1500)},
		"runs of stars": {[]byte("User-agent: *\nDisallow: /" + strings.Repeat("*", 400_000) + "b"), "/" + strings.Repeat("a", 100) + "b"},
	} {
		g := Parse(c.body, nil).Group("x")
		g.compiled().index.grow()
		if got := least(func() { g.Match(c.path) }); got > time.Duration(500*g.Cost(c.path)) {
			t.Errorf("ROB-MAT-26: %s: %v, %d steps", name, got, g.Cost(c.path))
		}
	}
	if n := Parse(alike(), nil).Group("x").Cost("/"); n < 10_000 {
		t.Errorf("ROB-MAT-26: %d steps for 18,000 rules that are tried", n)
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

// TestMatchGrowth shows that twenty times the length, or twenty times the stars,
// cost no more than some twenty times as much, and a thousand times the rules
// hardly more at all.
func TestMatchGrowth(t *testing.T) {
	cost := func(stars, length int) time.Duration {
		g := Parse([]byte("User-agent: *\nDisallow: /"+strings.Repeat("*a", stars)+"b"), nil).Group("x")
		path := "/ab" + strings.Repeat("a", length)
		return least(func() {
			for range 20 {
				g.Match(path)
			}
		})
	}
	among := func(n int) time.Duration {
		g := Parse(rules(n), nil).Group("x")
		return least(func() {
			for range 100 {
				g.Match("/shop/item-31676/reviews?page=2")
			}
		})
	}
	dots := func(n int) time.Duration { // each goes back over a long path
		f, url := Parse(rules(1), nil), "http://h/"+strings.Repeat("a", 5*n)+strings.Repeat("/b/..", n)
		return least(func() { f.Check(url, "x") })
	}
	for _, c := range []struct {
		name       string
		small, big time.Duration
	}{
		{"path length", cost(100, 1000), cost(100, 20000)},
		{"stars", cost(50, 20000), cost(1000, 20000)},
		{"a thousand times the rules", among(10), among(10000)},
		{"dot segments", dots(1000), dots(20000)},
	} {
		t.Run("ROB-MAT-26/growth with "+c.name, func(t *testing.T) {
			if c.big > 60*c.small {
				t.Errorf("%v, then %v", c.small, c.big)
			}
		})
	}
}

// TestParseGrowth shows that the memory that a file takes grows with its size
// and no faster, however its lines are arranged. Time could not without memory.
func TestParseGrowth(t *testing.T) {
	for name, build := range map[string]func(size int) []byte{
		"half agents, half rules": agents,
		"agents and rules in turn": func(size int) []byte {
			var b strings.Builder
			for i := 0; b.Len() < size; i++ {
				fmt.Fprintf(&b, "User-agent: %s\nUser-agent: x\nDisallow: /%d\n", letters(i+1), i)
			}
			return []byte(b.String())
		},
		"agents and fields in turn": func(size int) []byte {
			var b strings.Builder
			for i := 0; b.Len() < size; i++ {
				fmt.Fprintf(&b, "User-agent: %s\nx: y\n", letters(i+1))
			}
			return []byte(b.String())
		},
		"stars":    func(size int) []byte { return []byte("User-agent: *\nDisallow: " + strings.Repeat("*", size)) },
		"fields":   func(size int) []byte { return []byte(strings.Repeat("x:\n", size/3)) },
		"CR":       func(size int) []byte { return []byte(strings.Repeat("allow:/\r", size/8)) },
		"garbage":  func(size int) []byte { return []byte(strings.Repeat("x\n", size/2)) },
		"sitemaps": func(size int) []byte { return []byte(strings.Repeat("sitemap: http://h/x\n", size/20)) },
	} {
		t.Run("ROB-FMT-20/"+name, func(t *testing.T) {
			small, big := build(32<<10), build(512<<10)
			one, sixteen := allocated(func() { Parse(small, nil).Check("/x", "x") }), allocated(func() { Parse(big, nil).Check("/x", "x") })
			if sixteen > 24*one {
				t.Errorf("%d bytes allocated for 32 KiB, %d for 512 KiB", one, sixteen)
			}
			if sixteen > 40*uint64(len(big)) {
				t.Errorf("%d bytes allocated for 512 KiB", sixteen)
			}
		})
	}
}

// TestParseTime shows that what is compared with all that went before it, names
// and sitemaps, takes time in proportion to the size of a file all the same.
func TestParseTime(t *testing.T) {
	for name, build := range map[string]func(size int) []byte{
		"half agents, half rules": agents,
		"sitemaps": func(size int) []byte {
			var b strings.Builder
			for i := 0; b.Len() < size; i++ {
				fmt.Fprintf(&b, "Sitemap: http://h/%06d\n", i)
			}
			return []byte(b.String())
		},
	} {
		t.Run("ROB-FMT-20/"+name, func(t *testing.T) {
			small, big := build(32<<10), build(500<<10)
			var one, sixteen time.Duration
			for range 10 { // a machine that is busy meanwhile makes one measurement longer, and not each
				one, sixteen = least(func() { Parse(small, nil) }), least(func() { Parse(big, nil) })
				if sixteen <= 60*one {
					return
				}
			}
			t.Errorf("%v for 32 KiB, %v for 500 KiB", one, sixteen)
		})
	}
}

// TestLineCost shows that no end of line costs much more than another, also
// where there is no LF or only a far one.
func TestLineCost(t *testing.T) {
	const size = DefaultMaxBytes
	for name, body := range map[string]string{
		"LF":                    strings.Repeat("\n", size),
		"CR":                    strings.Repeat("\r", size),
		"CR LF":                 strings.Repeat("\r\n", size/2),
		"CR and LF at the end":  strings.Repeat("\r", size-1) + "\n",
		"rules with CR":         strings.Repeat("allow:/\r", size/8),
		"CR at the start alone": "\r" + strings.Repeat("a\n", size/2-1),
	} {
		t.Run("ROB-FMT-20/"+name, func(t *testing.T) {
			start := time.Now()
			Parse([]byte(body), nil)
			if got := time.Since(start); got > time.Second {
				t.Errorf("%v", got)
			}
		})
	}
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
