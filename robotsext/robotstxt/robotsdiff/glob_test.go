package robotsdiff

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestGlob(t *testing.T) {
	for pattern, want := range map[string]struct {
		glob    glob
		written string
	}{
		"/a":     {"/a*", "/a"},
		"/a$":    {"/a", "/a$"},
		"/a*":    {"/a*", "/a"},
		"/a*$":   {"/a*", "/a"},
		"/**a**": {"/*a*", "/*a"},
		"*":      {"*", "*"},
		"*a$":    {"*a", "*a$"},
	} {
		if g := globOf(pattern); g != want.glob || g.pattern() != want.written {
			t.Errorf("%q: glob %q, written %q", pattern, g, g.pattern())
		}
	}
}

func TestContains(t *testing.T) {
	for _, tt := range []struct {
		outer, inner     string
		contains, covers bool
	}{
		{"/a", "/a", true, true},
		{"/a", "/ab", true, true},
		{"/ab", "/a", false, false},
		{"/a", "/a$", true, true},
		{"/a$", "/a", false, false},
		{"/*b", "/a*bc$", true, true},
		{"/*b$", "/*b", false, false},
		{"/a*a", "/aa", true, true},
		{"/a*a", "/a", false, false},
		{"*", "/", true, true},
		{"/", "*", true, true},
		{"*/a", "/a", true, true},
		{"/*/a", "*/a", false, false},
		{"/?a=/b", "/?a=%2Fb", false, true},
		{"/*?a=%2F", "/x?a=/b", false, true},
	} {
		g, h := globOf(tt.outer), globOf(tt.inner)
		s := search{steps: 1000}
		if contains, covers := s.contains(g, h), s.covers(g, h); contains != tt.contains || covers != tt.covers {
			t.Errorf("%q and %q: contains %v, covers %v", tt.outer, tt.inner, contains, covers)
		}
	}
}

func TestIntersect(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want []string
	}{
		{"/a", "/b", nil},
		{"/a", "/a/b", []string{"/a/b"}},
		{"/a$", "/", []string{"/a$"}},
		{"/a$", "/ab", nil},
		{"/*x", "/a*y", []string{"/a*x*y", "/a*y*x"}},
		{"/*ab$", "/*b", []string{"/*ab$"}},
		{"/*aba", "/*ab$", []string{"/*aba*ab$", "/*abab$"}},
		{"/a*", "/*/b", []string{"/a*/b"}},
		{"/a*b*c", "/a*c", []string{"/a*b*c"}},
		{"/ab*cd", "/a*bc*d", []string{"/ab*bc*cd", "/ab*bcd", "/ab*cd*bc*d", "/abc*cd", "/abcd"}},
	} {
		s := search{steps: 1_000_000}
		for _, pair := range [][2]string{{tt.a, tt.b}, {tt.b, tt.a}} {
			var got []string
			for _, g := range s.intersect(globOf(pair[0]), globOf(pair[1])) {
				got = append(got, g.pattern())
			}
			slices.Sort(got)
			if diff := cmp.Diff(tt.want, got); diff != "" || s.gaveUp {
				t.Errorf("%q and %q: gave up %v (-want +got):\n%s", pair[0], pair[1], s.gaveUp, diff)
			}
		}
	}
}

// TestGlobIndex holds that nothing which meets is left out, and little else is in.
func TestGlobIndex(t *testing.T) {
	seeds := uint64(100)
	if testing.Short() {
		seeds = 30
	}
	for seed := range seeds {
		g := newGenerator(seed, plainText)
		globs := make([]glob, 20)
		for i := range globs {
			globs[i] = globOf(g.pattern())
		}
		index := newGlobIndex(len(globs), func(i int) []glob { return globs[i : i+1] })
		s := search{steps: 1_000_000}
		for _, h := range globs {
			near := index.near(h)
			for i, k := range globs {
				if len(s.intersect(h, k)) > 0 && !slices.Contains(near, i) {
					t.Errorf("seed %d: %q is not near %q", seed, k, h)
				}
			}
			for _, i := range near {
				if a, b := globs[i].prefix(), h.prefix(); a[:min(len(a), len(b))] != b[:min(len(a), len(b))] {
					t.Errorf("seed %d: %q is near %q", seed, globs[i], h)
				}
			}
		}
	}
}
