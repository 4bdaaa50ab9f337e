package safejson

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"unicode"
)

func TestEscape(t *testing.T) {
	for in, want := range map[string]string{
		``:                              ``,
		`"plain"`:                       `"plain"`,
		"\"é ¿ ツ\"":                     "\"é ¿ ツ\"",
		"\"\u009b31m\u007f\"":           `"\u009b31m\u007f"`,
		"\"\u007f\u0080\u009f\u00a0":    `"\u007f\u0080\u009f` + "\u00a0",
		"\"\u202egpj.exe\u2066\u2069\"": `"\u202egpj.exe\u2066\u2069"`,
		"\u061c\u200e\u200f\u202a":      `\u061c\u200e\u200f\u202a`,
		"\u2014 \u2065\u206a ؛ \u200d":  "\u2014 \u2065\u206a ؛ \u200d",
		"\xe2\x80":                      "\xe2\x80",
		"\xc2":                          "\xc2",
		"\xc2\xc2\x9b":                  "\xc2" + `\u009b`,
	} {
		if got := Escape([]byte(in)); string(got) != want {
			t.Errorf("Escape(%q) = %q, want %q", in, got, want)
		}
	}
}

// FuzzEscape: the JSON has the same meaning, and no control characters.
func FuzzEscape(f *testing.F) {
	for _, s := range []string{"plain", "\u009b31m", "\u007f\u0080\x00\x1b", "é\xc2", "\xc2\x9b\xff", strings.Repeat("\u0090", 100), "\u202egpj.exe\u2069\u061c"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		tame := Escape(bytes.Clone(text))
		if bytes.ContainsFunc(tame, unicode.IsControl) || bytes.ContainsFunc(tame, func(r rune) bool { return unicode.Is(unicode.Bidi_Control, r) }) {
			t.Errorf("%q", tame)
		}
		var before, after string
		if err := errors.Join(json.Unmarshal(text, &before), json.Unmarshal(tame, &after)); err != nil || before != after {
			t.Errorf("%q became %q: %v", before, after, err)
		}
	})
}

func TestWriter(t *testing.T) {
	var out strings.Builder
	w := NewWriter(&out)
	for _, text := range []string{"{\"a\":\"\u009b\"}\n", "{}\n"} {
		if n, err := w.Write([]byte(text)); n != len(text) || err != nil {
			t.Errorf("%d, %v", n, err)
		}
	}
	if out.String() != "{\"a\":\"\\u009b\"}\n{}\n" {
		t.Errorf("%q", out.String())
	}
	r, pipe := io.Pipe()
	_ = r.CloseWithError(io.ErrUnexpectedEOF)
	if _, err := NewWriter(pipe).Write([]byte("x")); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
}

// A text without such characters is returned unchanged.
func TestEscapeOfPlainTextAllocatesNothing(t *testing.T) {
	text := bytes.Repeat([]byte(`{"title":"Tea, é and ツ"}`), 100)
	if n := testing.AllocsPerRun(100, func() { Escape(text) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
