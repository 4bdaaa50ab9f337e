package extract

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseRule(t *testing.T) {
	tests := []struct {
		in   string
		want Rule
	}{
		{".price", Rule{Selector: ".price"}},
		{" h1 ", Rule{Selector: "h1"}},
		{"img@src", Rule{Selector: "img", Attr: "src"}},
		{"img @ src", Rule{Selector: "img", Attr: "src"}},
		{"li[]", Rule{Selector: "li", All: true}},
		{"ul > li, ol > li @data-id []", Rule{Selector: "ul > li, ol > li", Attr: "data-id", All: true}},
		{`a[href*="@here"]`, Rule{Selector: `a[href*="@here"]`}},
		{`a[href*="@here"]@href`, Rule{Selector: `a[href*="@here"]`, Attr: "href"}},
		{`.photo\@2x`, Rule{Selector: `.photo\@2x`}},
		{`.photo\@2x@src`, Rule{Selector: `.photo\@2x`, Attr: "src"}},
		{"a[href]", Rule{Selector: "a[href]"}},
		{"a[href][]", Rule{Selector: "a[href]", All: true}},
		{"svg@xlink:href", Rule{Selector: "svg", Attr: "xlink:href"}},
	}
	for _, tt := range tests {
		t.Run(tt.in, func(t *testing.T) {
			got, err := ParseRule(tt.in)
			if err != nil || got != tt.want {
				t.Fatalf("ParseRule = %+v, %v; want %+v", got, err, tt.want)
			}
			if again, err := ParseRule(got.String()); err != nil || again != got {
				t.Errorf("%q is read as %+v, %v", got, again, err)
			}
		})
	}
}

func TestRuleErrors(t *testing.T) {
	for in, want := range map[string]string{
		"":        "no selector",
		"[]":      "no selector",
		"@src":    `selector "@src"`,
		"div..x":  `selector "div..x"`,
		"a[":      `selector "a["`,
		"img@":    `selector "img@"`,
		"img@1x":  `selector "img@1x"`,
		"p::text": `selector "p::text"`,
		"a@b@c":   `selector "a@b"`,
	} {
		if r, err := ParseRule(in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ParseRule(%q) = %+v, %v; want an error with %q", in, r, err, want)
		}
	}
}

func TestParseField(t *testing.T) {
	name, r, err := ParseField(` pictures = img[alt="a=b"]@src[]`)
	if want := (Rule{`img[alt="a=b"]`, "src", true}); err != nil || name != "pictures" || r != want {
		t.Errorf("ParseField = %q, %+v, %v", name, r, err)
	}
	for in, want := range map[string]string{
		".price":     "NAME=SELECTOR",
		"a b=.price": `field "a b"`,
		"=.price":    `field ""`,
		"price=..":   `field "price": selector ".."`,
		strings.Repeat("x", maxFieldName+1) + "=p": "1 to 64",
	} {
		if _, _, err := ParseField(in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ParseField(%q) = %v; want an error with %q", in, err, want)
		}
	}
}

func TestRuleAsText(t *testing.T) {
	in := map[string]Rule{"price": {Selector: ".price"}, "images": {"img", "src", true}}
	b, err := json.Marshal(in)
	if err != nil || string(b) != `{"images":"img@src[]","price":".price"}` {
		t.Fatalf("%s, %v", b, err)
	}
	var out map[string]Rule
	if err := json.Unmarshal(b, &out); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(in, out); diff != "" {
		t.Error(diff)
	}
	r := Rule{Selector: "kept"}
	if err := r.UnmarshalText([]byte("..")); err == nil || r.Selector != "kept" {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestNewRulesNamesEveryMistake(t *testing.T) {
	_, err := NewRules(map[string]Rule{
		"good": {Selector: "p"}, "bad": {Selector: "p["}, "empty": {}, "attr": {Selector: "a", Attr: "x y"}, "a.b": {Selector: "p"},
	})
	want := strings.Join([]string{
		`field "a.b": a name has only letters, digits, _ and -`,
		`field "attr": "x y" is not the name of an attribute`,
		`field "bad": selector "p[": expected identifier, found EOF instead`,
		`field "empty": no selector`,
	}, "\n")
	if err == nil || err.Error() != want {
		t.Errorf("error:\n%v\nwant:\n%s", err, want)
	}
	if wrong, ok := errors.AsType[*FieldError](err); !ok || wrong.Field != "a.b" {
		t.Errorf("the first error is %v", wrong)
	}
}

// FuzzParseRule: a parsed rule equals its text form, and works on any page.
func FuzzParseRule(f *testing.F) {
	for _, seed := range []string{
		"p", "img@src", "li[]", "a[href*='@x']@href[]", "p:nth-child(2n+1)", ":not(a, b)", `\31 x`, "a@b@c", "p:contains('x')",
		"a:has(> b) ~ c + d", `[a="]"]`, "@", "[][]", ":matches('(a*)*')", "*|*",
	} {
		f.Add(seed, "<p id=x class=a>text<a href=/x>link</a>")
	}
	f.Fuzz(func(t *testing.T, in, page string) {
		r, err := ParseRule(in)
		if err != nil {
			return
		}
		if again, err := ParseRule(r.String()); err != nil || again != r {
			t.Fatalf("%q is %+v; its text form %q is %+v, %v", in, r, r.String(), again, err)
		}
		rules, err := NewRules(map[string]Rule{"f": r})
		if err != nil {
			t.Fatalf("%q is a rule, and refused: %v", in, err)
		}
		fields, err := rules.Fields(&Document{Text: []byte(page)})
		if err != nil {
			return
		}
		switch v := fields["f"].(type) {
		case nil:
		case string:
			if r.All || len(v) > maxValue {
				t.Errorf("%+v found %d bytes", r, len(v))
			}
		case []string:
			if !r.All || len(v) == 0 || len(v) > maxMatches {
				t.Errorf("%+v found %d values", r, len(v))
			}
		}
	})
}
