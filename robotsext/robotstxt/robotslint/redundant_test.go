package robotslint

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/robotsext/robotstxt/robotstxttest"
)

// removable are the kinds of rules that no verdict needs. One that never matches
// is not for removal, but is to make no difference when its path is removed.
var removable = []Kind{KindDuplicateRule, KindRedundantRule, KindOverruledRule, KindNeverMatches}

// lineRange are the lines that a finding says are redundant.
func lineRange(f Finding) (first, last int) {
	if f.Kind == KindRedundantGroup {
		if n, err := fmt.Sscanf(f.Fix, "remove the group, lines %d to %d", &first, &last); n != 2 || err != nil {
			panic(fmt.Sprintf("%q: %v", f.Fix, err))
		}
		return first, last
	}
	return f.Line, f.Line
}

// removals are the findings that say that something is redundant.
func removals(body string) (list []Finding) {
	for _, f := range Lint([]byte(body), &Options{MaxPerKind: -1}) {
		if strings.HasPrefix(f.Fix, "check line ") {
			continue
		}
		if f.Kind == KindRedundantGroup || slices.Contains(removable, f.Kind) {
			list = append(list, f)
		}
	}
	return list
}

// without removes the lines that findings say are redundant.
func without(body string, list ...Finding) string {
	lines := map[int]string{}
	for _, f := range list {
		first, last := lineRange(f)
		for n := first; n <= last; n++ {
			if lines[n] = ""; f.Kind == KindNeverMatches {
				lines[n] = "Disallow:"
			}
		}
	}
	return replaceLines(body, lines)
}

// replaceLines replaces lines by number; "" removes a line.
func replaceLines(body string, lines map[int]string) string {
	var b strings.Builder
	for n := 1; body != ""; n++ {
		end := strings.IndexAny(body, "\r\n")
		switch {
		case end < 0:
			end = len(body)
		case strings.HasPrefix(body[end:], "\r\n"):
			end += 2
		default:
			end++
		}
		switch line, ok := lines[n]; {
		case !ok:
			b.WriteString(body[:end])
		case line != "":
			b.WriteString(line + "\n")
		}
		body = body[end:]
	}
	return b.String()
}

// pathsOf are the values of the rules of a file.
func pathsOf(body string) (paths []string) {
	for _, r := range read([]byte(body), len(body), false).records {
		if r.usable() {
			paths = append(paths, r.value)
		}
	}
	return paths
}

// judge holds that two files give the same verdicts.
func judge(t *testing.T, before, after string, agents, urls []string) {
	t.Helper()
	for _, url := range urls {
		for _, agent := range agents {
			want := robotstxttest.Allowed([]byte(before), []string{agent}, url)
			if got := robotstxttest.Allowed([]byte(after), []string{agent}, url); got != want {
				t.Fatalf("%s for %s: %v became %v\nbefore:\n%s\nafter:\n%s", url, agent, want, got, before, after)
			}
		}
	}
}

// checkRemovals removes what is redundant, each alone and all at once.
func checkRemovals(t *testing.T, body string, agents, urls []string) (removed int) {
	t.Helper()
	list := removals(body)
	if len(list) == 0 {
		return 0
	}
	for _, f := range list {
		judge(t, body, without(body, f), agents, urls)
	}
	judge(t, body, without(body, list...), agents, urls)
	return len(list)
}

// TestRedundantGenerated holds that what is said to be redundant is, on files that
// are made up.
func TestRedundantGenerated(t *testing.T) {
	removed, seeds := 0, 200
	if testing.Short() {
		seeds = 100
	}
	for seed := range uint64(seeds) {
		removed += generated(t, seed)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	if removed < seeds*2/5 {
		t.Errorf("only %d findings were put to the test", removed)
	}
}

func generated(t *testing.T, seed uint64) int {
	g := newGenerator(seed)
	body := g.file()
	paths := pathsOf(body)
	var urls []string
	for range 12 {
		urls = append(urls, g.url(paths))
	}
	return checkRemovals(t, body, []string{"a", "b", "c", "x"}, urls)
}

// TestRedundantExhaustive holds the same on small groups and all short URLs.
func TestRedundantExhaustive(t *testing.T) {
	var urls []string
	for n := range 256 {
		var b strings.Builder
		for range 4 {
			b.WriteByte("/a?:"[n%4])
			n /= 4
		}
		urls = append(urls, "http://h/"+b.String(), "http://h/"+strings.ReplaceAll(b.String(), ":", "%3A"))
	}
	removed := 0
	for seed := range uint64(10) {
		g := newGenerator(seed)
		body := "User-agent: *\n"
		for range 3 {
			body += g.pick("Allow: ", "Disallow: ") + "/" + g.some(3, "a", "/", "?", ":", "*", "%3A") + g.pick("", "", "*", "$") + "\n"
		}
		removed += checkRemovals(t, body, []string{"x"}, urls)
	}
	if removed < 3 {
		t.Errorf("only %d findings were put to the test", removed)
	}
}

// TestRedundantReal holds the same on real files, with URLs made of their rules.
func TestRedundantReal(t *testing.T) {
	if testing.Short() {
		t.Skip("it lints all real robots.txt files")
	}
	removed, files := 0, realFiles(t)
	for i, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		body := string(text)
		list := removals(body)
		if len(list) == 0 || len(body) > 5_000 {
			continue
		}
		g := newGenerator(uint64(i))
		paths := pathsOf(body)
		agents := []string{"x"}
		for _, r := range read(text, len(text), false).records {
			if name := agentName(r.value); r.field == agentField && name != "" && len(agents) < 3 && g.IntN(3) == 0 {
				agents = append(agents, name)
			}
		}
		after := without(body, list...)
		for range 2 {
			f := list[g.IntN(len(list))]
			_, path, _ := strings.Cut(f.Text, ":")
			judge(t, body, after, agents, []string{g.url(paths), g.url([]string{strings.TrimSpace(path)})})
			judge(t, body, without(body, f), agents, []string{g.url([]string{strings.TrimSpace(path)})})
		}
		removed += len(list)
	}
	if removed < 200 {
		t.Errorf("only %d findings were put to the test", removed)
	}
}

// TestRedundant says which rules are found and which are not.
func TestRedundant(t *testing.T) {
	for _, tt := range []struct {
		name, file, want string // by line: kind
	}{
		{"ROB-MAT-03/below another", "D /a⏎D /a/b", "3 redundant-rule"},
		{"ROB-MAT-03/in any order", "D /a/b⏎D /a", "2 redundant-rule"},
		{"ROB-MAT-03/an Allow between", "D /a⏎A /a/b⏎D /a/b/c", ""},
		{"ROB-MAT-03/an Allow elsewhere", "D /a⏎A /b⏎D /a/b/c", "4 redundant-rule"},
		{"ROB-MAT-03/an Allow that is longer", "D /a⏎D /a/b⏎A /a/b/c", "3 redundant-rule"},
		{"ROB-MAT-03/an Allow that is shorter", "A /⏎D /a⏎D /a/b", "4 redundant-rule"},
		{"ROB-MAT-03/an Allow of one page", "D /⏎A /$⏎D /a/b", "4 redundant-rule"},
		{"ROB-MAT-03/an Allow with a star, of a length between", "D /a⏎A /*.css⏎D /a/bcdefg", ""},
		{"ROB-MAT-03/an Allow with a star, longer", "D /a⏎A /*.stylesheet⏎D /a/b", "4 redundant-rule"},
		{"ROB-MAT-03/Allow below Allow", "D /⏎A /a⏎A /a/b", "4 redundant-rule"},
		{"ROB-MAT-03/a Disallow between", "A /a⏎D /a/b⏎A /a/b/c", ""},
		{"ROB-GRP-09/the same", "D /a⏎D /b⏎D /a", "4 duplicate-rule"},
		{"ROB-GRP-09/the same, thrice", "D /a⏎D /a⏎D /a", "3 duplicate-rule⏎4 duplicate-rule"},
		{"ROB-MAT-17/the same, written in another way", "D /a%7eb⏎D /a~b", "3 redundant-rule"},
		{"ROB-MAT-28/the same, an octet that no URI holds raw", "D /1%7c⏎D /1|", "3 redundant-rule"},
		{"ROB-MAT-04/as long, Allow", "A /a⏎D /a", "3 overruled-rule"},
		{"ROB-MAT-04/as long, Allow comes later", "D /a⏎A /a", "2 overruled-rule"},
		{"ROB-MAT-03/longer by a star", "A /a⏎D /a*", "2 overruled-rule"},
		{"ROB-MAT-08/a star at the end", "D /a⏎D /a*", "3 redundant-rule"},
		{"ROB-MAT-06/a star in between", "D /*?sort=⏎D /shop/*?sort=asc", "3 redundant-rule"},
		{"ROB-MAT-06/a star that covers no other", "D /a*b⏎D /*b⏎D /a*c", "2 redundant-rule"},
		{"ROB-MAT-07/a $", "D /*.gif$⏎D /a/b.gif$⏎D /a/b.gif", "3 redundant-rule"},
		{"ROB-MAT-07/a $ covers nothing longer", "D /a$⏎D /a/b", ""},
		{"ROB-MAT-18/escapes stay apart", "D /a/b⏎D /a%2Fb/c", ""},
		{"ROB-MAT-19/the second form of a query", "D /a?b:⏎D /a?b:c", "3 redundant-rule"},
		{"ROB-MAT-19/nor what is covered in the first form alone", "D /*?a/b⏎D /x?y?a/b", ""},
		{"ROB-MAT-03/an Allow with a star and a $, of a length between", "D /a⏎A /*.css$⏎D /a/bcdefgh", ""},
		{"ROB-MAT-03/an Allow with a $ as a letter, which counts one", "D /⏎A /$a⏎D /%2*", "3 overruled-rule⏎3 inner-dollar"},
		{"ROB-MAT-01/case", "D /A⏎D /a/b", ""},
		{"ROB-MAT-09/nothing to cover", "D⏎D /a", "2 empty-rule"},
		{"ROB-GRP-10/another group", "D /a⏎U b⏎D /a/b", ""},
		{"ROB-GRP-09/a merged group", "D /a⏎D /c⏎U b⏎D /d⏎U *⏎D /a/b⏎D /e⏎U c⏎D /f", "6 repeated-group⏎7 redundant-rule"},
		{"ROB-GRP-09/a merged group that adds nothing", "D /a⏎U b⏎D /d⏎U *⏎D /a/b⏎U c⏎D /f", "5 redundant-group⏎5 repeated-group"},
		{"ROB-GRP-09/a rule that another of its agents needs", "D /a⏎U b⏎U *⏎D /a/b", "4 repeated-group"},
		{"ROB-GRP-12/a group with a delay is kept together", "D /a⏎U b⏎D /d⏎U *⏎Crawl-delay: 2⏎D /a/b⏎U c⏎D /f", "5 repeated-group"},
		{"ROB-UA-11/a name with digits is one of its own", "D /x⏎U MJ⏎D /a⏎U MJ12bot⏎D /a", "5 agent-cut⏎5 repeated-group"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			body := "User-agent: *\n"
			for line := range strings.SplitSeq(tt.file, "⏎") {
				for short, field := range map[string]string{"U": "User-agent:", "A": "Allow:", "D": "Disallow:"} {
					if rest, ok := strings.CutPrefix(line, short); ok && (rest == "" || rest[0] == ' ') {
						line = field + rest
						break
					}
				}
				body += line + "\n"
			}
			var got []string
			for _, f := range Lint([]byte(body), nil) {
				got = append(got, fmt.Sprintf("%d %s", f.Line, f.Kind))
			}
			if text := strings.Join(got, "⏎"); text != tt.want {
				t.Errorf("got  %s\nwant %s\n%s", text, tt.want, body)
			}
		})
	}
}
