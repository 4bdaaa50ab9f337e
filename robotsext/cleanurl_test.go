package robotsext_test

import (
	"errors"
	"net/url"
	"path"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/robotsext"
)

func TestCleanURL(t *testing.T) {
	tests := []struct{ in, want string }{
		{"/a/%2e%2e/secret", "/secret"},
		{"/a/../secret", "/secret"},
		{"/a/.%2E/secret", "/secret"},
		{"/a/%2e./secret", "/secret"},
		{"/./a", "/a"},
		{"/%2e/a", "/a"},
		{"/a/.", "/a/"},
		{"/a/..", "/"},
		{"/a/b/..", "/a/"},
		{"/..", "/"},
		{"/../../a", "/a"},
		{"/a//../b", "/a/b"},
		{"//a//b", "//a//b"},
		{"//..", "/"},
		{"/.a/..b/...", "/.a/..b/..."},
		{"/a/%2e%2e%2e/b", "/a/%2e%2e%2e/b"},
		{"/.well-known/x", "/.well-known/x"},
		{"/a%2ehtml", "/a%2ehtml"},
		{"/a%2f../b", "/a%2f../b"},
		{"/x/../a%2Fb%20c?q=/../r", "/a%2Fb%20c?q=/../r"},
		{"/a;b/../c", "/c"},
		{"?a", "/?a"},
		{"", "/"},
	}
	for _, test := range tests {
		t.Run("ROB-MAT-25/"+test.in, func(t *testing.T) {
			in := mustParse(t, "http://h"+test.in)
			before := *in
			got, err := robotsext.CleanURL(in)
			wantOK(t, err)
			if got.RequestURI() != test.want {
				t.Errorf("requested as %s, want %s", got.RequestURI(), test.want)
			}
			if *in != before {
				t.Error("the URL given was changed")
			}
		})
	}
	for _, u := range []*url.URL{
		{Scheme: "http", Host: "h", Opaque: "//h/x"},
		{Scheme: "http", Host: "h", Path: "x"},
		{Scheme: "http", Host: "h", Path: "*"},
	} {
		if _, err := robotsext.CleanURL(u); !errors.Is(err, robotsext.ErrUncheckable) {
			t.Errorf("%v: error %v, want ErrUncheckable", u, err)
		}
	}
}

// TestCleanURLKeepsSpelling shows that an octet which no URI holds raw is escaped
// without a change to the rest of the path.
func TestCleanURLKeepsSpelling(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{"/a|b%2Fc", "/a%7Cb%2Fc"},
		{"/it's|(x)*!", "/it's%7C(x)*!"},
		{"/%41%7e\"<>^`{}%2a", "/%41%7e%22%3C%3E%5E%60%7B%7D%2a"},
		{"/é's", "/%C3%A9's"},
		{"/a b/[1]'?|'", "/a%20b/[1]'?|'"},
		{"/a/%2e%2e/|%2e%2e/b%2Fc", "/%7C%2e%2e/b%2Fc"},
	} {
		t.Run("ROB-MAT-28/"+test.in, func(t *testing.T) {
			in := mustParse(t, "http://h"+test.in)
			before := *in
			got, err := robotsext.CleanURL(in)
			wantOK(t, err)
			if got.RequestURI() != test.want || got.Path != path.Clean(in.Path) {
				t.Errorf("requested as %s, want %s", got.RequestURI(), test.want)
			}
			if *in != before {
				t.Error("the URL given was changed")
			}
		})
	}
	for _, u := range []*url.URL{
		{Scheme: "http", Host: "h", Path: "/it's|"},
		{Scheme: "http", Host: "h", Path: "/b|", RawPath: "/a|"}, // of another path
	} {
		want := u.RequestURI()
		if got, err := robotsext.CleanURL(u); err != nil || got.RequestURI() != want {
			t.Errorf("%#v: requested as %v, %v, want %s", u, got, err, want)
		}
	}
}

func FuzzCleanURL(f *testing.F) {
	for _, seed := range []string{"/a/../b", "/%2e%2E/", "//./x?y", "/a/%2e", "/..%2f..", "/a|b%2Fc", "/é's"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, path string) {
		u, err := url.Parse("http://h" + path)
		if err != nil || u.Host != "h" {
			return
		}
		clean, err := robotsext.CleanURL(u)
		if err != nil {
			return
		}
		for segment := range strings.SplitSeq(clean.EscapedPath(), "/") {
			switch strings.ReplaceAll(strings.ToLower(segment), "%2e", ".") {
			case ".", "..":
				t.Fatalf("%q: dots left in %q", path, clean.EscapedPath())
			}
		}
		if clean.Path != u.Path && !strings.Contains(u.Path, "/.") {
			t.Fatalf("%q: the path has become %q", path, clean.Path)
		}
		again, err := robotsext.CleanURL(clean)
		if err != nil || again.RequestURI() != clean.RequestURI() {
			t.Fatalf("%q: cleaned twice %q, once %q, %v", path, again.RequestURI(), clean.RequestURI(), err)
		}
	})
}
