package robotstxt

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/robotsext/robotstxt/robotstxttest"
)

// verdictTest is a file and what it means, in the notation of the
// specification: ⏎ ends a line; want is a list of "agent path D" (disallowed), "agent path A"
// (allowed) and "agent path E" (no crawler has this name), an agent of several names being
// written name+name.
type verdictTest struct {
	name string // begins with the id of the rule
	file string
	want string
	opts *Options
}

func (c verdictTest) body() []byte {
	return []byte(strings.ReplaceAll(c.file, "⏎", "\n"))
}

// runVerdicts checks each test, and against the naive judge those that use no
// option.
func runVerdicts(t *testing.T, tests []verdictTest) {
	t.Helper()
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			f := Parse(c.body(), c.opts)
			for want := range strings.SplitSeq(c.want, ", ") {
				checkVerdict(t, c, f, want)
			}
		})
	}
}

func checkVerdict(t *testing.T, c verdictTest, f *File, want string) {
	t.Helper()
	words := strings.Split(want, " ")
	if len(words) != 3 {
		t.Fatalf("cannot read %q", want)
	}
	tokens, url, allowed := strings.Split(words[0], "+"), words[1], words[2] == "A"
	if strings.HasPrefix(url, "/") {
		url = "http://h" + url
	}
	if words[2] == "E" {
		wantNoName(t, f.Check(url, tokens...))
		return
	}
	v := checkBothWays(t, f, url, tokens...)
	if v.Allowed != allowed || v.Err != nil {
		t.Errorf("%s: got %v by %v of group %q", want, v.Allowed, v.Rule, v.Group.Name())
	}
	if !v.Allowed && (v.Rule == nil || v.Rule.Allow) {
		t.Errorf("%s: disallowed by %v", want, v.Rule)
	}
	for i, name := range tokens {
		if name != "*" {
			tokens[i], _ = ProductToken(name)
		}
	}
	if c.opts == nil && robotstxttest.Allowed(c.body(), tokens, url) != allowed {
		t.Errorf("%s: the naive judge disagrees", want)
	}
}

// wantNoName holds that no crawler has the name of a verdict.
func wantNoName(t *testing.T, v Verdict) {
	t.Helper()
	if v.Allowed || v.Rule != nil || !errors.Is(v.Err, ErrToken) || !errors.Is(v.Group.Err(), ErrToken) {
		t.Errorf("allowed: %v, by %v, errors %v and %v", v.Allowed, v.Rule, v.Err, v.Group.Err())
	}
}

// dataBlock returns the cells of a data block of the specification.
func dataBlock(t *testing.T, name string) [][]string {
	t.Helper()
	_, block, ok := strings.Cut(specification(t), "```data "+name+"\n")
	block, _, end := strings.Cut(block, "\n```")
	if !ok || !end {
		t.Fatalf("no data block %q", name)
	}
	var rows [][]string
	for line := range strings.Lines(block) {
		cells := strings.Split(strings.TrimSuffix(line, "\n"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		rows = append(rows, cells)
	}
	return rows
}

// quoted returns what stands in backquotes in the paragraph of the
// specification that begins so.
func quoted(t *testing.T, beginning string) []string {
	t.Helper()
	for line := range strings.Lines(specification(t)) {
		if strings.HasPrefix(line, beginning) {
			parts := strings.Split(line, "`")
			var found []string
			for i := 1; i < len(parts); i += 2 {
				found = append(found, parts[i])
			}
			return found
		}
	}
	t.Fatalf("no paragraph begins with %q", beginning)
	return nil
}

func specification(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile("testdata/spec.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// hasFinding reports whether the file has a finding of a kind at a line.
func hasFinding(f *File, line int, kind Kind) bool {
	for _, x := range f.Findings {
		if x.Line == line && x.Kind == kind {
			return true
		}
	}
	return false
}

// TestCheckTakesAnyString shows what Check makes of what is no absolute URL, and Match of what is no path.
func TestCheckTakesAnyString(t *testing.T) {
	f := Parse([]byte("User-agent: *\nDisallow: /private/\nDisallow: /a$\nDisallow: /?q\nDisallow: /$\n"), nil)
	check := func(url string) Verdict { return f.Check(url, "x") }
	match := func(path string) Verdict { return f.Group("x").Match(path) }
	for _, tt := range []struct {
		ask                 func(string) Verdict
		disallowed, allowed string // separated by spaces
	}{
		{check, "http://h/private/x //h/private/x /private/x h/private/x h:80/private/x /public/../private/x ./private/x http://h?q http://h #/private/", "private/x"},
		{match, "/a a ?q /a#f /b/../a #/a", "b /a/"},
	} {
		for text := range strings.FieldsSeq(tt.disallowed + " " + tt.allowed) {
			if v := tt.ask(text); v.Allowed != slices.Contains(strings.Fields(tt.allowed), text) {
				t.Errorf("ROB-MAT-14: %s: allowed %v by %v", text, v.Allowed, v.Rule)
			}
		}
	}
	if check("").Allowed || match("").Allowed {
		t.Error("ROB-MAT-14: the empty string is the root")
	}
}
