package extract

import (
	"slices"
	"strings"
	"testing"
)

func TestRuns(t *testing.T) {
	for _, tt := range []struct {
		page string
		want []string
	}{
		{"", nil},
		{" just text ", []string{"just text"}},
		{"<title>A page</title><p>one <b>two</b>\n three", []string{"A page", "one", "two", "three"}},
		{"a<!-- <p>no</p> -->b<SCRIPT>no </style> no</script >c<style>no</style>d", []string{"a", "b", "c", "d"}},
		{`<img alt=x src="/a b.png"><IMG src=/c.png><img src='/d'><p src=no><iframe src=/f></iframe><imgs src=no>`, []string{"/a b.png", "/c.png", "/d", "/f"}},
		{"<source src=/v.webm><img src=><img src", []string{"/v.webm"}},
		{"a<script>never ends", []string{"a"}},
		{"a<!-- never ends", []string{"a"}},
		{"a<p never ends", []string{"a"}},
		{"<scripted>text</scripted>", []string{"text"}},
	} {
		var got []string
		for run, media := range VisibleParts([]byte(tt.page)) {
			got = append(got, string(run))
			if media != strings.HasPrefix(string(run), "/") {
				t.Errorf("%q: %t", run, media)
			}
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("Runs(%q) = %q, want %q", tt.page, got, tt.want)
		}
	}
}
