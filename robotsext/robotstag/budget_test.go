package robotstag

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestBudget: of all header fields of a page together so much is read, and of the one
// that goes beyond it what ends in time.
func TestBudget(t *testing.T) {
	spent := strings.Repeat("x,", maxRead/2)
	fields := func(pairs ...string) http.Header {
		h := http.Header{}
		for i := 0; i < len(pairs); i += 2 {
			h.Add(pairs[i], pairs[i+1])
		}
		return h
	}
	for name, c := range map[string]struct {
		header http.Header
		heard  bool
	}{
		"within":                    {fields("X-Robots-Tag", spent[8:], "Robots-Tag", "*;none"), true},
		"X-Robots-Tag":              {fields("X-Robots-Tag", spent, "X-Robots-Tag", "none"), false},
		"Robots-Tag":                {fields("X-Robots-Tag", spent, "Robots-Tag", "*;none"), false},
		"lines of Robots-Tag":       {fields("Robots-Tag", spent[:maxRead/2], "Robots-Tag", spent[:maxRead/2], "Robots-Tag", "*;none"), false},
		"Link":                      {fields("X-Robots-Tag", spent, "Link", `</a>; rel="canonical"`), false},
		"a rule before the cut":     {fields("X-Robots-Tag", "none,"+spent), true},
		"a rule that the cut makes": {fields("X-Robots-Tag", spent[:maxRead-4]+"nonesuch,"), false},
		"a Link that cannot be cut": {fields("Link", `</a>; rel="canonical", `+strings.Repeat(`</b>; rel="next", `, maxRead/10)), false},
	} {
		t.Run(name, func(t *testing.T) {
			d := New()
			d.Header(c.header)
			heard := d.NoIndex(time.Now()) != nil || len(d.Rules()) > 0 || d.Canonical() != ""
			if heard != c.heard {
				t.Errorf("heard %t: rules %v, canonical %q", heard, d.Rules(), d.Canonical())
			}
		})
	}
}
