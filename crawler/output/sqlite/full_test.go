package sqlite

import (
	"math"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/output/internal/sinktest"
)

func TestTooManyURLsIsAnError(t *testing.T) {
	s := sinktest.Open(t, Format(nil), t.TempDir(), nil).(*sink)
	t.Cleanup(func() { _ = s.Close() })
	s.counts[urls] = math.MaxInt32 - 2 // the page and one link more
	if err := s.Write(&output.Results{Links: []*output.Links{{URL: "http://a.test/", To: []output.Link{{URL: "http://a.test/1"}}}}}); err != nil {
		t.Errorf("the last: %v", err)
	}
	err := s.Write(&output.Results{Links: []*output.Links{{URL: "http://a.test/", To: []output.Link{{URL: "http://a.test/2"}}}}})
	if err == nil || !strings.Contains(err.Error(), "too many URLs for the link encoding") {
		t.Errorf("one more: %v", err)
	}
}
