package discover

import (
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/escape"
	"github.com/politecrawl/politecrawl/crawler/internal/provenance"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// The detail of a skipped URL is shortened before it is kept.
func TestDetailIsShortened(t *testing.T) {
	f := new(Discovery).NewFound()
	f.skip(frontier.Item{}, weburl.URL{}, provenance.Provenance{}, output.BlockedAddress, strings.Repeat("x", 10*escape.MaxDetail))
	if n := len(f.skipped[0].Rejection.Detail); n > escape.MaxDetail {
		t.Errorf("%d bytes of a detail are kept, want at most %d", n, escape.MaxDetail)
	}
}
