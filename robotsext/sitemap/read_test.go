package sitemap

import (
	"strings"
	"testing"
)

func TestRead(t *testing.T) {
	const in = `<urlset><url><loc> http://a.example/?a=1&amp;b=2 </loc><lastmod>2004-12-23T18:00:15+00:00</lastmod></url></urlset>`
	for e, err := range Read(strings.NewReader(in), nil) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Loc != "http://a.example/?a=1&b=2" || e.LastMod.Unix() != 1103824815 || e.Priority != DefaultPriority {
			t.Errorf("got %+v", e)
		}
	}
}
