package provenance

import (
	"testing"
	"time"
)

func TestRoundTrip(t *testing.T) {
	for _, want := range []Provenance{
		{Source: Start, FromStart: true},
		{Source: Link, Depth: 300, Hops: 2, FoundOn: "http://example.com/a?b=c"},
		{Source: Sitemap, FoundOn: "http://example.com/robots.txt", SitemapOf: "http://example.com", IndexDepth: 2},
		{Source: Sitemap, FoundOn: "http://example.com/map.xml", LastMod: time.Unix(1_700_000_000, 0)},
		{Source: Redirect, FromStart: true, Hops: 1, FoundOn: "http://example.com/ü"},
		{Source: Redirect, FromEntry: true, Hops: 2, FoundOn: "http://example.com/old"},
	} {
		got, err := Decode(want.Encode())
		if err != nil || got != want {
			t.Errorf("decode(encode(%+v)) = %+v, %v", want, got, err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(nil))
	f.Add([]byte{version, 1, 0, 0, 0, 0, 200})
	f.Add(Provenance{Source: Link, Depth: 3, FoundOn: "http://example.com/"}.Encode())
	f.Add(Provenance{Source: Sitemap, SitemapOf: "http://example.com", IndexDepth: 1}.Encode())
	f.Fuzz(func(t *testing.T, b []byte) {
		first, err := Decode(b)
		if err != nil {
			return
		}
		if again, err := Decode(first.Encode()); err != nil || again != first {
			t.Errorf("%x: %+v became %+v, %v", b, first, again, err)
		}
	})
}
