package usage

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// checkStatements holds what is true of all statements: limits, values and sources.
func checkStatements(t *testing.T, statements []Statement) {
	t.Helper()
	if len(statements) > MaxStatements+2*len(Purposes) {
		t.Errorf("%d statements", len(statements))
	}
	for _, s := range statements {
		if s.Kind == "" || s.Source.Kind == "" || len(s.Raw) > MaxRaw+3 || len(s.URL) > MaxRaw+3 || len(s.Labels) > MaxLabels {
			t.Errorf("%+v", s)
		}
		for p, v := range s.Values {
			if !slices.Contains(Purposes[:], p) || v != Allowed && v != Disallowed {
				t.Errorf("%+v", s)
			}
		}
	}
	for p, v := range Merge(statements) {
		if v.Statement < 1 || v.Statement > len(statements) || statements[v.Statement-1].Values[p] != v.Value {
			t.Errorf("%s: %+v of %+v", p, v, statements)
		}
	}
}

func FuzzFromRobots(f *testing.F) {
	f.Add("User-agent: *\nContent-Usage: / train-ai=n\nContent-Usage: /ai-ok/ train-ai=y, x=n\nContent-Signal: search=yes, use=full\nLicense: /l", "/ai-ok/test")
	f.Fuzz(func(t *testing.T, body, path string) {
		file := robotstxt.Parse([]byte(body), nil)
		statements := FromRobots(file, file.Group("examplebot"), "", path)
		checkStatements(t, statements)
		lines := strings.FieldsFunc(body, func(c rune) bool { return c == '\n' || c == '\r' })
		for _, s := range statements {
			if !slices.ContainsFunc(lines, func(line string) bool {
				return strings.Contains(line, strings.TrimSuffix(s.Raw, "…"))
			}) {
				t.Errorf("%q is not in the file", s.Raw)
			}
		}
	})
}

func FuzzFromHeader(f *testing.F) {
	for _, line := range []string{
		"train-ai=n, search=y;a, x=(1 2)", "unavailable_after: Wed, 03 Dec 2025 13:00:00 GMT, noai", "*;noai, examplebot;noarchive", "1",
		`<https://example.com/l.xml>; rel="license"; type="application/rsl+xml"`,
	} {
		for _, name := range []string{"Content-Usage", "X-Robots-Tag", "Robots-Tag", "Tdm-Reservation", "Link"} {
			f.Add(name, line, "noai")
		}
	}
	f.Fuzz(func(t *testing.T, name, first, second string) {
		one := FromHeader(http.Header{name: {first}}, []string{"examplebot"}, now)
		both := FromHeader(http.Header{name: {first, second}}, []string{"examplebot"}, now)
		checkStatements(t, one)
		checkStatements(t, both)
		if name == "Content-Usage" {
			return // one dictionary: a second line can replace a value of the first
		}
		after := Merge(both)
		for p, v := range Merge(one) {
			if after[p].Value < v.Value {
				t.Errorf("%s: %q grants what %q refuses", p, second, first)
			}
		}
	})
}

// FuzzFiles reads a text as each file, and as a meta element.
func FuzzFiles(f *testing.F) {
	for _, text := range []string{
		`[{"location": "/directory-b/images/*.jpg", "tdm-reservation": 0, "tdm-policy": "https://example.com/"}]`, `[{"location": "/%24$", "tdm-reservation": "1"}, 7, {}]`,
		`<rsl xmlns="https://rslstandard.org/rsl"><content url="/*"><license><permits type="usage">all</permits><prohibits type="usage">ai-all, x</prohibits><payment type="free"/></license></content></rsl>`,
		`<rsl><content url="https://example.com" server="x"><license><permits>search</permits></license></content></rsl>`,
	} {
		f.Add(text, "example.com", "/directory-b/images/a.jpg")
	}
	f.Add("noai, max-snippet:0", "robots", "/$")
	f.Add("unavailable_after: 2020-01-01", "ExampleBot", "/")
	f.Add("1", "tdm-reservation", "/")
	f.Fuzz(func(t *testing.T, text, name, path string) {
		if file, err := ParseTDMRep([]byte(text)); err == nil {
			if s, ok := file.Match(path); ok {
				checkStatements(t, []Statement{s})
			}
		}
		if file, err := ParseRSL([]byte(text), "https://example.com/license.xml"); err == nil {
			checkStatements(t, file.Match(name, path))
		}
		checkStatements(t, FromMeta([]meta{{name, text}, {"tdm-policy", path}}, []string{"examplebot"}, now))
	})
}
