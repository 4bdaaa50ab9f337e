package scope

import (
	"strings"
	"testing"
)

func TestExcluded(t *testing.T) {
	for _, tt := range []struct {
		name             string
		include, exclude []string
		url, want        string
	}{
		{"no pattern", nil, nil, "https://a.test/", ""},
		{"included", []string{"/docs/"}, nil, "https://a.test/docs/1", ""},
		{"included by the second", []string{"/docs/", "/blog/"}, nil, "https://a.test/blog/1", ""},
		{"not included", []string{"/docs/", "/blog/"}, nil, "https://a.test/shop/1", "matches no --include"},
		{"the query counts", []string{"p=1"}, nil, "https://a.test/?p=1", ""},
		{"the scheme counts", []string{"^https:"}, nil, "http://a.test/https:", "matches no --include"},
		{"case counts", nil, []string{"PDF"}, "https://a.test/a.pdf", ""},
		{"case ignored", nil, []string{"(?i)PDF$"}, "https://a.test/a.pdf", `matches --exclude "(?i)PDF$"`},
		{"exclude wins", []string{"/docs/"}, []string{"x", `\d`}, "https://a.test/docs/1", `matches --exclude "\d"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			include, err := ParsePatterns(tt.include)
			exclude, excludeErr := ParsePatterns(tt.exclude)
			if err != nil || excludeErr != nil {
				t.Fatal(err, excludeErr)
			}
			if got := (&Bounds{Include: include, Exclude: exclude}).Excluded(tt.url); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestInvalidPatterns(t *testing.T) {
	for text, want := range map[string]string{
		"":                "an expression is empty, which matches every URL",
		"a[z-b]":          "`a[z-b]` is not a regular expression: invalid character class range in `z-b` at byte 3",
		"*.pdf":           "`*.pdf` is not a regular expression: missing argument to repetition operator in `*` at byte 1",
		`\\y\y`:           "`\\\\y\\y` is not a regular expression: invalid escape sequence in `\\y`", // the part is there twice
		"(a":              "`(a` is not a regular expression: missing closing ) at the end",
		"a\\":             "`a\\` is not a regular expression: trailing backslash at end of expression",
		"\n)":             `"\n)" is not a regular expression: unexpected ) at byte 2`,
		"[)](a)(b))c)":    "`[)](a)(b))c)` is not a regular expression: unexpected ) at byte 10",
		"(x{1000}){1000}": "`(x{1000}){1000}` is not a regular expression: invalid repeat count in `{1000}`",
	} {
		if _, err := ParsePatterns([]string{"fine", text}); err == nil || err.Error() != want {
			t.Errorf("%q:\ngot  %v\nwant %s", text, err, want)
		}
	}
}

// FuzzParsePatterns: an error is one line, and an expression that excludes a URL is named.
func FuzzParsePatterns(f *testing.F) {
	for _, text := range []string{"/docs/", `\.pdf$`, "[z-a]", "(", `\`, "\xff", "(?i)a|b*"} {
		f.Add(text, "https://a.test/docs/a.pdf")
	}
	f.Fuzz(func(t *testing.T, text, url string) {
		p, err := ParsePatterns([]string{text})
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\r") || !strings.Contains(err.Error(), "expression") {
				t.Errorf("%q: %q", text, err)
			}
			return
		}
		excluded, included := (&Bounds{Exclude: p}).Excluded(url), (&Bounds{Include: p}).Excluded(url)
		if (excluded == "") == (included == "") || excluded != "" && !strings.Contains(excluded, text) {
			t.Errorf("%q on %q: excluded %q, included %q", text, url, excluded, included)
		}
	})
}
