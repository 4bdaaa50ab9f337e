package extract

import (
	"slices"
	"testing"
)

func TestSrcsetSuite(t *testing.T) {
	// The suite is older than the rule that an unknown descriptor makes a candidate invalid. HTML has
	// it today, and Chromium uses none of these.
	dropped := []string{
		"data:,a foo", "data:,a foo foo", "data:,a foo 1x", "data:,a foo 1x foo", "data:,a foo 1w", "data:,a foo 1w foo",
		"data:,a -1w", "data:,a 1w -1w", "data:,a 1.0w", "data:,a 1w 1.0w", "data:,a 1e0w", "data:,a +1w", "data:,a 1W", "data:,a Infinityw",
		"data:,a -1x", "data:,a 1x 1e1.5x", "data:,a 1x +1x", "data:,a 1x 1X", "data:,a 1w 1h -1h", "data:,a 1w 1h 1.0h",
	}
	var cases []struct{ Srcset, Chosen string }
	suite(t, "srcset.json", &cases)
	for _, tt := range cases {
		urls := slices.Collect(srcsetURLs(tt.Srcset))
		if slices.Contains(dropped, tt.Srcset) {
			tt.Chosen = ""
		}
		if (tt.Chosen == "") != (len(urls) == 0) || tt.Chosen != "" && !slices.Contains(urls, tt.Chosen) {
			t.Errorf("%q: %q, want %q", tt.Srcset, urls, tt.Chosen)
		}
	}
}

func TestSrcsetURLs(t *testing.T) {
	for srcset, want := range map[string][]string{
		"a 1x, b 2x,d":               {"a", "b", "d"},
		"a,b 1x,  , c,, d 100w , e":  {"a,b", "c", "d", "e"},
		"a (x, y) 1x, b":             {"b"},
		"a 1x (b 2x, c":              nil,
		"a (( 1x), b":                {"b"},
		"a ) 1x, b":                  {"b"},
		"a 1x,b":                     {"a", "b"},
		"a\u00a01x, b":               {"a\u00a01x", "b"},
		"a\v1x b, c":                 {"c"},
		"a\f1x\r,\nb\t2x":            {"a", "b"},
		"data:image/png;base64,AA,,": {"data:image/png;base64,AA"},
		"a 0w, b 01w, c 00w, d 1w":   {"b", "d"},
		"a .5x, b 5.x, c -.0x, d -.1x, e 1e400x, f x": {"a", "c", "e"},
		"a 1w 2h, b 2h, c 2x 2h, d 1x 1x, e 1w 1x":    {"a"},
		"a ٣w, b １x, c":                               {"c"},
		"a 1Ⅹ, b":                                     {"b"},
	} {
		if got := slices.Collect(srcsetURLs(srcset)); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", srcset, got, want)
		}
	}
}
