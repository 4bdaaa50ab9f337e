package extract

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestFields(t *testing.T) {
	const page = `<!doctype html><title>Shop</title>
		<h1> A  <b>blue</b>
		chair </h1><p class="price">12<sup>99</sup> &euro;</p><p class="price old">20 €</p>
		<img alt="no source"><img src=" /1.png "><noscript><img SRC="/2.png"></noscript>
		<ul class="tags"><li>wood</li><li></li><li>blue</li></ul>
		<div id="mixed">text <script>var x = "code"</script><style>p{}</style>more</div>
		<script type="application/ld+json"> {"a":  1} </script>`
	tests := []struct {
		name string
		rule Rule
		want any
	}{
		{"the text of the first match", Rule{Selector: ".price"}, "1299 €"},
		{"white space is collapsed", Rule{Selector: "h1"}, "A blue chair"},
		{"the texts of all", Rule{Selector: ".price", All: true}, []string{"1299 €", "20 €"}},
		{"an empty element is a match", Rule{Selector: ".tags li", All: true}, []string{"wood", "", "blue"}},
		{"the first that has the attribute", Rule{Selector: "img", Attr: "src"}, "/1.png"},
		{"noscript is there for those who run none", Rule{Selector: "img", Attr: "src", All: true}, []string{"/1.png", "/2.png"}},
		{"names of attributes have no case", Rule{Selector: "img", Attr: "SRC"}, "/1.png"},
		{"several selectors", Rule{Selector: "h1, title", All: true}, []string{"Shop", "A blue chair"}},
		{"scripts and styles are no text", Rule{Selector: "#mixed"}, "text more"},
		{"unless they are asked for", Rule{Selector: `script[type="application/ld+json"]`}, `{"a": 1}`},
		{"nothing matches", Rule{Selector: "h2"}, nil},
		{"nothing matches, of all", Rule{Selector: "h2", All: true}, nil},
		{"nothing has the attribute", Rule{Selector: "h1", Attr: "id", All: true}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			rules, err := NewRules(map[string]Rule{"field": tt.rule})
			if err != nil {
				t.Fatal(err)
			}
			want := map[string]any{}
			if tt.want != nil {
				want["field"] = tt.want
			}
			got, err := rules.Fields(&Document{Text: []byte(page)})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestWithoutRulesThePageIsNotRead(t *testing.T) {
	var none *Rules
	if got, err := none.Fields(&Document{Text: []byte("<p>")}); got != nil || err != nil {
		t.Errorf("%v, %v", got, err)
	}
	empty, err := NewRules(nil)
	if err != nil {
		t.Fatal(err)
	}
	page := []byte("<p>")
	if allocs := testing.AllocsPerRun(5, func() { _, _ = empty.Fields(&Document{Text: page}) }); allocs > 0 {
		t.Errorf("%v allocations", allocs)
	}
}

// Any number of workers may use rules, but the number of trees at a time is limited.
func TestConcurrentTrees(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rules, err := NewRules(map[string]Rule{"all": {Selector: "p"}})
		if err != nil {
			t.Fatal(err)
		}
		defer func(all chan struct{}) { trees = all }(trees)
		trees = make(chan struct{}, 1) // one of the bubble
		trees <- struct{}{}
		done := false
		go func() {
			_, _ = rules.Fields(&Document{Text: []byte("<p>text</p>")})
			done = true
		}()
		if synctest.Wait(); done {
			t.Error("another tree was made")
		}
		<-trees
		if synctest.Wait(); !done {
			t.Error("no tree was made when there was room")
		}
	})
}

func TestFieldBounds(t *testing.T) {
	rules, err := NewRules(map[string]Rule{
		"all": {Selector: "p", All: true}, "long": {Selector: "div"}, "attr": {Selector: "div", Attr: "title"},
		"nested": {Selector: "i", All: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	long := "x" + strings.Repeat("é", maxValue)
	page := strings.Repeat("<p>", 2*maxMatches) + fmt.Sprintf("<div title=%q>%[1]s</div>", long) + strings.Repeat("<i>", 100) + long
	got, err := rules.Fields(&Document{Text: []byte(page)})
	if !errors.Is(err, ErrTooLarge) {
		t.Errorf("error %v, want that something is left out", err)
	}
	if n := len(got["all"].([]string)); n != maxMatches {
		t.Errorf("%d values", n)
	}
	for _, name := range []string{"long", "attr"} {
		if v := got[name].(string); len(v) > maxValue || len(v) < maxValue-utf8.UTFMax || !utf8.ValidString(v) {
			t.Errorf("%s has %d bytes, valid: %t", name, len(v), utf8.ValidString(v))
		}
	}
	// One in the other, as x/net/html reads them: each has the text of all.
	size := 0
	for _, v := range got["nested"].([]string) {
		size += len(v)
	}
	if size > maxField || size < maxField-maxValue-1 {
		t.Errorf("%d bytes in one field", size)
	}
}

// TestFieldsWithinBounds: a field of exactly the maximum size is complete and has no error.
func TestFieldsWithinBounds(t *testing.T) {
	for name, page := range map[string]string{
		"values": strings.Repeat("<p>x", maxMatches), "value": "<p> " + strings.Repeat("x", maxValue) + " ",
	} {
		for _, all := range []bool{false, true} {
			rules, err := NewRules(map[string]Rule{"p": {Selector: "p", All: all}})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := rules.Fields(&Document{Text: []byte(page)}); err != nil {
				t.Errorf("%s, all %t: %v", name, all, err)
			}
			if _, err := rules.Fields(&Document{Text: []byte(page + "<i>y</i><p>x")}); errors.Is(err, ErrTooLarge) != (all || name == "value") {
				t.Errorf("%s and one more, all %t: %v", name, all, err)
			}
		}
	}
}

func TestTooDeeplyNestedPage(t *testing.T) {
	rules, err := NewRules(map[string]Rule{"p": {Selector: "p"}})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := rules.Fields(&Document{Text: []byte(strings.Repeat("<div>", 10_000))}); err == nil {
		t.Errorf("%v: the library has no bound any more", got)
	}
}
