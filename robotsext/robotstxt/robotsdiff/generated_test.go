package robotsdiff

import (
	"slices"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt/robotstxttest"
)

func file(rules []string) []byte {
	return []byte("User-agent: *\n" + strings.Join(rules, "\n") + "\n")
}

// matches asks the judge whether a pattern matches a path.
func matches(pattern, path string) bool {
	return !robotstxttest.Allowed(file([]string{"Disallow: " + pattern}), nil, "http://h"+path)
}

// compared compares two files that were made up, and holds what is reported
// against the naive judge: that each change is one, and of paths that are made
// up that those have changed which are reported, and no others. It returns how
// many paths have.
func compared(t *testing.T, g generator) (changed int) {
	t.Helper()
	before := g.rules(6)
	after := g.edited(before)
	oldFile, newFile := robotstxt.Parse(file(before), nil), robotstxt.Parse(file(after), nil)
	d := Compare(oldFile, newFile, nil)
	s := search{old: newSide(oldFile.Group(anybody)), new: newSide(newFile.Group(anybody))}
	s.survey()
	exact := !s.queries // the other claim is weaker
	verdicts := func(path string) (was, is bool) {
		return robotstxttest.Allowed(file(before), nil, "http://h"+path), robotstxttest.Allowed(file(after), nil, "http://h"+path)
	}
	var changes []Change
	for _, a := range d.Agents {
		changes = append(changes, a.Changes...)
	}
	for _, c := range changes {
		for _, pattern := range append(c.Except, c.Pattern) {
			exact = exact && len(forms(pattern)) == 1
		}
	}
	fail := func(format string, args ...any) {
		t.Helper()
		t.Errorf("old\n\t%s\nnew\n\t%s", strings.Join(before, "\n\t"), strings.Join(after, "\n\t"))
		for _, c := range changes {
			t.Logf("%q %v → %v, except %q, such as %q", c.Pattern, c.Old.Allowed, c.New.Allowed, c.Except, c.Example)
		}
		t.Fatalf(format, args...)
	}
	if !d.Complete {
		if exact {
			fail("not complete")
		}
		return 0
	}
	for _, c := range changes {
		if was, is := verdicts(c.Example); was == is || was != c.Old.Allowed || is != c.New.Allowed {
			fail("%q: reported as %v → %v, is %v → %v", c.Example, c.Old.Allowed, c.New.Allowed, was, is)
		}
		if exact && !matches(c.Pattern, c.Example) {
			fail("%q does not match its example %q", c.Pattern, c.Example)
		}
	}
	for range 40 {
		path := g.path(slices.Concat(before, after))
		was, is := verdicts(path)
		reported, covered := false, false
		for _, c := range changes {
			if c.Old.Allowed != was && was == is || !matches(c.Pattern, path) {
				continue
			}
			covered = covered || c.Old.Allowed == was && c.New.Allowed == is
			if !slices.ContainsFunc(c.Except, func(e string) bool { return matches(e, path) }) {
				reported = true
				if exact && (c.Old.Allowed != was || c.New.Allowed != is) {
					fail("%q: %v → %v, but %q is reported", path, was, is, c.Pattern)
				}
			}
		}
		if was == is {
			continue
		}
		changed++
		if !covered || exact && !reported {
			fail("%q: %v → %v is not reported", path, was, is)
		}
	}
	return changed
}

// alphabets are what the paths are made of, and how many files are made up of each
// for a test.
var alphabets = []struct {
	name     string
	alphabet []string
	seeds    uint64
}{
	{"plain", plainText, 600},
	{"query", query, 200},
	{"forms", forms2, 60},
	{"awkward", awkward, 150},
}

// TestGenerated holds the claim of the package on files that are made up.
func TestGenerated(t *testing.T) {
	for _, a := range alphabets {
		t.Run(a.name, func(t *testing.T) {
			changed, seeds := 0, a.seeds
			if testing.Short() {
				seeds /= 10
			}
			for seed := range seeds {
				if changed += compared(t, newGenerator(seed, a.alphabet)); t.Failed() {
					t.Fatalf("seed %d", seed)
				}
			}
			if changed < int(seeds) {
				t.Errorf("only %d paths have changed", changed)
			}
		})
	}
}

// FuzzCompare is TestGenerated for as long as there is time.
func FuzzCompare(f *testing.F) {
	for seed := range uint64(5) {
		f.Add(seed, uint8(seed))
	}
	f.Fuzz(func(t *testing.T, seed uint64, alphabet uint8) {
		compared(t, newGenerator(seed, alphabets[int(alphabet)%len(alphabets)].alphabet))
	})
}

// TestGeneratedAgents holds what is indexes of agents on files that are made up.
func TestGeneratedAgents(t *testing.T) {
	changed, seeds := 0, 400
	if testing.Short() {
		seeds = 100
	}
	for seed := range uint64(seeds) {
		g := newGenerator(seed, plainText)
		before, after := g.groups(), g.groups()
		if g.IntN(4) == 0 {
			after = before + g.groups()
		}
		oldFile, newFile := robotstxt.Parse([]byte(before), nil), robotstxt.Parse([]byte(after), nil)
		d := Compare(oldFile, newFile, nil)
		for range 20 {
			agent, path := g.pick("a", "A", "b", "c", "d"), "/"+g.text(3)
			was := robotstxttest.Allowed([]byte(before), []string{agent}, "http://h"+path)
			is := robotstxttest.Allowed([]byte(after), []string{agent}, "http://h"+path)
			if was != is {
				changed++
			}
			name := "*" // any that neither names
			if named := slices.Concat(oldFile.Agents(), newFile.Agents()); slices.ContainsFunc(named, func(n string) bool { return strings.EqualFold(n, agent) }) {
				name = agent
			}
			if got := d.reports(name, path); got != (was != is) {
				t.Fatalf("seed %d: %q for %s: %v → %v, reported %v\n%s\n\n%s\n%+v", seed, path, agent, was, is, got, before, after, d.Agents)
			}
		}
	}
	if changed < seeds*5/4 {
		t.Errorf("only %d verdicts have changed", changed)
	}
}

// reports tells whether a change of path is reported for an agent.
func (d *Diff) reports(agent, path string) bool {
	for _, a := range d.Agents {
		if !slices.ContainsFunc(a.Agents, func(name string) bool { return strings.EqualFold(name, agent) }) {
			continue
		}
		for _, c := range a.Changes {
			if matches(c.Pattern, path) && !slices.ContainsFunc(c.Except, func(e string) bool { return matches(e, path) }) {
				return true
			}
		}
	}
	return false
}
