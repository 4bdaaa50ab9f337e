package provenance

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

func TestRoundTrip(t *testing.T) {
	for _, want := range []Provenance{
		{Source: Start, FromStart: true},
		{Source: Link, Depth: 300, Hops: 2, FoundOn: "http://example.com/a?b=c"},
		{Source: Sitemap, FoundOn: "http://example.com/robots.txt", SitemapOf: "http://example.com", IndexDepth: 2},
		{Source: Sitemap, FoundOn: "http://example.com/map.xml", LastMod: time.Unix(1_700_000_000, 0)},
		{Source: Redirect, FromStart: true, Hops: 1, FoundOn: "http://example.com/ü"},
		{Source: Redirect, FromEntry: true, Hops: 2, FoundOn: "http://example.com/old"},
		{Source: Redirect, Hops: 3, Earlier: []string{"http://example.com/1", ""}, FoundOn: "http://example.com/3"},
		{Source: Link, Depth: 1, Check: "img", FoundOn: "http://example.com/"},
		{Source: Redirect, Hops: 2, Earlier: []string{"http://example.com/1"}, Check: "a", FoundOn: "http://example.com/2"},
		{Source: Link, Check: "css", Uses: 5000, FoundOn: "http://example.com/", Recrawl: 300},
		{Source: Sitemap, FoundOn: "http://example.com/map.xml", Recrawl: 1},
		{Source: Redirect, Hops: 1, FoundOn: "http://example.com/map.xml", SitemapOf: "http://example.com", Listing: []uint64{1, 1 << 63}, Cookies: []uint64{2}, Recrawl: 1},
		{Source: Redirect, Hops: 2, Earlier: []string{"http://example.com/1"}, FoundOn: "http://example.com/2", Cookies: []uint64{1, 1 << 60}, Upgrade: true, Check: "img", Recrawl: 2},
	} {
		got, err := Decode(want.Encode())
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("decode(encode(%+v)) = %+v, %v", want, got, err)
		}
	}
}

// Frontiers of earlier versions have these texts. One that is cut off before FoundOn has nothing of the item.
func TestOldEncodingsAreDecoded(t *testing.T) {
	for text, want := range map[string]Provenance{
		"\x01\x01\x01\x00\x00\x00\x00\x00":                        {Source: Start, FromStart: true},
		"\x01\x04\x01\x02\x03\x00\x00\x00" + "http://a.test/old":  {Source: Redirect, FromStart: true, Depth: 2, Hops: 3, FoundOn: "http://a.test/old"},
		"\x01\x03\x00\xac\x02\x02\x00\x00\x00" + "http://a.test/": {Source: Link, Depth: 300, Hops: 2, FoundOn: "http://a.test/"},
		"\x01\x02@\x00\x00\x02\x00\x0dhttp://a.test" + "\x01\x00\x00\x00\x00\x00\x00\x00\x01" + "http://a.test/robots.txt": {
			Source: Sitemap, FoundOn: "http://a.test/robots.txt", SitemapOf: "http://a.test", IndexDepth: 2, Listing: []uint64{1},
		},
		"\x01\x02\x08\x00\x00\x00\x80\xc4\x9f\xd5\x0c\x00\xac\x02" + "http://a.test/map.xml": {
			Source: Sitemap, FoundOn: "http://a.test/map.xml", LastMod: time.Unix(1_700_000_000, 0), Recrawl: 300,
		},
		"\x02\x04\x12\x00\x03\x00\x00\x00\x02\x0fhttp://a.test/1\x00" + "\x02\x00\x00\x00\x00\x00\x00\x00\x02\x80\x00\x00\x00\x00\x00\x00\x00" + "http://a.test/3": {
			Source: Redirect, FromEntry: true, Hops: 3, Earlier: []string{"http://a.test/1", ""}, FoundOn: "http://a.test/3", Cookies: []uint64{2, 1 << 63},
		},
		"\x01\x03,\x00\x00\x00\x00\x00\x01\x03css\x88'" + "http://a.test/": {
			Source: Link, Check: "css", Uses: 5000, Upgrade: true, FoundOn: "http://a.test/", Recrawl: 1,
		},
	} {
		if got, err := Decode([]byte(text)); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v, %v, want %+v", text, got, err, want)
		}
		if got := want.Encode(); string(got) != text {
			t.Errorf("%+v is %q, want %q", want, got, text)
		}
		for end := range len(text) - len(want.FoundOn) {
			if got, err := Decode([]byte(text[:end])); err == nil || !reflect.DeepEqual(got, Provenance{Source: Link}) {
				t.Errorf("%q: %+v, %v, want an error and a link", text[:end], got, err)
			}
		}
	}
}

func TestRedirects(t *testing.T) {
	p := Provenance{Source: Link, FoundOn: "http://example.com/"}
	var want []string
	for range 3 {
		if got := p.Redirects(); !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
		url := fmt.Sprintf("http://example.com/%d", p.Hops)
		other := p.Redirected("http://example.com/other", 0) // of another redirect with the same chain
		p, want = p.Redirected(url, 0), append(want, url)
		if got := other.Redirects(); got[len(got)-1] != "http://example.com/other" {
			t.Errorf("chains share memory: %q", got)
		}
	}
}

// A URL is requested again if it had other cookies each time before.
func TestRepeats(t *testing.T) {
	for name, tt := range map[string]struct {
		urls    string // of the redirects, each a letter
		cookies []uint64
		now     uint64
		want    bool
	}{
		"itself, a cookie was set":       {"a", []uint64{1}, 2, true},
		"itself, no cookie was set":      {"a", []uint64{1}, 1, false},
		"back, a cookie was set":         {"ab", []uint64{1, 1}, 2, true},
		"back, no cookie was set":        {"ab", []uint64{1, 1}, 1, false},
		"twice, each with other cookies": {"aba", []uint64{1, 1, 2}, 3, true},
		"with the cookies of before":     {"aba", []uint64{1, 1, 2}, 1, false},
		"another URL":                    {"bc", []uint64{1, 2}, 3, false},
		"cookies are not kept":           {"a", []uint64{0}, 0, false},
		"only the last ones are known":   {"xab", []uint64{0, 1, 1}, 2, true},
	} {
		p := Provenance{Source: Link, FoundOn: "/"}
		for i, hash := range tt.cookies {
			p = p.Redirected(tt.urls[i:i+1], hash)
		}
		if got := p.Repeats("a", tt.now); got != tt.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(nil))
	f.Add([]byte{version, 1, 0, 0, 0, 0, 200})
	f.Add(Provenance{Source: Link, Depth: 3, FoundOn: "http://example.com/"}.Encode())
	f.Add(Provenance{Source: Link, Check: "img", FoundOn: "http://example.com/"}.Encode())
	f.Add(Provenance{Source: Link, Check: "img", FoundOn: "http://example.com/", Recrawl: 2}.Encode())
	f.Add(Provenance{Source: Sitemap, SitemapOf: "http://example.com", IndexDepth: 1}.Encode())
	f.Add(Provenance{Source: Redirect, Cookies: []uint64{1, 2}, FoundOn: "http://example.com/3"}.Encode())
	f.Add(Provenance{Source: Redirect, Earlier: []string{"http://example.com/1", "http://example.com/2"}, FoundOn: "http://example.com/3"}.Encode())
	f.Fuzz(func(t *testing.T, b []byte) {
		first, err := Decode(b)
		if err != nil {
			return
		}
		if again, err := Decode(first.Encode()); err != nil || !reflect.DeepEqual(again, first) {
			t.Errorf("%x: %+v became %+v, %v", b, first, again, err)
		}
	})
}

// Frontiers of earlier versions have these texts of checks and repeated requests.
func TestTextsOfChecks(t *testing.T) {
	for _, tt := range []struct {
		kind    frontier.Kind
		recrawl int
		first   string
		again   string
	}{
		{"", 0, "", "#redirect#again-3-0"},
		{"", 2, "", "#redirect#again-3-2"},
		{KindSitemap, 0, "#sitemap", "#sitemap#again-3-0"},
		{KindCheckHead, 0, "#check-head", "#check-head#again-3-0"},
		{KindCheckGet, 1, "#check-get-1", "#check-get-1#again-3-1"},
		{KindCheckRead, 12, "#check-read-12", "#check-read-12#again-3-12"},
	} {
		item := frontier.Item{Kind: tt.kind, URL: "http://a.test/?b"}
		if IsCheck(tt.kind) {
			item.Owner = CheckKey(item.URL, tt.recrawl, false).Owner
		}
		for _, text := range []string{tt.first, tt.again} {
			if got := item.Key(); got.String() != item.URL+text || frontier.ParseKey(got.String()) != got {
				t.Errorf("%+v is %s, want %s", got, got, text)
			}
			if got := RecrawlOf(item.Owner); IsCheck(item.Kind) && got != tt.recrawl {
				t.Errorf("%s is of recrawl %d", text, got)
			}
			Repeat(&item, 3, tt.recrawl)
		}
	}
}
