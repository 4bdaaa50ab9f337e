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
func compared(t *testing.T, g generator, exact bool) (changed int) {
	t.Helper()
	old := g.rules(6)
	new := g.edited(old)
	d := Compare(robotstxt.Parse(file(old), nil), robotstxt.Parse(file(new), nil), nil)
	verdicts := func(path string) (was, is bool) {
		return robotstxttest.Allowed(file(old), nil, "http://h"+path), robotstxttest.Allowed(file(new), nil, "http://h"+path)
	}
	var changes []Change
	for _, a := range d.Agents {
		changes = append(changes, a.Changes...)
	}
	fail := func(format string, args ...any) {
		t.Helper()
		t.Errorf("old\n\t%s\nnew\n\t%s", strings.Join(old, "\n\t"), strings.Join(new, "\n\t"))
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
		path := g.path(slices.Concat(old, new))
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

// TestGenerated holds the claim of the package on files that are made up.
func TestGenerated(t *testing.T) {
	for name, alphabet := range map[string][]string{"plain": plainText, "query": query, "forms": forms2, "awkward": awkward} {
		t.Run(name, func(t *testing.T) {
			changed := 0
			for seed := range uint64(2000) {
				if changed += compared(t, newGenerator(seed, alphabet), name != "forms"); t.Failed() {
					t.Fatalf("seed %d", seed)
				}
			}
			t.Logf("%d paths have changed", changed)
			if changed < 1000 {
				t.Errorf("only %d paths have changed", changed)
			}
		})
	}
}
