package scope

import (
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
)

func TestHolds(t *testing.T) {
	tests := []struct {
		name  string
		scope Kind
		start string
		url   string
		want  bool
	}{
		{"same host", Host, "http://example.com/", "http://example.com/a", true},
		{"https of an http start", Host, "http://example.com/", "https://example.com/a", true},
		{"default ports written out", Host, "http://example.com:80/", "https://example.com:443/a", true},
		{"upper case", Host, "http://EXAMPLE.com/", "http://example.COM/a", true},
		{"sub-domain", Host, "http://example.com/", "http://www.example.com/", false},
		{"parent domain", Host, "http://www.example.com/", "http://example.com/", false},
		{"another port", Host, "http://example.com/", "http://example.com:8080/", false},
		{"same other port", Host, "http://example.com:8080/", "http://example.com:8080/a", true},
		{"a suffix of the name is another host", Host, "http://example.com/", "http://notexample.com/", false},
		{"sub-domain", Domain, "http://www.example.co.uk/", "https://shop.example.co.uk:8443/", true},
		{"sibling under a public suffix", Domain, "http://www.example.co.uk/", "http://other.co.uk/", false},
		{"IP addresses have no domain", Domain, "http://127.0.0.1/", "http://127.0.0.2/", false},
		{"same IP address", Domain, "http://127.0.0.1/", "http://127.0.0.1:81/", true},
		{"IPv6", Domain, "http://[::1]/", "http://[::1]:81/", true},
		{"bare name", Domain, "http://localhost/", "http://localhost/a", true},
		{"below the directory", Path, "http://example.com/docs/", "http://example.com/docs/a/b?c", true},
		{"the directory of a page", Path, "http://example.com/docs/index.html?x=/y/", "http://example.com/docs/a", true},
		{"the directory itself", Path, "http://example.com/docs/a", "http://example.com/docs/", true},
		{"the directory without its slash", Path, "http://example.com/docs/", "http://example.com/docs", false},
		{"a longer name", Path, "http://example.com/docs/", "http://example.com/docs2/a", false},
		{"parent directory", Path, "http://example.com/docs/a/", "http://example.com/docs/b", false},
		{"a query is no path", Path, "http://example.com/docs/", "http://example.com/?/docs/", false},
		{"dot segments", Path, "http://example.com/docs/", "http://example.com/docs/../a", false},
		{"the directory of a name without slash", Path, "http://example.com/docs", "http://example.com/a", true},
		{"root", Path, "http://example.com", "http://example.com/a/b", true},
		{"https of an http start", Path, "http://example.com/docs/", "https://example.com./docs/a", true},
		{"same directory of another host", Path, "http://example.com/docs/", "http://www.example.com/docs/a", false},
		{"same directory on another port", Path, "http://example.com/docs/", "http://example.com:81/docs/a", false},
		{"anything", Any, "http://example.com/", "http://other.example/", true},
	}
	for _, tt := range tests {
		t.Run(string(tt.scope)+"/"+tt.name, func(t *testing.T) {
			b := New(tt.scope, Bounds{})
			for _, want := range []bool{tt.scope != Any, false} {
				if news := b.Join(mustParse(t, tt.start)); news != want {
					t.Errorf("%s joins: news %v, want %v", tt.start, news, want)
				}
			}
			if got := b.Holds(mustParse(t, tt.url)); got != tt.want {
				t.Errorf("start %s: %s in scope: %v, want %v", tt.start, tt.url, got, tt.want)
			}
		})
	}
}

// A directory below one in the scope adds nothing, and the server is in the scope with its first
// directory. A directory above one in the scope widens it.
func TestPathJoins(t *testing.T) {
	s := New(Path, Bounds{})
	for _, step := range []struct {
		url    string
		server bool // it is in the scope before
		widens bool
		news   bool
		root   string
	}{
		{"http://example.com/docs/a/index.html", false, false, true, "http://example.com/docs/a/"},
		{"https://example.com/docs/a/b/", true, false, false, "https://example.com/docs/a/b/"},
		{"http://example.com/docs/b?c/d", true, true, true, "http://example.com/docs/"},
		{"http://example.com:81/docs/b", false, false, true, "http://example.com:81/docs/"},
		{"http://example.com/other/x", true, false, true, "http://example.com/other/"},
		{"http://example.com", true, true, true, "http://example.com/"},
		{"http://example.com/docs/", true, false, false, "http://example.com/docs/"},
		{"http://example.com/x/", true, false, false, "http://example.com/x/"},
	} {
		u := mustParse(t, step.url)
		if got := s.HoldsServer(u.Server); got != step.server {
			t.Errorf("%s: server in scope: %v", step.url, got)
		}
		if got := s.Widens(u); got != step.widens {
			t.Errorf("%s: widens the scope: %v", step.url, got)
		}
		if news := s.Join(u); news != step.news || s.Root(u) != step.root || !s.Holds(u) {
			t.Errorf("%s: news %v, root %s, in scope: %v", step.url, news, s.Root(u), s.Holds(u))
		}
	}
}

// FuzzPath: the root of a URL, which processes exchange, adds the same to the scope as the URL.
func FuzzPath(f *testing.F) {
	f.Add("http://example.com/docs/index.html?/", "https://example.com/docs/a/b")
	f.Add("http://a.test//", "http://a.test./")
	f.Add("http://[::1]:8080", "http://[::1]:8080/%2F/a;b/?c")
	f.Fuzz(func(t *testing.T, start, url string) {
		u, err := weburl.Parse(start)
		other, otherErr := weburl.Parse(url)
		if err != nil || otherErr != nil {
			return
		}
		byURL, byRoot := New(Path, Bounds{}), New(Path, Bounds{})
		byURL.Join(u)
		byRoot.Join(mustParse(t, byURL.Root(u)))
		if got, want := byRoot.Holds(other), byURL.Holds(other); got != want || !byURL.Holds(u) || !byRoot.Holds(u) {
			t.Errorf("start %s, root %s: %s in scope: %v and %v", u.Canonical, byURL.Root(u), other.Canonical, want, got)
		}
	})
}

func TestRepeated(t *testing.T) {
	for path, want := range map[string]string{
		"/":                                "",
		"/a/b/c/d/e":                       "",
		"/a/a/a":                           "",
		"/a/a/a/a":                         "/a",
		"/x/a/a/a/a/y":                     "/a",
		"/a/b/a/b/a/b":                     "",
		"/a/b/a/b/a/b/a/b":                 "/a/b",
		"/x/a/b/a/b/a/b/a/b":               "/a/b",
		"/a/b/a/c/a/d/a/e":                 "",
		"/a/b/c/d/a/b/c/d/a/b/c/d/a/b/c/d": "/a/b/c/d",
		"/tiles/0/0/0/0/0.png":             "",
		"/2011/11/11/11/11/x":              "",
		"/1/a/1/a/1/a/1/a":                 "/1/a",
		"//////":                           "/",
		"/a//b":                            "",
		"/" + strings.Repeat("1/2/3/4/5/6/7/8/x/", 9): "",
	} {
		if got := repeated("https://a.test"+path, 3); got != want {
			t.Errorf("repeated(%s) = %q, want %q", path, got, want)
		}
	}
}

// FuzzRepeated holds that what is found stands in the path twice in a row.
func FuzzRepeated(f *testing.F) {
	for _, url := range []string{"https://a.test/", "https://a.test/a/b/a/b", "https://a.test?x", "", "://", ":////////"} {
		f.Add(url)
	}
	f.Fuzz(func(t *testing.T, url string) {
		page, _, _ := strings.Cut(url, "?")
		if block := repeated(page, 1); block != "" && !strings.Contains(page, block+block) {
			t.Errorf("%q does not stand in %q twice in a row", block, page)
		}
	})
}

func mustParse(t testing.TB, raw string) weburl.URL {
	t.Helper()
	u, err := weburl.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestExcluded(t *testing.T) {
	for _, tt := range []struct {
		name             string
		include, exclude []string
		url, want        string
	}{
		{"no pattern", nil, nil, "https://a.test/", ""},
		{"included", []string{"/docs/"}, nil, "https://a.test/docs/1", ""},
		{"included by the second", []string{"/docs/", "/blog/"}, nil, "https://a.test/blog/1", ""},
		{"not included", []string{"/docs/", "/blog/"}, nil, "https://a.test/shop/1", "matches no --include"},
		{"the query counts", []string{"p=1"}, nil, "https://a.test/?p=1", ""},
		{"the scheme counts", []string{"^https:"}, nil, "http://a.test/https:", "matches no --include"},
		{"case counts", nil, []string{"PDF"}, "https://a.test/a.pdf", ""},
		{"case ignored", nil, []string{"(?i)PDF$"}, "https://a.test/a.pdf", `matches --exclude "(?i)PDF$"`},
		{"exclude wins", []string{"/docs/"}, []string{"x", `\d`}, "https://a.test/docs/1", `matches --exclude "\d"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			include, err := ParsePatterns(tt.include)
			exclude, excludeErr := ParsePatterns(tt.exclude)
			if err != nil || excludeErr != nil {
				t.Fatal(err, excludeErr)
			}
			if got := (&Bounds{Include: include, Exclude: exclude}).Excluded(tt.url); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestInvalidPatterns(t *testing.T) {
	for text, want := range map[string]string{
		"":                "an expression is empty, which matches every URL",
		"a[z-b]":          "`a[z-b]` is not a regular expression: invalid character class range in `z-b` at byte 3",
		"*.pdf":           "`*.pdf` is not a regular expression: missing argument to repetition operator in `*` at byte 1",
		`\\y\y`:           "`\\\\y\\y` is not a regular expression: invalid escape sequence in `\\y`", // the part is there twice
		"(a":              "`(a` is not a regular expression: missing closing ) at the end",
		"a\\":             "`a\\` is not a regular expression: trailing backslash at end of expression",
		"\n)":             `"\n)" is not a regular expression: unexpected ) at byte 2`,
		"[)](a)(b))c)":    "`[)](a)(b))c)` is not a regular expression: unexpected ) at byte 10",
		"(x{1000}){1000}": "`(x{1000}){1000}` is not a regular expression: invalid repeat count in `{1000}`",
	} {
		if _, err := ParsePatterns([]string{"fine", text}); err == nil || err.Error() != want {
			t.Errorf("%q:\ngot  %v\nwant %s", text, err, want)
		}
	}
}

// FuzzParsePatterns: an error is one line, and an expression that excludes a URL is named.
func FuzzParsePatterns(f *testing.F) {
	for _, text := range []string{"/docs/", `\.pdf$`, "[z-a]", "(", `\`, "\xff", "(?i)a|b*"} {
		f.Add(text, "https://a.test/docs/a.pdf")
	}
	f.Fuzz(func(t *testing.T, text, url string) {
		p, err := ParsePatterns([]string{text})
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\r") || !strings.Contains(err.Error(), "expression") {
				t.Errorf("%q: %q", text, err)
			}
			return
		}
		excluded, included := (&Bounds{Exclude: p}).Excluded(url), (&Bounds{Include: p}).Excluded(url)
		if (excluded == "") == (included == "") || excluded != "" && !strings.Contains(excluded, text) {
			t.Errorf("%q on %q: excluded %q, included %q", text, url, excluded, included)
		}
	})
}
