package robotstxt

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseUsage(t *testing.T) {
	type usage = Usage
	for _, c := range []struct {
		value string
		want  usage
	}{
		{"train-ai=n", usage{"train-ai": false}},
		{"train-ai=n, search=y", usage{"train-ai": false, "search": true}},
		{"train-ai=n;x=1;y=\"a,b\" , search=y", usage{"train-ai": false, "search": true}},
		{"train-ai=n, train-ai=y", usage{"train-ai": true}},
		{"train-ai=n, train-ai=maybe", usage{}},
		{"train-ai, search=y", usage{"search": true}},
		{"train-ai=Y, search=?1", usage{}},
		{`train-ai="y", search=("y" "n"), a="\"", b=1`, usage{}},
		{"*x.y_1-z=n", usage{"*x.y_1-z": false}},
		{`a=?0, b=1.5, c=-12, d=:eQ==:, e=@1700000000, f=%"y", g=( 1  2 ), h=y`, usage{"h": true}},
		{"train-ai=\xe9", nil},
		{"TRAIN-AI=n", nil},
		{"train-ai=n,", nil},
		{"", nil},
		{"train-ai=n, a=\"" + strings.Repeat("x", maxUsage-16) + "\"", usage{"train-ai": false}},
		{"train-ai=n, a=\"" + strings.Repeat("x", maxUsage-15) + "\"", nil},
	} {
		t.Run("ROB-EXT-05/prefs "+c.value[:min(len(c.value), 80)], func(t *testing.T) {
			if diff := cmp.Diff(c.want, ParseUsage(c.value)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
