package cli

import (
	"bytes"
	"io/fs"
	"math"
	"os"
	"runtime/debug"
	"testing"
)

func TestBuildOf(t *testing.T) {
	info := &debug.BuildInfo{Main: debug.Module{Version: "v1.2.3"}, Settings: []debug.BuildSetting{
		{Key: "vcs.revision", Value: "abc"}, {Key: "vcs.time", Value: "2026-01-02T03:04:05Z"}, {Key: "vcs.modified", Value: "true"},
	}}
	b := buildOf(info, true)
	if want := "politecrawl v1.2.3 (revision abc of 2026-01-02T03:04:05Z, modified), " + b.Go + ", " + b.Platform; b.String() != want {
		t.Errorf("got  %s\nwant %s", b, want)
	}
	if got := buildOf(nil, false).Version; got != "(devel)" {
		t.Errorf("version %q where nothing is known", got)
	}
}

func TestWorse(t *testing.T) {
	order := []int{ExitInterrupted, ExitMisuse, ExitFailed, ExitFindings, ExitLater, ExitDone}
	for i, a := range order {
		for _, b := range order[i:] {
			if Worse(a, b) != a || Worse(b, a) != a {
				t.Errorf("of %d and %d, %d and %d are said to be worse", a, b, Worse(a, b), Worse(b, a))
			}
		}
	}
}

// TestFileIsNoTerminal holds that no color gets into a file.
func TestFileIsNoTerminal(t *testing.T) {
	file, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if got := (&Streams{Out: file}).Painter()(Red, "x"); got != "x" {
		t.Errorf("coloured in a file: %q", got)
	}
}

// TestPrintJSON holds that URLs stand in a line of JSON as they are, and that what is no value
// of JSON is an error and writes nothing.
func TestPrintJSON(t *testing.T) {
	var out bytes.Buffer
	streams := &Streams{Out: &out}
	if err := streams.PrintJSON("/?a=1&b=<2>"); err != nil || out.String() != "\"/?a=1&b=<2>\"\n" {
		t.Errorf("%v, wrote %q", err, out.String())
	}
	out.Reset()
	if err := streams.PrintJSON(math.NaN()); ExitCode(err) != ExitFailed || out.Len() > 0 {
		t.Errorf("%v, wrote %q", err, out.String())
	}
}

// What a person is told has no user and no password in it, whatever it is made of.
func TestNoticeHoldsNoPassword(t *testing.T) {
	var out bytes.Buffer
	(&Streams{Err: &out}).Notice("the proxy http://alice:hunter2@h:3128 says \x1b[2J")
	if want := "the proxy http://***@h:3128 says \\x1b[2J\n"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}

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
