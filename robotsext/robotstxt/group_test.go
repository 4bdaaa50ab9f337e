package robotstxt

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestGroups(t *testing.T) {
	grp1, grp2 := quoted(t, "GRP1:")[0], quoted(t, "GRP2")[0]
	runVerdicts(t, []verdictTest{
		{name: "ROB-GRP-01/GRP1", file: grp1, want: "a /c D, a /d A, a /g A, b /d D, b /c A, e /g D, e /c A, f /g D, f /d A"},
		{name: "ROB-GRP-02/GRP1", file: grp1, want: "b /c A, e /d A"},
		{name: "ROB-GRP-03/GRP1", file: grp1, want: "h /c A, h /d A, h /g A"},
		{name: "ROB-GRP-03/without rules at the end", file: "User-agent: *⏎Disallow: /⏎User-agent: h", want: "h /x A, i /x D"},
		{name: "ROB-GRP-04/rule before an agent", file: "Disallow: /⏎User-agent: *", want: "a /x A"},
		{name: "ROB-GRP-04/and after it", file: "Disallow: /x⏎User-agent: *⏎Disallow: /y", want: "a /x A, a /y D"},
		{name: "ROB-GRP-05/sitemaps anywhere", file: "Sitemap: http://h/1⏎User-agent: *⏎Sitemap: http://h/2⏎Disallow: /a⏎Sitemap: http://h/3⏎Disallow: /b", want: "x /a D, x /b D"},
		{name: "ROB-GRP-06/sitemap", file: "User-agent: a⏎Sitemap: https://e.com/s⏎User-agent: b⏎Disallow: /", want: "a /x D, b /x D"},
		{name: "ROB-GRP-06/unknown and invalid lines", file: "User-agent: a⏎Foo: bar⏎what is this⏎: x⏎User-agent: b⏎Disallow: /a⏎Foo: bar⏎garbage⏎Disallow: /b", want: "a /a D, b /a D, a /b D, b /b D"},
		{name: "ROB-GRP-07/blank lines and comments", file: "⏎# c⏎User-agent: a⏎⏎# c⏎ ⏎Disallow: /x⏎⏎⏎#⏎Disallow: /y⏎", want: "a /x D, a /y D"},
		{name: "ROB-GRP-07/between agents", file: "User-agent: a⏎⏎# c⏎User-agent: b⏎Disallow: /", want: "a /x D, b /x D"},
		{name: "ROB-GRP-08/empty value", file: "User-agent: a⏎Disallow:⏎User-agent: b⏎Disallow: /", want: "a /x A, b /x D"},
		{name: "ROB-GRP-08/empty Allow", file: "User-agent: a⏎Allow:⏎User-agent: b⏎Disallow: /", want: "a /x A, b /x D"},
		{name: "ROB-GRP-08/unusable value", file: "User-agent: a⏎Disallow: x⏎User-agent: b⏎Disallow: /", want: "a /x A, b /x D"},
		{name: "ROB-GRP-09/GRP2", file: grp2, want: "googlebot-news /fish D, googlebot-news /shrimp D, googlebot-news /carrots A, x /carrots D, x /fish A"},
		{name: "ROB-GRP-09/all groups of *", file: "User-agent: *⏎Disallow: /a⏎User-agent: x⏎Disallow: /b⏎User-agent: *⏎Disallow: /c", want: "y /a D, y /b A, y /c D"},
		{name: "ROB-GRP-09/in any case", file: "User-agent: foo⏎Disallow: /a⏎User-agent: b⏎Disallow: /b⏎User-agent: FOO/2⏎Disallow: /c", want: "Foo /a D, Foo /b A, Foo /c D"},
		{name: "ROB-GRP-09/named twice in one group", file: "User-agent: foo⏎User-agent: FOO⏎Disallow: /a", want: "foo /a D"},
		{name: "ROB-GRP-10/GRP2", file: grp2, want: "googlebot-news /carrots A"},
		{name: "ROB-GRP-10/in one group with *", file: "User-agent: *⏎User-agent: a⏎Disallow: /x⏎User-agent: *⏎Disallow: /y", want: "a /x D, a /y A, b /x D, b /y D"},
		{name: "ROB-GRP-11/empty agent", file: "User-agent: a⏎Disallow: /⏎User-agent:⏎Allow: /", want: "a /x D, b /x A"},
		{name: "ROB-GRP-11/unusable agent", file: "User-agent: a⏎Disallow: /x⏎User-agent: 123⏎Disallow: /y", want: "a /x D, a /y A, 123 /y E"},
		{name: "ROB-GRP-11/beside a usable one", file: "User-agent: 123⏎User-agent: a⏎Disallow: /x", want: "a /x D"},
		{name: "ROB-GRP-12/rules", file: "User-agent: a⏎Crawl-delay: 5⏎User-agent: b⏎Disallow: /x", want: "a /x D, b /x D"},
		{name: "ROB-GRP-13/Noindex", file: "User-agent: *⏎Noindex: /x⏎Nofollow: /x⏎Host: h", want: "a /x A"},
	})
	t.Run("ROB-GRP-01/GRP1 as it is printed", func(t *testing.T) {
		f := Parse([]byte(strings.ReplaceAll(grp1, "⏎", "\n")), nil)
		want := "User-agent: a\nDisallow: /c\n\nUser-agent: b\nDisallow: /d\n\n" +
			"User-agent: e\nUser-agent: f\nDisallow: /g\n\nUser-agent: h\nDisallow:\n"
		if diff := cmp.Diff(want, f.String()); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]string{"a", "b", "e", "f", "h"}, f.Agents()); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("ROB-GRP-05/sitemaps are found", func(t *testing.T) {
		f := Parse([]byte("Sitemap: http://h/1\nUser-agent: *\nSitemap: http://h/2\nDisallow: /a\nSitemap: http://h/3"), nil)
		want := []Sitemap{{1, "http://h/1"}, {3, "http://h/2"}, {5, "http://h/3"}}
		if diff := cmp.Diff(want, f.Sitemaps); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("ROB-GRP-09/a name twice in one group counts once", func(t *testing.T) {
		f := Parse([]byte("User-agent: a\nUser-agent: b\nUser-agent: A/2\nDisallow: /x\nFoo: bar\n"), nil)
		if n, agents := len(f.Group("a").Rules()), f.Extensions[0].Agents; n != 1 || !slices.Equal(agents, []string{"a", "b"}) {
			t.Errorf("%d rules, agents %q", n, agents)
		}
	})
	t.Run("ROB-GRP-09/rules in file order", func(t *testing.T) {
		f := Parse([]byte("User-agent: a\nAllow: /3\nUser-agent: b\nDisallow: /9\nUser-agent: A\nDisallow: /1\nAllow: /2\n"), nil)
		want := []Rule{{true, "/3", 2}, {false, "/1", 6}, {true, "/2", 7}}
		if diff := cmp.Diff(want, f.Group("a").Rules()); diff != "" {
			t.Error(diff)
		}
		if got := f.Group("A").Name(); got != "a" {
			t.Errorf("name %q", got)
		}
	})
	t.Run("ROB-GRP-12/delay", func(t *testing.T) {
		f := Parse([]byte("User-agent: a\nCrawl-delay: 5\nUser-agent: b\nDisallow: /x"), nil)
		for _, agent := range []string{"a", "b"} {
			if got := f.Group(agent).CrawlDelay().Seconds(); got != 5 {
				t.Errorf("%s: %v s", agent, got)
			}
		}
	})
	t.Run("ROB-GRP-11/a group that binds nobody", func(t *testing.T) {
		f := Parse([]byte("User-agent: 123\nDisallow: /\n"), nil)
		for _, token := range []string{"", "123", "*"} {
			if g := f.Group(token); g.Name() != "" {
				t.Errorf("%q has group %q", token, g.Name())
			}
		}
	})
}

func TestGroupTables(t *testing.T) {
	grp3 := quoted(t, "GRP3 (GP):")[0]
	runVerdicts(t, []verdictTest{{
		name: "ROB-GRP-02/GRP3", file: grp3,
		want: "FooBot /x/b A, FooBot /z/d A, FooBot /y/c D, FooBot /foo/bar/ D, " +
			"BarBot /y/c A, BarBot /w/a A, BarBot /z/d D, BarBot /foo/bar/ D, BazBot /z/d A, BazBot /foo/bar/ D",
	}})
	grp4 := quoted(t, "GRP4 (Z):")
	runVerdicts(t, []verdictTest{
		{name: "ROB-UA-01/GRP4 allow one", file: grp4[0], want: "Googlebot-News /x A, Other /x D"},
		{name: "ROB-UA-01/GRP4 disallow one", file: grp4[1], want: "Unnecessarybot /x D, Other /x A"},
		{name: "ROB-UA-01/GRP4 all but one", file: grp4[2], want: "Mediapartners-Google /x A, Other /x D"},
		{name: "ROB-UA-01/GRP4 two", file: grp4[3], want: "Googlebot /x D, AdsBot-Google /x D, Other /x A"},
	})
}

// TestOrder permutes groups and rules: no verdict may change.
func TestOrder(t *testing.T) {
	groups := []string{
		"User-agent: a\nAllow: /x/y\nDisallow: /x\nAllow: /*z\nDisallow: /x/y/z$\nAllow: /x/y/z\n",
		"User-agent: a-b\nDisallow: /q\n",
		"User-agent: *\nDisallow: /\nAllow: /p*\nDisallow: /p/\n",
		"User-agent: c\nUser-agent: A\nDisallow: /q\nAllow: /q?\n",
		"User-agent: c\nDisallow: /p/q\nAllow: /p/q\n",
	}
	verdicts := func(body string) string {
		var s strings.Builder
		f := Parse([]byte(body), nil)
		for _, agent := range []string{"a", "a-b", "c", "d"} {
			for _, path := range []string{"/", "/x", "/x/y", "/x/z", "/x/y/z", "/x/y/z/", "/q", "/q?", "/p", "/p/", "/p/q"} {
				fmt.Fprintf(&s, "%s %s %v\n", agent, path, f.Check("http://h"+path, agent).Allowed)
			}
		}
		return s.String()
	}
	want := verdicts(strings.Join(groups, ""))
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 200 {
		t.Run(fmt.Sprintf("ROB-UA-07/groups %d", i), func(t *testing.T) {
			shuffled := slices.Clone(groups)
			r.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
			if diff := cmp.Diff(want, verdicts(strings.Join(shuffled, ""))); diff != "" {
				t.Error(diff)
			}
		})
		t.Run(fmt.Sprintf("ROB-MAT-22/rules %d", i), func(t *testing.T) {
			var body strings.Builder
			for _, group := range groups {
				lines := strings.SplitAfter(strings.TrimSuffix(group, "\n"), "\n")
				lines[len(lines)-1] += "\n"
				rules := lines[strings.Count(group, "User-agent"):]
				r.Shuffle(len(rules), func(i, j int) { rules[i], rules[j] = rules[j], rules[i] })
				body.WriteString(strings.Join(lines, ""))
			}
			if diff := cmp.Diff(want, verdicts(body.String())); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestRepeatedRules shows that a pattern that comes again changes nothing, nor
// the line that decides.
func TestRepeatedRules(t *testing.T) {
	body := []byte("User-agent: *\nDisallow: /*a\nDisallow: /*a**\nDisallow: /*a\nAllow: /*b$\nDisallow: /*b$\nAllow: /*b$\nDisallow: /*b\nDisallow: /c\nDisallow: /c\n")
	for _, opts := range []*Options{nil, {GoogleParser: true}} {
		for path, line := range map[string]int{"/xa": 3, "/xb": 5, "/xbx": 8, "/c": 9} {
			t.Run(fmt.Sprintf("ROB-GRP-09/repeated rules %s, as Google %v", path, opts != nil), func(t *testing.T) {
				g := Parse(body, opts).Group("x")
				if v := g.Match(path); v.Rule == nil || v.Rule.Line != line {
					t.Errorf("got %+v, want line %d", v.Rule, line)
				}
				if n := len(g.Rules()); n != 9 {
					t.Errorf("%d rules", n)
				}
			})
		}
	}
}

func TestCount(t *testing.T) {
	f := Parse([]byte("User-agent: a\nDisallow: /x\nAllow: /y\nz: 1\nUser-agent: b\nDisallow: /z\nUser-agent: a\nUser-agent: c\nAllow: /\nz: 2\n"), nil)
	for _, agent := range []string{"a", "b", "c", "x"} {
		g := f.Group(agent)
		rules, fields := g.Count()
		if rules != len(g.Rules()) || fields != len(g.Extensions()) {
			t.Errorf("ROB-GRP-09: %s: %d rules and %d fields, but %v and %v", agent, rules, fields, g.Rules(), g.Extensions())
		}
	}
	if rules, fields := f.Group("a").Count(); rules != 3 || fields != 2 {
		t.Errorf("ROB-GRP-09: %d rules, %d fields", rules, fields)
	}
}
