package visit

import (
	"fmt"
	"io"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// The reason for a skipped URL has no user, for any error.
func TestDetailHoldsNoPassword(t *testing.T) {
	r := skipFor(output.Failed, fmt.Errorf(`get "http://alice:hunter2@proxy.test/": %w`, io.EOF)).rejection
	if want := `get "http://***@proxy.test/": EOF`; r.Detail != want {
		t.Errorf("%q, want %q", r.Detail, want)
	}
}
