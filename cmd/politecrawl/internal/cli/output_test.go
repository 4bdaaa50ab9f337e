package cli

import (
	"bytes"
	"math"
	"os"
	"testing"
)

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
