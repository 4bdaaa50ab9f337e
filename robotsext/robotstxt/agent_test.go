package robotstxt

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestAgents(t *testing.T) {
	runVerdicts(t, []verdictTest{
		{name: "ROB-UA-01/all other groups are ignored", file: "User-agent: a⏎Disallow: /a⏎User-agent: *⏎Disallow: /⏎User-agent: b⏎Disallow: /b", want: "a /a D, a /b A, a /c A, b /b D, b /a A"},
		{name: "ROB-UA-02/case", file: "user-agent: GOOGLEBOT⏎Disallow: /", want: "Googlebot /x D, googlebot /x D"},
		{name: "ROB-UA-02/of ASCII alone", file: "user-agent: k⏎Disallow: /", want: "K /x D, \u212a /x E"},
		{name: "ROB-UA-03/version", file: "User-agent: googlebot/1.2⏎Disallow: /", want: "googlebot /x D, googlebot/1.2 /x D"},
		{name: "ROB-UA-03/star", file: "User-agent: googlebot*⏎Disallow: /", want: "googlebot /x D, googlebots /x A"},
		{name: "ROB-UA-03/words", file: "User-agent: Googlebot Images⏎Disallow: /", want: "googlebot /x D, Images /x A"},
		{name: "ROB-UA-03/comma", file: "User-agent: a, b⏎Disallow: /", want: "a /x D, b /x A"},
		{name: "ROB-UA-03/digits", file: "User-agent: a2⏎Disallow: /", want: "a /x D, a2 /x D, a3 /x A"},
		{name: "ROB-UA-03/all token characters", file: "User-agent: -Foo_Bar-z⏎Disallow: /", want: "-Foo_Bar-z /x D, Foo /x A"},
		{name: "ROB-UA-04/first token with a group", file: "User-agent: b⏎Disallow: /b⏎User-agent: c⏎Disallow: /c", want: "a+b+c /b D, a+b+c /c A, c+b /b A, c+b /c D"},
		{name: "ROB-UA-04/no union", file: "User-agent: a⏎Disallow: /a⏎User-agent: a-b⏎Disallow: /b", want: "a-b+a /a A, a-b+a /b D"},
		{name: "ROB-UA-05/no prefix", file: "User-agent: foo⏎Disallow: /", want: "foobot /x A, foo-bot /x A, fo /x A, foo /x D"},
		{name: "ROB-UA-05/no substring", file: "User-agent: bot⏎Disallow: /", want: "foobot /x A"},
		{name: "ROB-UA-06/fall back to *", file: "User-agent: *⏎Disallow: /a⏎User-agent: b⏎Disallow: /b", want: "x /a D, x /b A"},
		{name: "ROB-UA-06/no *", file: "User-agent: b⏎Disallow: /", want: "x /a A"},
		{name: "ROB-UA-06/the RFC's ExampleBot twice", file: "User-agent: ExampleBot⏎Disallow: /foo⏎Disallow: /bar⏎User-agent: ExampleBot⏎Disallow: /baz", want: "examplebot /foo D, examplebot /bar D, examplebot /baz D"},
		{name: "ROB-UA-06/the RFC's BazBot", file: "User-agent: *⏎Disallow: /foo⏎Disallow: /bar⏎User-agent: BazBot⏎Disallow: /baz", want: "ExampleBot /foo D, ExampleBot /bar D, ExampleBot /baz A"},
		{name: "ROB-UA-08/group without rules", file: "User-agent: *⏎Disallow: /⏎User-agent: x", want: "x /a A, y /a D"},
		{name: "ROB-UA-08/empty Disallow", file: "User-agent: *⏎Disallow: /⏎User-agent: x⏎Disallow:", want: "x /a A, y /a D"},
		{name: "ROB-UA-11/digits", file: "User-agent: MJ12bot⏎Disallow: /", want: "MJ12bot /x D, mj12BOT /x D, MJ /x D, MJ12 /x A"},
		{name: "ROB-UA-11/up to a space, slash or star", file: "User-agent: a.b/1⏎User-agent: c2 d⏎User-agent: e2*⏎Disallow: /", want: "a.b /x D, c2 /x D, e2 /x D, d /x A"},
		{name: "ROB-UA-11/a name that does not begin with a letter", file: "User-agent: 360Spider⏎Disallow: /", want: "360Spider /x D, Spider /x A"},
		{name: "ROB-UA-11/no name", file: "User-agent: a2,b⏎User-agent: 1.0⏎Disallow: /", want: "a /x D, a2 /x A, b /x A, 1.0 /x E"},
		{name: "ROB-UA-15/version", file: foobot, want: "FooBot/1.0 /x D, foobot/2 /x D, Foo/1.0 /x A"},
		{name: "ROB-UA-15/digits and dots", file: "User-agent: h⏎Disallow: /h⏎User-agent: h3bot⏎Disallow: /3", want: "h3bot/2 /3 D, h3bot /h A, h /h D, h3.bot /h A"},
		{name: "ROB-UA-15/only the leading letters have a group", file: "User-agent: h⏎Disallow: /", want: "h3bot /x A, h.bot/1.0 /x A, h/3 /x D"},
		{name: "ROB-UA-15/several", file: foobot, want: "BarBot/1+FooBot/2 /x D, FooBot+1.0 /x E"},
		{name: "ROB-UA-15/no name", file: foobot, want: " /x E, 1.0 /x E, Mozilla/5.0 /x E, böt/1.0 /x E, FooBot* /x E, (FooBot) /x E, FooBot+ /x E"},
		{name: "ROB-UA-15/the name *", file: "User-agent: FooBot⏎Disallow: /⏎User-agent: *⏎Disallow: /x", want: "* /x D, * /y A"},
		{name: "ROB-UA-15/Google's parser", opts: &Options{GoogleParser: true}, file: "User-agent: FooBot⏎Disallow: /⏎User-agent: h3bot⏎Disallow: /", want: "FooBot /x D, FooBot/1.0 /x A, h3bot /x A, h /x D"},
		{name: "ROB-UA-12/text after the star", file: "User-agent: * foo⏎Disallow: /", want: "a /x D"},
		{name: "ROB-UA-12/tab after the star", file: "User-agent: *\tfoo⏎Disallow: /", want: "a /x D"},
		{name: "ROB-UA-12/star and text", file: "User-agent: *bot⏎Disallow: /", want: "bot /x A, robot /x A, x /x A"},
		{name: "ROB-UA-12/two stars", file: "User-agent: **⏎Disallow: /", want: "a /x A"},
	})
}

const foobot = "User-agent: FooBot⏎Disallow: /"

// TestUserAgentAsName holds whole User-Agent headers as names.
func TestUserAgentAsName(t *testing.T) {
	f := Parse([]byte("User-agent: FooBot\nDisallow: /\n\nUser-agent: *\nDisallow:\n"), nil)
	for _, userAgent := range []string{"FooBot/1.0 (+https://example.com)", "Mozilla/5.0 (compatible; FooBot/1.0; +https://example.com)", "Mozilla/5.0 FooBot/1.0"} {
		t.Run("ROB-UA-15/"+userAgent, func(t *testing.T) {
			if e := f.Explain("/x", userAgent); e.Err != nil || e.Allowed || e.Token != "FooBot" {
				t.Errorf("got %v by the group of %q, %v", e.Allowed, e.Token, e.Err)
			}
			if g := f.NamedGroup(userAgent); g.Err() != nil || g.Name() != "FooBot" {
				t.Errorf("got group %q, %v", g.Name(), g.Err())
			}
		})
	}
}

// TestImpossibleNames holds that a name which no crawler has is allowed nothing, whatever the
// file says.
func TestImpossibleNames(t *testing.T) {
	files := []*File{Parse(nil, nil), Parse([]byte("User-agent: FooBot\nUser-agent: *\nCrawl-delay: 5\nAllow: /\n"), nil)}
	for name, names := range map[string][]string{
		"empty": {""}, "spaces": {" "}, "version": {"1.0"}, "browser": {"Mozilla/5.0 (X11; Linux x86_64)"},
		"not ASCII": {"böt/1.0"}, "comment": {"(FooBot)"}, "after a good name": {"FooBot", ""}, "before a good name": {"1.0", "FooBot"}, "after *": {"*", ""},
	} {
		for _, f := range files {
			for _, path := range []string{"/x", "/", "", "/robots.txt"} {
				e := f.Explain(path, names...)
				for function, v := range map[string]Verdict{
					"Check": f.Check(path, names...), "Group": f.Group(names...).Match(path), "NamedGroup": f.NamedGroup(names...).Match(path), "Explain": e.Verdict,
				} {
					t.Run("ROB-UA-15/"+name+" "+function+" "+path, func(t *testing.T) {
						wantNoName(t, v)
						if g := v.Group; g.Name() != "" || g.Rules() != nil || g.CrawlDelay() != 0 || g.Lines() != nil {
							t.Errorf("group %q with rules %v", g.Name(), g.Rules())
						}
					})
				}
				if e.Token != "" || e.Exempt || e.Matches != nil {
					t.Errorf("ROB-UA-15: %s: %+v", name, e)
				}
			}
		}
	}
	if err := new(Group).Err(); err != nil {
		t.Errorf("ROB-UA-15: the zero Group has the error %v", err)
	}
}

func TestAgentTable(t *testing.T) {
	var file string
	for line := range strings.Lines(specification(t)) {
		if strings.HasPrefix(line, "Table UA. File:") {
			file = strings.ReplaceAll(strings.Split(line, "`")[1], "⏎", "\n")
		}
	}
	f := Parse([]byte(file), nil)
	for _, row := range dataBlock(t, "ua") {
		identity, ignoreWildcardGroup := strings.CutSuffix(row[1], " (IgnoreWildcardGroup)")
		tokens := strings.Split(identity, ",")
		for _, id := range []string{"ROB-UA-01", "ROB-UA-04", "ROB-UA-06"} {
			t.Run(id+"/UA "+row[0], func(t *testing.T) {
				g := f.Group(tokens...)
				if ignoreWildcardGroup {
					g = f.NamedGroup(tokens...)
				}
				for _, n := range []string{"1", "2", "3"} {
					if got := g.Match("/" + n).Allowed; got != (n != row[2]) {
						t.Errorf("/%s: %v", n, got)
					}
				}
			})
		}
	}
}

func TestIgnoreWildcardGroup(t *testing.T) {
	tokens := []string{"AdsBot-Google", "AdsBot"}
	for _, c := range []struct {
		name, file string
		allowed    bool
	}{
		{"only *", "User-agent: *\nDisallow: /", true},
		{"* written as a token", "User-agent: *\nDisallow: /\nUser-agent: b\nDisallow:", true},
		{"named", "User-agent: *\nAllow: /\nUser-agent: AdsBot-Google\nDisallow: /", false},
		{"named the other way", "User-agent: *\nAllow: /\nUser-agent: Adsbot\nDisallow: /", false},
	} {
		t.Run("ROB-UA-09/"+c.name, func(t *testing.T) {
			g := Parse([]byte(c.file), nil).NamedGroup(tokens...)
			if v := g.Match("/x"); v.Allowed != c.allowed || v.Group != g {
				t.Errorf("got %v by %v", v.Allowed, v.Rule)
			}
		})
	}
	t.Run("ROB-UA-09/* is no name", func(t *testing.T) {
		if g := Parse([]byte("User-agent: *\nDisallow: /"), nil).NamedGroup("*"); g.Name() != "" {
			t.Errorf("got group %q", g.Name())
		}
	})
}

func TestTokens(t *testing.T) {
	for _, token := range []string{"Foobot/2.1", "", "Foo Bar", "ツ", "*", "foo*", "MJ12bot", " a", "a\n"} {
		t.Run("ROB-UA-10/"+token, func(t *testing.T) {
			if ValidToken(token) {
				t.Error("valid")
			}
		})
	}
	for _, token := range []string{"Foobot", "Foo-Bar", "foo_bar", "-", "A"} {
		t.Run("ROB-UA-10/"+token, func(t *testing.T) {
			if !ValidToken(token) {
				t.Error("not valid")
			}
		})
	}
	for _, c := range []struct{ token, parents string }{
		{"Googlebot-Image", "Googlebot-Image Googlebot"},
		{"a-b-c", "a-b-c a-b a"},
		{"a", "a"},
		{"-a", "-a"},
		{"a--b", "a--b a- a"},
	} {
		t.Run("ROB-UA-13/"+c.token, func(t *testing.T) {
			if got := strings.Join(WithParents(c.token), " "); got != c.parents {
				t.Errorf("got %q", got)
			}
		})
	}
	t.Run("ROB-UA-13/the more generic group", func(t *testing.T) {
		f := Parse([]byte("User-agent: Googlebot\nDisallow: /\n"), nil)
		if f.Check("http://h/", WithParents("Googlebot-Image")...).Allowed || !f.Check("http://h/", "Googlebot-Image").Allowed {
			t.Error("the parents decide where the caller has not asked for them, or the other way round")
		}
	})
}

func TestProductToken(t *testing.T) {
	for _, c := range []struct{ userAgent, want string }{
		{"Mozilla/5.0 (compatible; ExampleBot/0.1; https://www.example.com/bot.html)", "ExampleBot"},
		{"Mozilla/5.0 (Compatible;ExampleBot)", "ExampleBot"},
		{"Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Googlebot/2.1; +http://www.google.com/bot.html) Chrome/99.0.0.0 Safari/537.36", "Googlebot"},
		{"ExampleBot/1.0", "ExampleBot"},
		{"ExampleBot/1.0 (incompatible; Foo)", "ExampleBot"},
		{"ExampleBot/1.0 (not compatible; Foo)", "ExampleBot"},
		{"ExampleBot/1.0 compatible; Foo", "ExampleBot"},
		{"ExampleBot/1.0 (x) compatible; Foo", "ExampleBot"},
		{"Mozilla/4.0 ( compatible ; compatible; ExampleBot 2)", "ExampleBot"},
		{"ExampleBot", "ExampleBot"},
		{"Example-Bot_x/1.0 (+http://h/) Go-http-client/1.1", "Example-Bot_x"},
		{"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/99 Safari/537.36 ExampleBot/2", "ExampleBot"},
		{"Mozilla/5.0 (X11; (nested) Linux) ExampleBot/2", "ExampleBot"},
		{"MJ12bot/v1.4.8", "MJ12bot"},
		{"Mozilla/5.0 (compatible; h3.bot/2; +https://example.com)", "h3.bot"},
		{"360Spider", "360Spider"},
		{"Mozilla", "Mozilla"},
		{"b\u00f6t/1.0 ExampleBot", "ExampleBot"},
		{"Mozilla/5.0 (compatible; 007/1.0) ExampleBot", "ExampleBot"},
		{"", ""},
		{"Mozilla/5.0", ""},
		{"007/1.0", ""},
		{"(ExampleBot)", ""},
		{"ツ", ""},
	} {
		t.Run(fmt.Sprintf("ROB-UA-14/%s", c.userAgent), func(t *testing.T) {
			got, err := ProductToken(c.userAgent)
			if got != c.want || (err != nil) != (c.want == "") || err != nil && !errors.Is(err, ErrToken) {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
}

// TestManyAgents makes the table of names grow.
func TestManyAgents(t *testing.T) {
	var body strings.Builder
	var tokens []string
	for i := range 3000 {
		tokens = append(tokens, "bot-"+letters(i+1))
		fmt.Fprintf(&body, "User-agent: %s\nDisallow: /%d$\n", tokens[i], i)
	}
	slices.Sort(tokens)
	f := Parse([]byte(body.String()), nil)
	if got := f.Agents(); len(got) != 3000 {
		t.Fatalf("%d names", len(got))
	}
	for i := range 3000 {
		agent := strings.ToUpper("bot-" + letters(i+1))
		if f.Check(fmt.Sprintf("http://h/%d", i), agent).Allowed || !f.Check(fmt.Sprintf("http://h/%d", i+1), agent).Allowed {
			t.Errorf("%s has the wrong group", agent)
		}
	}
	if g := f.Group("bot"); g.Name() != "" {
		t.Errorf("bot has group %q", g.Name())
	}
}
