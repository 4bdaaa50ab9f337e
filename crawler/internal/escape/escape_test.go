package escape

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestText(t *testing.T) {
	long := strings.Repeat("é", MaxChars)
	for in, want := range map[string]string{
		"":                       "",
		"plain, ツ, 日本 and é":     "plain, ツ, 日本 and é",
		"\x1b[31mred\x00":        `\x1b[31mred\x00`,
		"\u202eback":             `\u202eback`,
		"\xff":                   `\xff`,
		"\n":                     `\n`,
		"\ufffd":                 "\ufffd",
		long:                     long,
		long + "é":               long + "…",
		strings.Repeat("x", 1e6): strings.Repeat("x", MaxChars) + "…",
	} {
		if got := Text(in); got != want {
			t.Errorf("Text(%q) = %q, want %q", in, got, want)
		}
	}
}

// The escaped text is visible, complete and of limited length.
func FuzzText(f *testing.F) {
	for _, seed := range []string{"plain", "<b>", "\xff\xfe", "\u202e\x00\r\n", strings.Repeat("é", MaxChars+1)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := Text(text)
		if !utf8.ValidString(got) || strings.ContainsFunc(got, func(r rune) bool { return !unicode.IsGraphic(r) }) {
			t.Errorf("%q is shown as %q", text, got)
		}
		if n := utf8.RuneCountInString(got); n > MaxChars*len(`\U00000000`)+1 {
			t.Errorf("%d characters are shown", n)
		}
	})
}

func TestLink(t *testing.T) {
	for text, want := range map[string]bool{
		"http://a.example/":                            true,
		"HTTPS://a.example":                            true,
		"https://a.example/" + strings.Repeat("x", 82): true,
		"https://a.example/" + strings.Repeat("x", 83): false,
		"https://":                           false,
		"https:a.example":                    false,
		"//a.example/":                       false,
		"a.example":                          false,
		"ftp://a.example/":                   false,
		"javascript:alert(1)":                false,
		"javascript://a.example/%0aalert(1)": false,
		"data:text/html,x":                   false,
		"https://a.example/\x00":             false,
		"":                                   false,
	} {
		if got := IsWebLink(text, 100); got != want {
			t.Errorf("Link(%q) = %t", text, got)
		}
	}
}
