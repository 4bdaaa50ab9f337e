package visit

import (
	"fmt"
	"io"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/extract"
)

// Each limit of fields has its own name.
func TestLimitsOfFieldsHaveNames(t *testing.T) {
	for err, want := range map[error]string{
		extract.ErrTooLarge: "field-size", extract.ErrTooManyTags: "field-tags", extract.ErrTooSlow: "field-time", io.EOF: "field-nesting",
	} {
		if got := fieldLimit(fmt.Errorf("of a page: %w", err)); got != want {
			t.Errorf("%v: %s, want %s", err, got, want)
		}
	}
}
