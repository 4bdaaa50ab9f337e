package cli

import (
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
