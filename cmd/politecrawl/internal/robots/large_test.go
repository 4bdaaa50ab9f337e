package robots

import (
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/clitest"
)

// TestTooLarge holds that every command says that a robots.txt goes on behind what
// is read of it, whether it is a file or a site's.
func TestTooLarge(t *testing.T) {
	body := "User-agent: *\nDisallow: /a/\n" + strings.Repeat("#"+strings.Repeat("x", 99)+"\n", 5200) + "Disallow: /late\n"
	site, file := serveRobots(t, body).URL, clitest.WriteFile(t, "robots.txt", body)
	for name, tt := range map[string]struct {
		args  []string
		code  int
		words string
	}{
		"lint":                {[]string{"lint", site}, cli.ExitFindings, ":5072: error: "},
		"lint a file":         {[]string{"lint", file}, cli.ExitFindings, ":5072: error: "},
		"show":                {[]string{"show", site}, cli.ExitDone, cutOff},
		"show a file":         {[]string{"show", file}, cli.ExitDone, "        too-large: the file exceeds the size limit"},
		"show, for a script":  {[]string{"show", site, "--format", "json"}, cli.ExitDone, `"truncated":true`},
		"check":               {[]string{"check", "--explain", site + "/late"}, cli.ExitDone, cutOff},
		"check a file":        {[]string{"check", "--explain", "--robots", file, "/late"}, cli.ExitDone, cutOff},
		"check, for a script": {[]string{"check", "--explain", "--format", "json", site + "/late"}, cli.ExitDone, `"truncated":true`},
		"agents":              {[]string{"agents", site}, cli.ExitDone, cutOff},
		"agents of a file":    {[]string{"agents", file, "--format", "json"}, cli.ExitDone, `"truncated":true`},
		"diff":                {[]string{"diff", site, diffNew}, cli.ExitFindings, "/robots.txt " + cutOff},
		"diff of files":       {[]string{"diff", diffNew, file}, cli.ExitFindings, "robots.txt " + cutOff},
	} {
		t.Run("ROB-FMT-14/"+name, func(t *testing.T) {
			got := run(t, append([]string{"robots"}, tt.args...)...)
			if got.Code != tt.code || !strings.Contains(got.Out+got.Stderr, tt.words) {
				t.Errorf("exit code %d, want %d and %q in:\n%s%s", got.Code, tt.code, tt.words, got.Out, got.Stderr)
			}
			if strings.Contains(got.Out, "     0  ") {
				t.Errorf("a line 0: %s", got.Out)
			}
		})
	}
}

// manyAgents is a file. One half of it names agents, and the other has rules for
// them all.
func manyAgents(size int) string {
	var b strings.Builder
	for i := 0; b.Len() < size/2; i++ {
		name := strings.Map(func(c rune) rune { return c - '0' + 'a' }, fmt.Sprint(i))
		fmt.Fprintf(&b, "User-agent: %s\n", name)
	}
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, "Disallow: /%d/\n", i)
	}
	return b.String()
}

// TestShowManyAgents holds that a file costs what its lines do, and not the rules
// times the agents.
func TestShowManyAgents(t *testing.T) {
	file := clitest.WriteFile(t, "robots.txt", manyAgents(500<<10))
	for _, format := range []string{"text", "json"} {
		got := run(t, "robots", "show", file, "--format", format)
		if got.Code != cli.ExitDone || strings.Count(got.Out, "Disallow: /100/") != 1 || len(got.Out) > 5<<20 {
			t.Errorf("ROB-GRP-01: %s: exit code %d, %d bytes", format, got.Code, len(got.Out))
		}
	}
}

// overlapping is a file of n agents that share n rules, as many fields, and have a
// group of their own besides.
func overlapping(n int) string {
	var names, shared, own strings.Builder
	for i := range n {
		name := strings.Map(func(c rune) rune { return c - '0' + 'a' }, fmt.Sprint(i))
		fmt.Fprintf(&names, "User-agent: %s\n", name)
		fmt.Fprintf(&shared, "Allow: /%d\nx: %[1]d\n", i)
		fmt.Fprintf(&own, "User-agent: %s\nAllow: /x\n", name)
	}
	return names.String() + shared.String() + own.String()
}

// TestShowOverlap holds that groups which overlap are listed up to a bound.
func TestShowOverlap(t *testing.T) {
	if testing.Short() {
		t.Skip("it reads a file of 6,000 groups that overlap")
	}
	file := clitest.WriteFile(t, "robots.txt", overlapping(6000))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got := run(t, "robots", "show", file, "--format", "json")
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 500<<20 {
		t.Errorf("ROB-GRP-09: %d MiB allocated", used>>20)
	}
	s := clitest.JSON[fileOutput](t, got.Out)
	listed, unlisted := 0, 0
	for _, g := range s.Groups {
		if g.Omitted > 0 {
			unlisted++
		}
		listed += len(g.Rules) + len(g.Fields)
	}
	if len(s.Groups) != 6000 || unlisted < 5900 || listed > maxListed || listed < maxListed/2 || len(s.Other) > 0 {
		t.Errorf("ROB-GRP-09: %d groups, %d not listed, %d lines, %d of no group", len(s.Groups), unlisted, listed, len(s.Other))
	}
	got = run(t, "robots", "show", file)
	if !strings.Contains(got.Out, "Group b:\n") || !strings.Contains(got.Out, "        12001 rules and fields are not listed: too many groups overlap\n") {
		t.Errorf("ROB-GRP-09: %.300s", got.Out)
	}
}

// TestAgentsManyRules holds that agents who share a group are asked for once, and
// that a file by which all have different groups is given up.
func TestAgentsManyRules(t *testing.T) {
	if testing.Short() {
		t.Skip("it tells the rules of all known agents, of 5,000 patterns")
	}
	var rules, names, own strings.Builder
	word := strings.NewReplacer("0", "a", "1", "b")
	for i := range 5000 {
		fmt.Fprintf(&rules, "Disallow: /*%sc\n", word.Replace(fmt.Sprintf("%015b", i)))
	}
	for _, k := range table(t) {
		if tokens := k.tokens; len(tokens) > 0 {
			fmt.Fprintf(&names, "User-agent: %s\n", tokens[0])
			fmt.Fprintf(&own, "User-agent: %s\nAllow: /%[1]s\n", tokens[0])
		}
	}
	shared := matrixOf(t, runWith(t, "User-agent: *\n"+rules.String(), "robots", "agents", "-", "--format", "json"))
	if len(shared.Paths) != 2 || shared.Paths[1].SimilarPaths != 4999 || shared.RulesOmitted != 0 {
		t.Errorf("one group: %+v, %d rules left out", shared.Paths, shared.RulesOmitted)
	}
	const remark = " rules were not checked: there are too many wildcards\n"
	got := runWith(t, names.String()+rules.String()+own.String(), "robots", "agents", "-")
	if got.Code != cli.ExitDone || !strings.HasSuffix(got.Out, remark) {
		t.Errorf("a group for each: exit code %d, %.1000s", got.Code, got.Out)
	}
}

// Redirects without an end differ from a missing robots.txt in the output.
func TestRobotsRedirectLoops(t *testing.T) {
	hops := 0
	far := clitest.Server(t, func(w http.ResponseWriter, r *http.Request) {
		hops++
		http.Redirect(w, r, fmt.Sprint("/", hops), http.StatusFound)
	}).URL
	loop := clitest.Server(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/robots.txt", http.StatusFound) }).URL
	for name, tt := range map[string]struct {
		command []string
		code    int
	}{
		"check":   {[]string{"check"}, cli.ExitDone},
		"json":    {[]string{"check", "--format", "json"}, cli.ExitDone},
		"explain": {[]string{"check", "--explain"}, cli.ExitDone},
		"lint":    {[]string{"lint"}, cli.ExitFindings},
		"show":    {[]string{"show"}, cli.ExitDone},
		"agents":  {[]string{"agents"}, cli.ExitDone},
		"diff":    {[]string{"diff", diffNew}, cli.ExitFindings},
	} {
		for site, words := range map[string]string{far: "more than 5 redirects", loop: "redirect loop"} {
			t.Run("ROB-FET-07/"+name, func(t *testing.T) {
				got := run(t, append(append([]string{"robots"}, tt.command...), site)...)
				if text := got.Out + got.Stderr; got.Code != tt.code || !strings.Contains(text, words) || strings.Contains(text, "there is no http") {
					t.Errorf("exit code %d, want %d and %q:\n%s", got.Code, tt.code, words, text)
				}
			})
		}
	}
}
