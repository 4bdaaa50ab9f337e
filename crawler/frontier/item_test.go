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

// Stores have texts that earlier versions wrote, when the kind was a part of the URL.
func TestTextsOfEarlierVersionsAreKeys(t *testing.T) {
	const url = "https://a.example/x?y"
	for text, want := range map[string]frontier.Key{
		url:                                    {URL: url},
		url + "#sitemap":                       {Kind: "sitemap", URL: url},
		url + "#start":                         {Kind: "start", URL: url},
		"https://a.example/robots.txt#listing": {Kind: "listing", URL: "https://a.example/robots.txt"},
		url + "#redirect":                      {Kind: "redirect", URL: url},
		url + "#redirect#again-2-0":            {Kind: "redirect", URL: url, Owner: "again-2-0"},
		url + "#sitemap#again-1-3":             {Kind: "sitemap", URL: url, Owner: "again-1-3"},
		url + "#check-head":                    {Kind: "check-head", URL: url},
		url + "#check-get":                     {Kind: "check-get", URL: url},
		url + "#check-read-12":                 {Kind: "check-read", URL: url, Owner: "12"},
		url + "#check-head#again-2-0":          {Kind: "check-head", URL: url, Owner: "again-2-0"},
		url + "#check-get-3#again-10-3":        {Kind: "check-get", URL: url, Owner: "3#again-10-3"},
	} {
		if got := frontier.ParseKey(text); got != want || got.String() != text {
			t.Errorf("ParseKey(%q) = %+v, which is %q; want %+v", text, got, got, want)
		}
	}
}

// A fragment that no key has remains in the URL, so that nothing is lost.
func TestOtherFragmentsRemain(t *testing.T) {
	for _, fragment := range []string{"#", "#Section", "#a b", "#a-", "#-a", "#a1", "#a--1", "#a#1", "#a#", "#a##b", "#a#b=", "#-", "#sitemap-of=https://a.example", "#é", "#a#\u0130"} {
		text := "https://a.example/" + fragment
		if got := frontier.ParseKey(text); got != (frontier.Key{URL: text}) {
			t.Errorf("ParseKey(%q) = %+v", text, got)
		}
	}
}

func TestPageKeyCostsNoMemory(t *testing.T) {
	item := frontier.Item{URL: "https://a.example/"}
	if n := testing.AllocsPerRun(100, func() { item.URL = frontier.ParseKey(item.Key().String()).URL }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// FuzzKey: a text remains the same, and a key that a frontier accepts too.
func FuzzKey(f *testing.F) {
	f.Add("https://a.example/#check-head-3#again-2-3", "check", "head")
	f.Add("https://a.example/##2", "", "2")
	f.Fuzz(func(t *testing.T, text, kind, owner string) {
		if got := frontier.ParseKey(text).String(); got != text {
			t.Errorf("%q became %q", text, got)
		}
		item := frontier.Item{Kind: frontier.Kind(kind), URL: "https://a.example/", Owner: owner}
		if _, err := frontier.HostsOf([]frontier.Item{item}); err != nil {
			return
		}
		if got := frontier.ParseKey(item.Key().String()); got != item.Key() {
			t.Errorf("%+v became %+v", item.Key(), got)
		}
	})
}
