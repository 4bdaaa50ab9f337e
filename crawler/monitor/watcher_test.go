package monitor

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// Data for viewers is a copy, since it is encoded while the crawl continues.
func TestPartsAreCopies(t *testing.T) {
	w := newWatcher("")
	write := func(n int) {
		url := fmt.Sprintf("https://example.com/%d", n)
		found := &output.Results{
			Pages:    []*output.Page{{URL: url, Status: 404}},
			Rejected: []*output.Rejection{{URL: url, Reason: output.Failed}},
		}
		if err := w.Write(found); err != nil {
			t.Fatal(err)
		}
	}
	for n := range maxRecent { // the next row takes the place of the first
		write(n)
	}
	w.mu.Lock()
	seen := w.parts(time.Now())
	w.mu.Unlock()
	before := encode(seen)
	for n := range maxRecent {
		write(1000 + n)
	}
	if diff := cmp.Diff(before, encode(seen)); diff != "" {
		t.Errorf("what viewers see changed before it was encoded (-before +after):\n%s", diff)
	}
}
