package frontier_test

import (
	"testing"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

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
