//go:build unix

package identity

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestCommandIsNotRunUnderTheLock starts a command that waits while another request is signed.
func TestCommandIsNotRunUnderTheLock(t *testing.T) {
	c := newClock()
	f := create(t, c, FileSource)
	first := verify(t, signed(t, f), f, c)
	runs, gate := filepath.Join(t.TempDir(), "runs"), filepath.Join(t.TempDir(), "gate")
	must(t, syscall.Mkfifo(gate, 0o600))
	t.Setenv("NEXT_KEY", testKeys[0])
	if _, err := reopen(t, f, c).Rotate("env:NEXT_KEY"); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(f.dir, contentFile)
	text, err := os.ReadFile(name)
	must(t, err)
	script := filepath.Join(t.TempDir(), "script")
	must(t, os.WriteFile(script, []byte("echo x >> "+runs+"; cat "+gate), 0o600))
	must(t, os.WriteFile(name, []byte(strings.Replace(string(text), "env:NEXT_KEY", "command:sh "+script, 1)), 0o600))
	c.at = c.at.Add(publishTime)
	ended := make(chan error)
	go func() {
		_, err := f.Signer()
		ended <- err
	}()
	out, err := os.OpenFile(gate, os.O_WRONLY, 0) // waits for the command
	must(t, err)
	if got := verify(t, signed(t, f), f, c); got != first {
		t.Errorf("signed by %s", got)
	}
	must(t, out.Close()) // no key
	must(t, <-ended)
	for range 10 {
		c.at = c.at.Add(reread)
		signed(t, f)
	}
	if text, err := os.ReadFile(runs); err != nil || strings.Count(string(text), "x") != 1 {
		t.Errorf("the command ran %q %v", text, err)
	}
}
