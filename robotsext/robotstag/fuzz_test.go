package robotstag

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

// checkUnion holds that more to read never asks for less (ROB-PAG-05): every
// answer before is there after, and is no looser.
func checkUnion(t *testing.T, before, after *Directives) {
	t.Helper()
	for name, question := range map[Name]func(*Directives) *Rule{
		NoIndex:          func(d *Directives) *Rule { return d.NoIndex(now) },
		NoFollow:         (*Directives).NoFollow,
		NoSnippet:        (*Directives).NoSnippet,
		NoImageIndex:     (*Directives).NoImageIndex,
		NoTranslate:      (*Directives).NoTranslate,
		NoArchive:        (*Directives).NoArchive,
		MaxSnippet:       (*Directives).MaxSnippet,
		MaxVideoPreview:  (*Directives).MaxVideoPreview,
		MaxImagePreview:  (*Directives).MaxImagePreview,
		UnavailableAfter: (*Directives).UnavailableAfter,
	} {
		b, a := question(before), question(after)
		if b == nil {
			continue
		}
		if a == nil {
			t.Fatalf("%s: %s is gone", name, b)
		}
		if a.Name == b.Name && b.stricter(a) {
			t.Fatalf("%s: %s became %s", name, b, a)
		}
	}
	for _, r := range after.Rules() {
		if _, ok := parseRule(string(r.Name), strings.TrimPrefix(r.String(), string(r.Name)+":")); !ok {
			t.Fatalf("%s is not a rule", r)
		}
		if r.Source.Agent != "" && r.Source.Agent != "examplebot" {
			t.Fatalf("%s from %s", r, r.Source)
		}
	}
}

// FuzzUnion reads a text from each source, and then a second one.
func FuzzUnion(f *testing.F) {
	for _, line := range []string{
		"noindex, nofollow", "googlebot: nofollow, examplebot: noindex, max-snippet: 20", "max-snippet:-1, nosnippet",
		"unavailable_after: Friday, 25-Jun-10 15:00:00 PST, *: none", "examplebot: unavailable_after: 2099-01-01",
		"max-image-preview: large, max-image-preview:none", ",:,,a:b:c:", "noindex nofollow: x",
		"noindex;nofollow max-snippet:-1 nosnippet", "unavailable_after: Friday, 25-Jun-10 15:00:00 PST noindex", "max-snippet: noindex otherbot: x",
		"*;nosnippet, ExampleBot;noindex", `"examplebot";max-snippet=50;unavailable_after="2020-09-21"`,
		"(a b);c, d;e=?0, f;g=:aGk=:", "*;noindex,", "*;noindex;", "*;a=\"b, c\"", "*;a=%\"b\", *;b=@1, *;c=-1.5",
	} {
		f.Add(line, "*;nofollow")
		f.Add("all, index", line)
	}
	f.Fuzz(func(t *testing.T, first, second string) {
		for _, read := range []func(d *Directives, text ...string){
			func(d *Directives, text ...string) { d.Header(http.Header{"X-Robots-Tag": text}) },
			func(d *Directives, text ...string) { d.Header(http.Header{"Robots-Tag": text}) },
			func(d *Directives, text ...string) { metas(d, "robots", text) },
			func(d *Directives, text ...string) { metas(d, "examplebot", text) },
		} {
			before, after := New("ExampleBot"), New("ExampleBot")
			read(before, first)
			read(after, first, second)
			checkUnion(t, before, after)
		}
		// What is for another says nothing to this one.
		other := New("examplebot")
		other.Header(http.Header{"X-Robots-Tag": {"otherbot: " + strings.ReplaceAll(first, ":", "")}})
		if rules := other.Rules(); len(rules) > 0 {
			t.Fatalf("%q for another: %v", first, rules)
		}
	})
}

func metas(d *Directives, name string, contents []string) {
	for _, content := range contents {
		d.Meta(name, content)
	}
}

// FuzzParseSource: each source is read back, and no other text is one.
func FuzzParseSource(f *testing.F) {
	f.Add("1st robots meta element", "meta", "", 1)
	f.Add("12th X-Robots-Tag header for examplebot", "X-Robots-Tag", "examplebot", 12)
	f.Add("1st meta header", "Robots-Tag", "", 103)
	f.Add("2th Robots-Tag header", "X-Robots-Tag", "a", 22)
	f.Fuzz(func(t *testing.T, text, field, agent string, line int) {
		if s, ok := ParseSource(text); ok && s.String() != text || !ok && s != (Source{}) {
			t.Errorf("ParseSource(%q) = %+v, %t", text, s, ok)
		}
		if want := (Source{Field: field, Line: line, Agent: agent}); slices.Contains([]string{"meta", "X-Robots-Tag", "Robots-Tag"}, field) && line > 0 {
			if got, ok := ParseSource(want.String()); !ok || got != want {
				t.Errorf("ParseSource(%q) = %+v, %t", want, got, ok)
			}
		}
	})
}

func FuzzLink(f *testing.F) {
	for _, s := range []string{`<a>; rel="canonical"`, `<a>;rel=next, <b>; rel=canonical; title="x\"y"`, "<", "<>;;,;=", `<a>;rel="`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		href := canonical(in)
		if href != "" && !strings.Contains(in, "<") || strings.Contains(href, ">") {
			t.Fatalf("%q out of %q", href, in)
		}
	})
}

// TestLargePage holds that a page of nothing but rules costs little.
func TestLargePage(t *testing.T) {
	h := http.Header{}
	for range 1000 {
		h.Add("X-Robots-Tag", strings.Repeat("max-snippet:1,noindex,examplebot:none,", 1000))
	}
	d := New("examplebot")
	d.Header(h)
	for range 1000 {
		d.Meta("robots", strings.Repeat("noindex,max-snippet:1,", 1000))
	}
	for _, piece := range []string{"max-snippet:1 ", "unavailable_after:Friday,", "unavailable_after: x ", "a:", "a "} {
		New("examplebot").Meta("robots", strings.Repeat(piece, maxRead/len(piece)))
	}
	if n := len(d.Rules()); n == 0 || n > 100 {
		t.Errorf("%d rules", n)
	}
}
