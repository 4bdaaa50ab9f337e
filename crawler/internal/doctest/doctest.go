// Package doctest keeps tables in documents equal to the tables in the code.
package doctest

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write tables in documents anew")

// Section checks that a document has the text want between two other texts, and writes it with -update.
func Section(t *testing.T, name, from, to, want string) {
	t.Helper()
	body, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(body), from)
	section, after, ended := strings.Cut(rest, to)
	switch {
	case !found || !ended:
		t.Errorf("%s has no text from %q to %q", name, from, to)
	case section == want:
	case *update:
		if err := os.WriteFile(name, []byte(before+from+want+to+after), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s is not what the code says; write it with go test -update (-document +code):\n%s", name, cmp.Diff(section, want))
	}
}
