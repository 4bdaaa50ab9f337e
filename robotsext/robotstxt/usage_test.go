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
		{"train-ai=n,search=y", usage{"train-ai": false, "search": true}},
		{"train-ai=n;x=1;y=\"a,b\" , search=y", usage{"train-ai": false, "search": true}},
		{"train-ai=n, train-ai=y", usage{"train-ai": true}},
		{"train-ai=n, train-ai=maybe", usage{}},
		{"train-ai, search=y", usage{"search": true}},
		{"train-ai=Y, search=?1", usage{}},
		{`train-ai="y", search=("y" "n"), a="\"", b=1`, usage{}},
		{"*x.y_1-z=n", usage{"*x.y_1-z": false}},
		{`a=("x)" y;p=1 "\\")  , b=n`, usage{"b": false}},
		{`a=?0, b=1.5, c=-12, d=:eQ==:, e=@1700000000, f=%"y", g=( 1  2 ), h=y`, usage{"h": true}},
		{"train-ai=n;x;y=2;  z", usage{"train-ai": false}},
		{" train-ai=n ", usage{"train-ai": false}},
		{"train-ai=n;", nil},
		{"train-ai=n;x=", nil},
		{"train-ai=n;X", nil},
		{"train-ai=n ;x", nil},
		{"train-ai=n\"", nil},
		{"train-ai=n)", nil},
		{"train-ai=n@", nil},
		{"train-ai= n", nil},
		{"train-ai=\xe9", nil},
		{`a="\x", b=n`, nil},
		{"a=\"\t\", b=n", nil},
		{`a=("x)" y, b=n`, nil},
		{`a=("x""y"), b=n`, nil},
		{"a=1.2345, b=n", nil},
		{"a=1., b=n", nil},
		{"a=1234567890123456, b=n", nil},
		{"a=-, b=n", nil},
		{"a=?2, b=n", nil},
		{"a=?01, b=n", nil},
		{"a=@1.5, b=n", nil},
		{"a=:x, b=n", nil},
		{"a=n,,b=n", nil},
		{"TRAIN-AI=n", nil},
		{"1x=n", nil},
		{"train-ai=", nil},
		{"train-ai=n search=y", nil},
		{"train-ai=n,", nil},
		{`train-ai="y`, nil},
		{"train-ai=(y", nil},
		{"=n", nil},
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

func FuzzParseUsage(f *testing.F) {
	for _, s := range []string{"train-ai=n, search=y", `a="b, c";d=(e f), g`, "a=y,", "*=n;x=?0"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		usage := ParseUsage(in)
		var b strings.Builder
		for key, granted := range usage {
			if b.Len() > 0 {
				b.WriteString(", ")
			}
			b.WriteString(key + map[bool]string{true: "=y", false: "=n"}[granted])
		}
		again := ParseUsage(b.String())
		if len(again) != len(usage) {
			t.Fatalf("%q: %v, again %v", in, usage, again)
		}
		for key, granted := range usage {
			if said, ok := again[key]; !ok || said != granted {
				t.Fatalf("%q: %v, again %v", in, usage, again)
			}
		}
	})
}
