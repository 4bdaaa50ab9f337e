package cli

import (
	"io/fs"
	"testing"
)

// TestQuotePath holds that a name with spaces in it is seen to be one.
func TestQuotePath(t *testing.T) {
	err := QuotePath(&fs.PathError{Op: "mkdir", Path: "my crawl/x", Err: fs.ErrPermission})
	if want := `mkdir "my crawl/x": permission denied`; err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestEscape(t *testing.T) {
	for in, want := range map[string]string{
		"plain ASCII, ツ and é": "plain ASCII, ツ and é",
		"\x1b[31mred":          `\x1b[31mred`,
		"a\x00\r\nb":           `a\x00\r\nb`,
		"\xff\xfeutf":          `\xff\xfeutf`,
		"\u009b2J":             `\u009b2J`,
		"\u202eright to left":  `\u202eright to left`,
		"a \ufffd written out": "a \ufffd written out",
	} {
		if got := Escape(in); got != want {
			t.Errorf("Escape(%q) = %q, want %q", in, got, want)
		}
	}
}

// TestClip holds that no character is cut in two.
func TestClip(t *testing.T) {
	for width, want := range map[int]string{4: "ééé…", 5: "ééééé"} {
		if got := Clip("ééééé", width); got != want {
			t.Errorf("%d: %q, want %q", width, got, want)
		}
	}
}
