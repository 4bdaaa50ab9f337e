package robotsdiff

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

func parse(text string) *robotstxt.File {
	return robotstxt.Parse([]byte(strings.ReplaceAll(text, "⏎", "\n")), &robotstxt.Options{MaxCrawlDelay: -1})
}

// told writes a difference down, a line for each change: the agents, the pattern,
// the new verdict with + for allowed, the deciding lines, and the exceptions.
func told(d *Diff) []string {
	var lines []string
	for _, a := range d.Agents {
		for _, c := range a.Changes {
			sign := "-"
			if c.New.Allowed {
				sign = "+"
			}
			text := fmt.Sprintf("%s %s%s by %v %v", strings.Join(a.Agents, ","), sign, c.Pattern, c.Old.Lines, c.New.Lines)
			if len(c.Except) > 0 {
				text += " except " + strings.Join(c.Except, " ")
			}
			lines = append(lines, text)
		}
		if a.OldDelay != a.NewDelay {
			lines = append(lines, fmt.Sprintf("%s delay %v %v", strings.Join(a.Agents, ","), a.OldDelay, a.NewDelay))
		}
	}
	for _, s := range d.Removed {
		lines = append(lines, fmt.Sprintf("removed %s, line %d", s.URL, s.Line))
	}
	for _, s := range d.Added {
		lines = append(lines, fmt.Sprintf("added %s, line %d", s.URL, s.Line))
	}
	return lines
}

func TestCompare(t *testing.T) {
	for _, tt := range []struct {
		name, old, new string
		want           []string
	}{
		{"the same", "User-agent: *⏎Disallow: /x", "User-agent: *⏎Disallow: /x", nil},
		{"nothing and nothing", "", "# nothing", nil},
		{"ROB-GRP-07/comments and blank lines", "User-agent: *⏎Disallow: /x", "# c⏎⏎User-agent: *  # all⏎⏎Disallow: /x # y", nil},
		{"ROB-MAT-22/order of rules", "User-agent: *⏎Disallow: /x⏎Allow: /x/y", "User-agent: *⏎Allow: /x/y⏎Disallow: /x", nil},
		{"ROB-UA-07/order of groups", "User-agent: a⏎Disallow: /x⏎User-agent: *⏎Disallow: /y", "User-agent: *⏎Disallow: /y⏎User-agent: a⏎Disallow: /x", nil},
		{"ROB-GRP-01/groups split", "User-agent: a⏎User-agent: b⏎Disallow: /x", "User-agent: a⏎Disallow: /x⏎User-agent: b⏎Disallow: /x", nil},
		{"ROB-GRP-09/groups merged", "User-agent: a⏎Disallow: /x⏎User-agent: a⏎Disallow: /y", "User-agent: A⏎Disallow: /y⏎Disallow: /x", nil},
		{"ROB-UA-06/a group that says what all are told", "User-agent: *⏎Disallow: /x", "User-agent: *⏎Disallow: /x⏎User-agent: a⏎Disallow: /x", nil},
		{"ROB-MAT-17/other spelling", "User-agent: *⏎Disallow: /%7ea⏎Disallow: /é", "User-agent: *⏎Disallow: /~a⏎Disallow: /%c3%A9", nil},
		{"ROB-MAT-08/a star at the end", "User-agent: *⏎Disallow: /a", "User-agent: *⏎Disallow: /a*", nil},
		{"ROB-MAT-03/a rule that never decides", "User-agent: *⏎Disallow: /a", "User-agent: *⏎Disallow: /a⏎Disallow: /a/b⏎Disallow: /a*c", nil},
		{"ROB-MAT-04/a tie", "User-agent: *⏎Allow: /a", "User-agent: *⏎Disallow: /a⏎Allow: /a", nil},
		{"ROB-MAT-21/robots.txt itself", "", "User-agent: *⏎Disallow: /robots.txt$", nil},
		{"a rule more", "User-agent: *⏎Disallow: /a", "User-agent: *⏎Disallow: /a⏎Disallow: /b", []string{"* -/b by [] [3]"}},
		{"a rule less", "User-agent: *⏎Disallow: /a⏎Disallow: /b", "User-agent: *⏎Disallow: /b", []string{"* +/a by [2] []"}},
		{"all of it", "User-agent: *⏎Disallow: /a⏎Allow: /a/b", "User-agent: *⏎Disallow: /", []string{"* -/ by [] [2] except /a", "* -/a/b by [3] [2]"}},
		{"an exception in an exception", "", "User-agent: *⏎Disallow: /⏎Allow: /a⏎Disallow: /a/b", []string{"* -/ by [] [2] except /a", "* -/a/b by [] [4]"}},
		{"the other way about", "User-agent: *⏎Allow: /a⏎Disallow: /", "User-agent: *⏎Disallow: /a⏎Allow: /", []string{"* +/ by [3] [3] except /a", "* -/a by [2] [2]"}},
		{"ROB-MAT-02/a slash lost", "User-agent: *⏎Disallow: /cart/", "User-agent: *⏎Disallow: /cart", []string{"* -/cart by [] [2] except /cart/"}},
		{"ROB-MAT-07/a $ lost", "User-agent: *⏎Disallow: /a$", "User-agent: *⏎Disallow: /a", []string{"* -/a by [] [2] except /a$"}},
		{"ROB-MAT-06/where wildcards meet", "User-agent: *⏎Disallow: /*x", "User-agent: *⏎Disallow: /*x⏎Allow: /a*y", []string{"* +/a*x*y by [2] [3]", "* +/a*y*x by [2] [3]"}},
		{"ROB-MAT-06/where wildcards overlap", "User-agent: *⏎Disallow: /*ab$", "User-agent: *⏎Disallow: /*ab$⏎Allow: /long*bab", []string{"* +/long*bab$ by [2] [3]", "* +/long*bab*ab$ by [2] [3]"}},
		{"ROB-MAT-11/a star at the beginning", "", "User-agent: *⏎Disallow: */a", []string{"* -*/a by [] [2]"}},
		{"ROB-MAT-11/a slash before a star", "User-agent: *⏎Disallow: */a", "User-agent: *⏎Disallow: /*/a", []string{"* +/a by [2] [] except /*/a"}},
		{"ROB-MAT-19/a query in two forms", "User-agent: *⏎Disallow: /a?u=/b", "User-agent: *⏎Disallow: /a?u=%2fb", nil},
		{"ROB-MAT-28/octets that no URI holds raw", "User-agent: *⏎Disallow: /a|b[1]⏎Disallow: /*?{", "User-agent: *⏎Disallow: /a%7cb%5B1%5d⏎Disallow: /*?%7B", nil},
		{"ROB-UA-08/an empty group", "User-agent: *⏎Disallow: /a", "User-agent: *⏎Disallow: /a⏎User-agent: x", []string{"x +/a by [2] []"}},
		{"ROB-UA-06/no longer named", "User-agent: *⏎Disallow: /a⏎User-agent: x⏎Disallow: /b", "User-agent: *⏎Disallow: /a", []string{"x -/a by [] [2]", "x +/b by [4] []"}},
		{"ROB-UA-02/the same agents in other words", "User-agent: BadBot/2.0⏎Disallow: /", "User-agent: badbot⏎Disallow: /x", []string{"BadBot +/ by [2] [] except /x"}},
		{"agents to whom the same happened", "User-agent: a⏎Disallow: /⏎User-agent: b⏎Disallow: /⏎User-agent: c⏎Disallow: /", "User-agent: c⏎Disallow: /", []string{"a,b +/ by [2 4] []"}},
		{"everybody", "", "User-agent: a⏎Disallow: /⏎User-agent: *⏎Disallow: /", []string{"a,* -/ by [] [2 4]"}},
		{"ROB-EXT-01/Crawl-delay", "User-agent: a⏎Disallow:⏎Crawl-delay: 1⏎User-agent: b⏎Disallow: /", "User-agent: a⏎Disallow:⏎Crawl-delay: 90⏎User-agent: b⏎Crawl-delay: 2.5⏎Disallow: /", []string{"a delay 1s 1m30s", "b delay 0s 2.5s"}},
		{"ROB-SMP-01/Sitemap", "Sitemap: http://h/1⏎Sitemap: http://h/2⏎Sitemap: http://h/3", "⏎Sitemap: http://h/3⏎Sitemap: http://H/2⏎Sitemap: http://h/1", []string{"removed http://h/2, line 2", "added http://H/2, line 3"}},
		{"the example of the package", "User-agent: *⏎Disallow: /cart/⏎Disallow: /search⏎Allow: /search/help", "User-agent: *⏎Disallow: /cart⏎Allow: /search/help⏎Disallow: /search", []string{"* -/cart by [] [2] except /cart/"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := Compare(parse(tt.old), parse(tt.new), nil)
			if diff := cmp.Diff(tt.want, told(d)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if d.Changed() != (len(tt.want) > 0) || !d.Complete {
				t.Errorf("changed %v, complete %v", d.Changed(), d.Complete)
			}
			for _, a := range d.Agents {
				for _, c := range a.Changes {
					was, is := parse(tt.old).Group(a.Agents[0]).Match(c.Example), parse(tt.new).Group(a.Agents[0]).Match(c.Example)
					if was.Allowed != c.Old.Allowed || is.Allowed != c.New.Allowed || (was.Rule == nil) != (c.Old.Rule == nil) {
						t.Errorf("%q is no example: %+v", c.Example, c)
					}
				}
			}
			back := Compare(parse(tt.new), parse(tt.old), nil)
			if back.Changed() != d.Changed() {
				t.Errorf("the other way round: %q", told(back))
			}
		})
	}
}

// TestOptions holds that files are compared by the options they were parsed with.
func TestOptions(t *testing.T) {
	for name, opts := range map[string]*robotstxt.Options{
		"ROB-MAT-10/assume slash":    {AssumeSlash: true},
		"ROB-MAT-24/Google's parser": {GoogleParser: true},
	} {
		t.Run(name, func(t *testing.T) {
			old := "User-agent: *\nDisallow: /d\nDisallow: x\n"
			read := func(text string) *robotstxt.File { return robotstxt.Parse([]byte(text), opts) }
			got := told(Compare(read(old), read(old+"Allow: /d/index.html\nDisallow:\n"), nil))
			want := []string{"* +/d/index.html by [2] [4]"}
			if opts.GoogleParser {
				want = []string{"* +/d/$ by [2] [4]", "* +/d/index.html by [2] [4]"}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			got = told(Compare(read(old), read("User-agent: *\nDisallow: /d\n"), nil))
			if opts.AssumeSlash != slices.Equal(got, []string{"* +/x by [3] []"}) {
				t.Errorf("%q", got)
			}
		})
	}
}

// TestNames holds that two names are one where the files say so, and only there.
func TestNames(t *testing.T) {
	const one, other = "User-agent: %s\nDisallow: /\n", "User-agent: %s\nDisallow: /x\n"
	for _, tt := range []struct {
		name, was, is string
		want          []string
	}{
		{"ROB-UA-11/digits", "bot1", "bot2", []string{"bot2 -/x by [] [4]"}},
		{"ROB-UA-15/no names", "\xe9bot", "\u212abot", nil},
		{"ROB-UA-02/case does not count", "Bot", "bot", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			was := fmt.Sprintf(one, tt.was)
			is := was + fmt.Sprintf(other, tt.is)
			got := told(Compare(parse(was), parse(is), nil))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			back := told(Compare(parse(is), parse(was), nil))
			if len(back) != len(got) {
				t.Errorf("the other way round: %q", back)
			}
		})
	}
}

// TestHostileFilesReachMaxSteps checks that comparing hostile files ends with Complete false.
func TestHostileFilesReachMaxSteps(t *testing.T) {
	stars := func(a, b string) string {
		text := "User-agent: *\n"
		for i := range 60 {
			text += "Disallow: /" + strings.Repeat("*"+a, 1000+i) + "\nAllow: /" + strings.Repeat("*"+b, 800+i) + "\n"
		}
		return text
	}
	every := "User-agent: *\n"
	for i := range len(fillers) {
		every += "Disallow: /" + fillers[i:i+1] + "\n"
	}
	for name, files := range map[string][2]string{
		"stars":                     {stars("a", "ab"), stars("b", "ba")},
		"every character is in use": {every, every + "Allow: /a*b\n"},
	} {
		t.Run(name, func(t *testing.T) {
			d := Compare(parse(files[0]), parse(files[1]), &Options{MaxSteps: 1_000_000})
			if d.Complete {
				t.Error("complete")
			}
		})
	}
}

// TestThousandsOfRules checks that comparing thousands of rules is complete.
func TestThousandsOfRules(t *testing.T) {
	if testing.Short() {
		t.Skip("it compares files that are large")
	}
	file := func(name string, step int) string {
		var b strings.Builder
		b.WriteString("User-agent: *\nAllow: /*.css$\n")
		for i := 0; i < 10000; i += step {
			fmt.Fprintf(&b, "Disallow: /%s/%d/\n", name, i)
		}
		return b.String()
	}
	for _, tt := range []struct {
		old, new string
		want     int
	}{
		{file("a", 1), file("a", 1), 0},
		{file("a", 1), file("a", 2), 5000},
		{file("a", 1), file("b", 1), 20000},
	} {
		d := Compare(parse(tt.old), parse(tt.new), nil)
		changes := 0
		for _, a := range d.Agents {
			changes += len(a.Changes)
		}
		if changes != tt.want || !d.Complete {
			t.Errorf("%d changes, want %d; complete %v", changes, tt.want, d.Complete)
		}
	}
}

// TestRealFiles compares real files with each other and with themselves.
func TestRealFiles(t *testing.T) {
	dir := filepath.Join("..", "..", "..", "..", "shared", "robots-corpus")
	names, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if len(names) == 0 {
		if os.Getenv("CI") != "" {
			t.Fatalf("no real files in %s", dir)
		}
		t.Skipf("no real files in %s", dir)
	}
	var last *robotstxt.File
	pairs, incomplete := 0, 0
	for i, name := range names {
		if testing.Short() && i%5 > 0 {
			continue
		}
		body, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		f := robotstxt.Parse(body, nil)
		if printed := robotstxt.Parse([]byte(f.String()), nil); Compare(f, printed, nil).Changed() {
			t.Errorf("%s: %q", filepath.Base(name), told(Compare(f, printed, nil)))
		}
		if i%10 > 0 {
			continue
		}
		if last != nil {
			pairs++
			if d := Compare(last, f, &Options{MaxSteps: 10_000_000}); !d.Complete {
				incomplete++
			}
		}
		last = f
	}
	if incomplete > pairs/10 {
		t.Errorf("%d of %d pairs were not compared to the end", incomplete, pairs)
	}
}
