// Package internal_test tests the small packages of this folder, which so share one test program.
package internal_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/robotsext/internal/clip"
	"github.com/politecrawl/politecrawl/robotsext/internal/fieldname"
	"github.com/politecrawl/politecrawl/robotsext/internal/prefixes"
	"github.com/politecrawl/politecrawl/robotsext/internal/rulepath"
	"github.com/politecrawl/politecrawl/robotsext/internal/weblink"
)

func TestClip(t *testing.T) {
	for _, tt := range []struct {
		in   string
		most int
		want string
	}{
		{"", 0, ""},
		{"abc", 3, "abc"},
		{"abcd", 3, "abc…"},
		{"abé", 3, "ab…"},
		{"ab😀", 5, "ab…"},
		{"ab😀", 6, "ab😀"},
		{"\x80\x80\x80\x80\x80\x80\x80", 6, "\x80\x80…"}, // no UTF-8: does not search further back than a character is long
		{"é", 1, "…"},
		{"\x80\x80", 1, "…"},
	} {
		if got := clip.Text(tt.in, tt.most); got != tt.want {
			t.Errorf("clip.Text(%q, %d) = %q, want %q", tt.in, tt.most, got, tt.want)
		}
	}
}

// TestNearestFieldName makes every change of one letter to every name, and takes
// Nearest at its word.
func TestNearestFieldName(t *testing.T) {
	for _, field := range []string{"user-agent", "allow", "disallow", "sitemap", "crawl-delay", "content-usage", "content-signal"} {
		changed := map[string]bool{}
		for i := range field {
			changed[field[:i]+field[i+1:]] = true
			for _, b := range "qzAx-" {
				changed[field[:i]+string(b)+field[i+1:]] = true
				changed[field[:i]+string(b)+field[i:]] = true
			}
			if i > 0 {
				changed[field[:i-1]+field[i:i+1]+field[i-1:i]+field[i+1:]] = true
			}
		}
		for name := range changed {
			if got := fieldname.Nearest(name); got != field {
				t.Errorf("ROB-FMT-11: %q for %q, want %q", got, name, field)
			}
		}
	}
	for name, want := range map[string]string{"Content-Usages": "content-usage", "content-use": "content-usage", "Content-Signals": "content-signal", "ContentSignal": "content-signal"} {
		if got := fieldname.Nearest(name); got != want {
			t.Errorf("ROB-FMT-11: %q for %q, want %q", got, name, want)
		}
	}
	for _, name := range []string{"", "width", "host", "clean-param", "sitemaster", "followed", "allee", "content-type", "content-length", "content-policy", "di\u017fallow", "\u212aallow",
		"Disallow-AI", "DisallowAITraining", "Disallow Robots", "allow_images", "Disallowed", "Dissallow2", "Sitemap-index", "User-agent-foo"} {
		if got := fieldname.Nearest(name); got != "" {
			t.Errorf("ROB-FMT-11: %q for %q", got, name)
		}
	}
}

func TestLongestPrefix(t *testing.T) {
	keys := []string{"/b", "/ab", "/", "/a", "/abc", "/ab", "/ac", "/ab\xff"}
	s := prefixes.New(keys)
	if !slices.IsSorted(s.Keys) || len(s.Keys) != 7 || keys[0] != "/b" {
		t.Errorf("keys %q of %q", s.Keys, keys)
	}
	for _, text := range append(keys, "", "x", "!", "/abx", "/abcd", "/az", "/c") {
		var want, got []string // what text begins with, the longest first
		for _, key := range slices.Backward(s.Keys) {
			if strings.HasPrefix(text, key) {
				want = append(want, key)
			}
		}
		for i := s.Longest(text); i >= 0; i = s.Parent(i) {
			got = append(got, s.Keys[i])
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q begins with %q, want %q", text, got, want)
		}
		i := s.Find(text)
		for j, key := range s.Keys {
			if strings.HasPrefix(key, text) && j < i || (j < i) != (key < text) {
				t.Errorf("%q is found at %d of %q", text, i, s.Keys)
			}
		}
	}
	if i := prefixes.New(nil).Longest("/"); i != -1 {
		t.Errorf("found at %d of nothing", i)
	}
}

func TestEscapeQuery(t *testing.T) {
	for in, want := range map[string]string{
		"":                      "",
		"/a:b/@'":               "/a:b/@'",
		"/a?":                   "/a?",
		"/a?b=c&d":              "/a?b=c&d",
		"/a/b?c=d/e?f:@g'h":     "/a/b?c=d%2Fe%3Ff%3A%40g%27h",
		"/*?u=http://h/*$":      "/*?u=http%3A%2F%2Fh%2F*$",
		"/?u=http%3A%2F%2Fh%5B": "/?u=http%3A%2F%2Fh%5B",
	} {
		t.Run("ROB-MAT-19/"+in, func(t *testing.T) {
			if got := rulepath.EscapeQuery(in); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
			if again := rulepath.EscapeQuery(want); again != want {
				t.Errorf("escaped again: %q", again)
			}
		})
	}
}

func TestParseLink(t *testing.T) {
	for _, tt := range []struct {
		line string
		want []weblink.Link
	}{
		{`<a>; rel="license"; type="application/rsl+xml"`, []weblink.Link{{Target: "a", Rel: "license", Type: "application/rsl+xml"}}},
		{`< a >;rel=x;rel=y, <b> ; REL = "z" ; anchor="#c",`, []weblink.Link{{Target: "a", Rel: "x"}, {Target: "b", Rel: "z", Anchor: true}}},
		{`<a,b;c>; title="a, \"b\"; rel=x"; type=t`, []weblink.Link{{Target: "a,b;c", Type: "t"}}},
		{`<a> rel=x, <b>`, []weblink.Link{{Target: "a"}}},
		{`<a>; type="t`, []weblink.Link{{Target: "a", Type: "t"}}},
		{`<a`, nil},
		{`a; rel=x`, nil},
		{"", nil},
	} {
		if got := slices.Collect(weblink.Parse(tt.line)); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %+v", tt.line, got)
		}
	}
}

func FuzzLink(f *testing.F) {
	for _, s := range []string{`<a>; rel="x"`, `<a>;rel=next, <b>; type=t; title="x\"y"`, "<", "<>;;,;=", `<a>;rel="`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		n := 0
		for link := range weblink.Parse(in) {
			n++
			if strings.Contains(link.Target, ">") || !strings.Contains(in, link.Target) {
				t.Fatalf("%+v out of %q", link, in)
			}
		}
		if n > strings.Count(in, "<") {
			t.Fatalf("%d links out of %q", n, in)
		}
	})
}
