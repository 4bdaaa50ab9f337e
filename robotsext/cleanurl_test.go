package robotsext_test

import (
	"errors"
	"net/url"
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
		{"/a/...", "/a/..."},
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
			if err != nil {
				t.Fatal(err)
			}
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

func FuzzCleanURL(f *testing.F) {
	for _, seed := range []string{"/a/../b", "/%2e%2E/", "//./x?y", "/a/%2e", "/..%2f.."} {
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
		again, err := robotsext.CleanURL(clean)
		if err != nil || again.RequestURI() != clean.RequestURI() {
			t.Fatalf("%q: cleaned twice %q, once %q, %v", path, again.RequestURI(), clean.RequestURI(), err)
		}
	})
}
