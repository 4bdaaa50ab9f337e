package warc

import (
	"slices"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// A URL of any length is archived, but not kept in memory: no record refers to it.
func TestLongURL(t *testing.T) {
	for _, tt := range []struct {
		length int
		second string
	}{{longestURL, "revisit"}, {longestURL + 1, "response"}} {
		long := "http://a.test/" + strings.Repeat("x", tt.length-len("http://a.test/"))
		got := written(t, &output.Found{Exchanges: []*output.Exchange{answered(long, 200, "same"), answered("http://a.test/2", 200, "same")}})
		var kinds []string
		for _, r := range got {
			kinds = append(kinds, r.kind())
		}
		if want := []string{"request", "response", "request", tt.second}; !slices.Equal(kinds, want) {
			t.Errorf("%d bytes: %q, want %q", tt.length, kinds, want)
		}
	}
}
