package csvout

import (
	"os"
	"testing"
)

func readFile(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func appendTo(t *testing.T, name string, content []byte) {
	t.Helper()
	if err := os.WriteFile(name, append(readFile(t, name), content...), 0o600); err != nil {
		t.Fatal(err)
	}
}
