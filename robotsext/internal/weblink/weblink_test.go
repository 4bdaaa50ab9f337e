package weblink

import (
	"slices"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for _, tt := range []struct {
		line string
		want []Link
	}{
		{`<a>; rel="license"; type="application/rsl+xml"`, []Link{{Target: "a", Rel: "license", Type: "application/rsl+xml"}}},
		{`< a >;rel=x;rel=y, <b> ; REL = "z" ; anchor="#c",`, []Link{{Target: "a", Rel: "x"}, {Target: "b", Rel: "z", Anchor: true}}},
		{`<a,b;c>; title="a, \"b\"; rel=x"; type=t`, []Link{{Target: "a,b;c", Type: "t"}}},
		{`<a> rel=x, <b>`, []Link{{Target: "a"}}},
		{`<a>; type="t`, []Link{{Target: "a", Type: "t"}}},
		{`<a`, nil},
		{`a; rel=x`, nil},
		{"", nil},
	} {
		if got := slices.Collect(Parse(tt.line)); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %+v", tt.line, got)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{`<a>; rel="x"`, `<a>;rel=next, <b>; type=t; title="x\"y"`, "<", "<>;;,;=", `<a>;rel="`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		n := 0
		for link := range Parse(in) {
			n++
			if strings.Contains(link.Target, ">") || !strings.Contains(in, link.Target) {
				t.Fatalf("%+v out of %q", link, in)
			}
		}
		if n > strings.Count(in, "<") {
			t.Fatalf("%d links out of %q", n, in)
		}
	})
}
