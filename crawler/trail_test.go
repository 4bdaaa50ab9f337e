package crawler

import (
	"testing"
	"time"
)

func TestTrailRoundTrip(t *testing.T) {
	for _, want := range []trail{
		{source: fromStart, start: true},
		{source: fromLink, depth: 300, hops: 2, via: "http://example.com/a?b=c"},
		{source: fromSitemap, via: "http://example.com/robots.txt", listed: "http://example.com", nested: 2},
		{source: fromSitemap, via: "http://example.com/map.xml", lastMod: time.Unix(1_700_000_000, 0)},
		{source: fromRedirect, start: true, hops: 1, via: "http://example.com/ü"},
		{source: fromRedirect, entry: true, hops: 2, via: "http://example.com/old"},
	} {
		got, err := decodeTrail(want.encode())
		if err != nil || got != want {
			t.Errorf("decode(encode(%+v)) = %+v, %v", want, got, err)
		}
	}
}

func FuzzDecodeTrail(f *testing.F) {
	f.Add([]byte(nil))
	f.Add([]byte{trailVersion, 1, 0, 0, 0, 0, 200})
	f.Add(trail{source: fromLink, depth: 3, via: "http://example.com/"}.encode())
	f.Add(trail{source: fromSitemap, listed: "http://example.com", nested: 1}.encode())
	f.Fuzz(func(t *testing.T, b []byte) {
		first, err := decodeTrail(b)
		if err != nil {
			return
		}
		if again, err := decodeTrail(first.encode()); err != nil || again != first {
			t.Errorf("%x: %+v became %+v, %v", b, first, again, err)
		}
	})
}
