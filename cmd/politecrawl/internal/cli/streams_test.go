package cli

import (
	"bytes"
	"testing"
)

// What a person is told has no user and no password in it, whatever it is made of.
func TestNoticeHoldsNoPassword(t *testing.T) {
	var out bytes.Buffer
	(&Streams{Err: &out}).Notice("the proxy http://alice:hunter2@h:3128 says \x1b[2J")
	if want := "the proxy http://***@h:3128 says \\x1b[2J\n"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}
