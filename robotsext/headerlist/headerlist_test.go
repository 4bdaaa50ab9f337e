package headerlist_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/robotsext/headerlist"
)

func TestElements(t *testing.T) {
	for list, want := range map[string][]string{
		"":                         {""},
		"a":                        {"a"},
		" a ,\tb":                  {"a", "b"},
		"a,,b,":                    {"a", "", "b", ""},
		`a="x, y", b`:              {`a="x, y"`, "b"},
		`a="x\", y", b`:            {`a="x\", y"`, "b"},
		`a\,b`:                     {`a\`, "b"},
		`a="no end, b`:             {`a="no end, b`},
		`a="escape at the end, b\`: {`a="escape at the end, b\`},
	} {
		if got := slices.Collect(headerlist.Elements(list)); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", list, got, want)
		}
	}
}

func TestCutQuoted(t *testing.T) {
	for s, want := range map[string][2]string{
		`"a, b"; c`: {"a, b", "; c"},
		`"a\"b\\"`:  {`a"b\`, ""},
		`"no end`:   {"no end", ""},
		`"escape\`:  {`escape\`, ""},
		`"`:         {"", ""},
	} {
		if text, rest := headerlist.CutQuoted(s); text != want[0] || rest != want[1] {
			t.Errorf("%s: %q and %q, want %q", s, text, rest, want)
		}
	}
}

// FuzzElements holds that elements are parts of the list in their order, and that commas in a quoted
// string separate nothing.
func FuzzElements(f *testing.F) {
	f.Add(`Basic realm="a, \"b", License error=x`)
	f.Fuzz(func(t *testing.T, list string) {
		rest := list
		for element := range headerlist.Elements(list) {
			_, after, ok := strings.Cut(rest, element)
			if !ok {
				t.Fatalf("%q: the element %q is not in %q", list, element, rest)
			}
			rest = after
		}
		quoted := `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(list) + `"`
		if got := slices.Collect(headerlist.Elements(quoted)); len(got) != 1 {
			t.Errorf("%q: %q", quoted, got)
		}
		if text, rest := headerlist.CutQuoted(quoted); text != list || rest != "" {
			t.Errorf("%q: %q and %q", quoted, text, rest)
		}
	})
}
