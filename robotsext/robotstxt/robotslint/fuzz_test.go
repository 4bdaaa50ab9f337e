package robotslint

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// FuzzLint reads anything. Findings have all that they need and are in order, the
// lines were taken apart as robotstxt takes them, and what is said to be redundant
// is.
func FuzzLint(f *testing.F) {
	files, err := filepath.Glob(filepath.Join("testdata", "*", "*.txt"))
	if err != nil || len(files) == 0 {
		f.Fatal(err, files)
	}
	for i, file := range files {
		body, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(body, uint64(i))
	}
	f.Add([]byte("User-agent: a\nX\x1b[2J\xff: 1\nUser-agent: b\n"), uint64(0))
	f.Add([]byte("a\nUser Agent\bAllow:0"), uint64(0))
	f.Add([]byte("<html>\nUser-agent: *\nDisallow: /a \u00a0\n"), uint64(0))
	for seed := range uint64(10) {
		f.Add([]byte(newGenerator(seed).file()), seed)
	}
	f.Fuzz(func(t *testing.T, body []byte, seed uint64) {
		checkFindings(t, body)
		checkSource(t, body)
		if len(body) < 500 {
			g := newGenerator(seed)
			paths := pathsOf(string(body))
			checkRemovals(t, string(body), []string{"a", "examplebot"}, []string{g.url(paths), g.url(paths), g.url(paths)})
		}
	})
}

// TestLintGenerated is a round of FuzzLint on files that are made up.
func TestLintGenerated(t *testing.T) {
	seeds := uint64(1000)
	if testing.Short() {
		seeds = 300
	}
	for seed := range seeds {
		body := []byte(newGenerator(seed).file())
		checkFindings(t, body)
		if checkSource(t, body); t.Failed() {
			t.Fatalf("seed %d: %q", seed, body)
		}
	}
}

func checkFindings(t *testing.T, body []byte) {
	t.Helper()
	lines := 1 + strings.Count(string(body), "\n") + strings.Count(string(body), "\r")
	findings := Lint(body, &Options{MaxPerKind: 3})
	for i, x := range findings {
		if x.Line < 1 || x.Line > lines || i > 0 && x.Line < findings[i-1].Line {
			t.Errorf("%+v comes after line %d of %d", x, findings[max(i-1, 0)].Line, lines)
		}
		if !strings.HasPrefix(x.SpecID, "ROB-") || x.Message == "" || x.Fix == "" && x.Kind != KindUnknownField || x.Omitted < 0 {
			t.Errorf("%+v lacks something", x)
		}
		if strings.ContainsFunc(x.Message+x.Fix, func(c rune) bool { return !unicode.IsGraphic(c) }) || !utf8.ValidString(x.Message+x.Fix) {
			t.Errorf("%+v has characters in it that are none to look at: %q", x, x.Message+x.Fix)
		}
		if !slices.Contains([]Severity{Error, Warning, Note}, x.Severity) || kinds[x.Kind].severity == "" {
			t.Errorf("%+v is of no known kind", x)
		}
	}
}

// checkSource holds that lines are taken apart, and groups found, as robotstxt
// does.
func checkSource(t *testing.T, body []byte) {
	t.Helper()
	s, f := read(body, robotstxt.DefaultMaxBytes, false), robotstxt.Parse(body, &robotstxt.Options{MaxExtensions: -1})
	type rule struct {
		line  int
		allow bool
		path  string
	}
	rules := map[string][]rule{}
	for _, b := range s.blocks {
		for i, agent := range b.agents {
			if _, known := rules[agent]; agent == "" || slices.Contains(b.agents[:i], agent) {
				continue
			} else if !known {
				rules[agent] = nil
			}
			for at := b.first; at <= b.last; at++ {
				if r := &s.records[at]; r.usable() {
					rules[agent] = append(rules[agent], rule{r.line, r.field == allowField, r.value})
				}
			}
		}
	}
	agents := slices.DeleteFunc(f.Agents(), func(name string) bool { // the source has no names with digits or dots
		return name != "*" && !robotstxt.ValidToken(name)
	})
	if len(agents) != len(rules) {
		t.Errorf("agents %v, want %q", rules, agents)
	}
	for _, agent := range agents {
		var want []rule
		for _, r := range f.Group(agent).Rules() {
			want = append(want, rule{r.Line, r.Allow, r.Pattern})
		}
		if got := rules[strings.ToLower(agent)]; !slices.Equal(got, want) {
			t.Errorf("rules for %q: %v, want %v", agent, got, want)
		}
	}
	for _, e := range f.Extensions {
		if r := s.at(e.Line); r == nil || r.field != otherField || r.name != e.Field || r.value != e.Value || (r.block < 0) != (e.Agents == nil) {
			t.Errorf("line %d is %+v, want %+v", e.Line, r, e)
		}
	}
	for _, x := range f.Findings {
		if x.Line > 0 && x.Kind != robotstxt.KindHTML && s.at(x.Line) == nil {
			t.Errorf("line %d is taken for empty, but robotstxt says %v", x.Line, x)
		}
	}
	if s.html != slices.ContainsFunc(f.Findings, func(x robotstxt.Finding) bool { return x.Kind == robotstxt.KindHTML }) {
		t.Errorf("HTML: %v", s.html)
	}
	if (s.unread > 0) != f.Truncated {
		t.Errorf("the first line not read is %d, truncated: %v", s.unread, f.Truncated)
	}
}
