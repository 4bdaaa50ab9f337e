package frontier_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/internal/urlpath"
)

func TestROB_POL_01_HostOf(t *testing.T) {
	for _, c := range []struct {
		url  string
		want frontier.Host // "" if invalid
	}{
		{"http://a.test", "a.test"},
		{"http://a.test/", "a.test"},
		{"https://a.test/", "a.test"},
		{"http://a.test./", "a.test"},
		{"https://a.test:80/", "a.test"},
		{"https://a.test:8443/x?y#z", "a.test:8443"},
		{"http://a.test?q=/x", "a.test"},
		{"http://a.test#f", "a.test"},
		{"ftp://user:pw@a.test/x@y", "a.test"},
		{"http://a@b@c.test", "c.test"},
		{"http://[::1]:81/x", "[::1]:81"},
		{"http://[::ffff:7f00:1]/x", "127.0.0.1"},
		{"", ""},
		{"/path", ""},
		{"a.test/x", ""},
		{"://a.test", ""},
		{"/x://a.test", ""},
		{"http://", ""},
		{"http://./", ""},
		{"http://a:b:80/", ""},
		{"http:///path", ""},
		{"http://user@/path", ""},
		{"mailto:x@a.test", ""},
	} {
		got, err := frontier.HostOf(c.url)
		if got != c.want || (err != nil) != (c.want == "") || err != nil && !errors.Is(err, frontier.ErrInvalid) {
			t.Errorf("HostOf(%q) = %q, %v, want %q", c.url, got, err, c.want)
		}
	}
}

// FuzzHostOf removes the host from URLs and adds it again, as stores do.
func FuzzHostOf(f *testing.F) {
	for _, url := range []string{"http://a.test/x", "http://u@a.test?x", "/x://u@y/", "a://b://c", "http://[::1]:81#x", "", "x", "https://A.test.:80/"} {
		f.Add(url)
	}
	f.Fuzz(func(t *testing.T, url string) {
		h, err := frontier.HostOf(url)
		if err != nil {
			if h != "" || !errors.Is(err, frontier.ErrInvalid) {
				t.Fatalf("HostOf(%q) = %q, %v", url, h, err)
			}
			return
		}
		if strings.ContainsAny(string(h), "/?#@") {
			t.Errorf("HostOf(%q) = %q", url, h)
		}
		for _, scheme := range []string{"http://", "https://"} {
			if again, err := frontier.HostOf(scheme + string(h)); err != nil || again != h {
				t.Errorf("HostOf(%q) = %q, %v", scheme+string(h), again, err)
			}
		}
		if got := urlpath.Join(string(h), urlpath.Cut(url, string(h))); got != url {
			t.Errorf("%q comes back from a store as %q", url, got)
		}
	})
}
