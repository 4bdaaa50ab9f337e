package robotstxt

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/politecrawl/politecrawl/robotsext/internal/rulepath"
)

// checkBothWays is Check. It holds the scan of a group against its index, and the two ways that
// an index has to find a rule against each other.
func checkBothWays(t testing.TB, f *File, url string, tokens ...string) Verdict {
	t.Helper()
	v := f.Check(url, tokens...)
	if g := v.Group; g.set != nil {
		path := canonicalPath(pathAndQuery(url, f.google), f.google)
		scanned, c := g.scan(path), g.compiled()
		indexed := found{place: -1}
		if v := g.Match(path); v.Rule != nil { // by the index
			indexed.place = slices.IndexFunc(g.Rules(), func(r Rule) bool { return r.Line == v.Rule.Line })
			indexed.allow = v.Rule.Allow
		}
		if path != "/robots.txt" && (scanned.place != indexed.place || scanned.allow != indexed.allow) {
			t.Errorf("%q: the scan finds %+v, the index %+v", path, scanned, indexed)
		}
		sameBothWays(t, &c.index, path)
		sameBothWays(t, c.query.changed.of(c.query.ranked, changes), rulepath.EscapeQuery(path))
		sameBothWays(t, c.query.meeting.of(c.query.ranked, meetsEscapes), rulepath.EscapeQuery(path))
	}
	return v
}

func sameBothWays(t testing.TB, x *index, path string) {
	t.Helper()
	if x.tree.Load() == nil {
		x.grow()
	}
	one, _ := x.tryAll(path, noRank)
	if other := x.tree.Load().match(path, noRank); one != other {
		t.Errorf("%q: the rule of rank %d decides, but %d by the prefix tree", path, one, other)
	}
}

// TestScanUntilCompiled shows that a group is compiled when its scans have cost as much, and not
// before, and that it then gives the same verdict.
func TestScanUntilCompiled(t *testing.T) {
	for name, c := range map[string]struct {
		body  []byte
		scans int // at most
	}{
		"honest": {rules(1000), compileCost}, "escapes": {escapes(), compileCost / 4}, "wildcards": {wildcards(), compileCost / 4},
	} {
		t.Run("ROB-MAT-26/"+name, func(t *testing.T) {
			g := Parse(c.body, nil).Group("x")
			for _, path := range []string{"/a", "/shop/item-7919/review", "/a2a1b?x=/y"} {
				before := g.Match(path)
				if g.set.scanned.Store(0); g.set.compiled.Load() != nil {
					t.Fatal("compiled at once")
				}
				for range c.scans {
					g.Match(path)
				}
				if g.set.compiled.Load() == nil {
					t.Errorf("%q: not compiled after %d scans", path, c.scans)
				}
				if after := g.Match(path); after != before {
					t.Errorf("%q: %v, then %v", path, before, after)
				}
				g.set.compiled.Store(nil)
			}
		})
	}
}

// TestGrow shows that a group gets its prefix tree when it has been asked for some
// time and not before, and that no verdict is another then, whoever asks while
// it grows.
func TestGrow(t *testing.T) {
	for name, body := range map[string][]byte{"honest": rules(1000), "typical": typical(), "wildcards": wildcards()[:20_000], "one rule": []byte("User-agent: *\nDisallow: /a")} {
		t.Run("ROB-MAT-26/"+name, func(t *testing.T) {
			g := Parse(body, nil).Group("x")
			path := "/b/1234/x.html"
			before := g.Match(path)
			if g.compiled().index.tree.Load() != nil {
				t.Error("a prefix tree at once")
			}
			var askers sync.WaitGroup
			for range 4 {
				askers.Go(func() {
					for range 100 {
						if v := g.Match(path); v != before {
							t.Errorf("got %v, then %v", before, v)
						}
					}
				})
			}
			askers.Wait()
			if g.compiled().index.tree.Load() == nil {
				t.Error("no prefix tree in the end")
			}
		})
	}
}

// TestRank holds the order of precedence against a plain sort.
func TestRank(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for n := range 200 {
		list := make([]ranked, n)
		for i := range list {
			list[i] = ranked{rule: &Rule{Allow: r.IntN(2) == 0, Line: i}, length: r.IntN(1 + n/3)}
		}
		want := slices.Clone(list)
		slices.SortStableFunc(want, func(a, b ranked) int {
			if c := cmp.Compare(b.length, a.length); c != 0 || a.rule.Allow == b.rule.Allow {
				return c
			}
			if a.rule.Allow {
				return -1
			}
			return 1
		})
		rank(list)
		for i := range list {
			if list[i].rule != want[i].rule || list[i].rank != int32(i) {
				t.Fatalf("ROB-MAT-04: of %d rules, number %d has rank %d, and line %d before %d", n, i, list[i].rank, list[i].rule.Line, want[i].rule.Line)
			}
		}
	}
}

// TestBodyReused shows that a file does not change when its body does.
func TestBodyReused(t *testing.T) {
	t.Run("ROB-FMT-20/body overwritten", func(t *testing.T) {
		body := []byte("User-agent: a\nUser-agent: b\nDisallow: /x\nCrawl-delay: 1\nNoindex: /y\nSitemap: http://h/s\nuseragent: c\n")
		f := Parse(body, nil)
		want := fmt.Sprint(f, f.Findings, f.Extensions, f.Sitemaps)
		copy(body, strings.Repeat("z", len(body)))
		if got := fmt.Sprint(f, f.Findings, f.Extensions, f.Sitemaps); got != want || f.Check("/x", "b").Allowed {
			t.Errorf("got %s, want %s", got, want)
		}
	})
}

// TestParseAllocations holds the number of allocations down: no line but a
// sitemap, an extension or one with a finding makes any. It takes the minimum of
// several runs: a parse allocates its scratch memory again after a garbage
// collection, and at random under the race detector.
func TestParseAllocations(t *testing.T) {
	for name, c := range map[string]struct {
		body []byte
		most float64
	}{
		"ordinary": {[]byte("# robots.txt\nUser-agent: *\nDisallow: /a\nAllow: /a/b # c\n\n"), 4},
		"typical":  {typical(), 13},
		"honest":   {honest(), 4},
	} {
		t.Run("ROB-FMT-20/"+name, func(t *testing.T) {
			least := math.Inf(1)
			for range 20 {
				least = min(least, testing.AllocsPerRun(1, func() { Parse(c.body, nil) }))
			}
			if least > c.most {
				t.Errorf("%v allocations, more than %v", least, c.most)
			}
		})
	}
}

// TestRunsOfStars holds that a prepared pattern has one star for a run of stars.
func TestRunsOfStars(t *testing.T) {
	stars := strings.Repeat("*", 1000)
	if p := NewPattern("/" + stars + "b" + stars + "c"); p.Size() != len("/b*c") || !p.Match("/xbxc") || p.Match("/xb") {
		t.Errorf("ROB-MAT-06: %d bytes", p.Size())
	}
	f := Parse([]byte("User-agent: *\nContent-Usage: /"+stars+"b"+stars+"c a=y\nClean-param: a /"+stars+"b"+stars+"c\n"), nil)
	g := f.Group("x")
	g.ContentUsage("/")
	if l := g.list().usage.list; len(l) != 1 || l[0].rest != "b*c" {
		t.Errorf("ROB-EXT-05: %.20v", l)
	}
	f.CleanParams()
	if l := f.clean.patterns; len(l) != 1 || l[0].rest != "b*c" {
		t.Errorf("ROB-EXT-03: %.20v", l)
	}
}

// TestGrowEarly holds that what was compared in vain counts, not only the rules.
func TestGrowEarly(t *testing.T) {
	body := "User-agent: *\n"
	for i := range 1000 {
		body += "Disallow: /" + strings.Repeat("a", i) + "c\n"
	}
	g := Parse([]byte(body), nil).Group("x")
	for range 2 {
		g.Match("/" + strings.Repeat("a", 1100))
	}
	if g.compiled().index.tree.Load() == nil {
		t.Error("ROB-MAT-26: no prefix tree after comparing a million octets")
	}
}

// TestPartsOfEscapes holds that a rule is compared in its second form also where a
// star is in the midst of an escape.
func TestPartsOfEscapes(t *testing.T) {
	for rule, url := range map[string]string{"/a?x%*y": "/a?x:zy", "/a?x*Ay": "/a?x:y"} {
		f := Parse([]byte("User-agent: *\nDisallow: "+rule), nil)
		if checkBothWays(t, f, url, "x").Allowed {
			t.Errorf("ROB-MAT-19: %s does not match %s", rule, url)
		}
	}
}

// TestCostParts holds what is charged for the path and for the index of rules that
// may meet an escape in a query.
func TestCostParts(t *testing.T) {
	if n := new(Group).Cost("/" + strings.Repeat("a", 79)); n != 12 {
		t.Errorf("ROB-MAT-26: %d steps for a path of 80 octets and no rules", n)
	}
	body := "User-agent: *\n"
	for i := range 1000 {
		body += fmt.Sprintf("Disallow: /x*%%2F%d\n", i)
	}
	g := Parse([]byte(body), nil).Group("x")
	if plain, query := g.Cost("/ab"), g.Cost("/a?b"); query < plain+1000 {
		t.Errorf("ROB-MAT-19: %d steps, and %d with a query", plain, query)
	}
}
