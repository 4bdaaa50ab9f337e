package discover

import (
	"strings"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/escape"
	"github.com/politecrawl/politecrawl/crawler/internal/provenance"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext/sitemap"
)

func TestOrderOfSitemapEntries(t *testing.T) {
	now := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	ago := func(d time.Duration) sitemap.Entry { return sitemap.Entry{LastMod: now.Add(-d)} }
	const day = 24 * time.Hour
	tests := []struct {
		name  string
		by    Order
		first []sitemap.Entry // in this order, each before the next
	}{
		{"ROB-SMP-16/newer first", ByLastMod, []sitemap.Entry{
			ago(0), ago(90 * time.Minute), ago(2 * time.Hour), ago(day), ago(2 * day), ago(6 * day), ago(7 * day), ago(60 * day), ago(70 * day),
			ago(365 * day), ago(5 * 365 * day), ago(25 * 365 * day), ago(40 * 365 * day), {},
		}},
		{"ROB-SMP-17/higher priority first", ByPriority, []sitemap.Entry{{Priority: 1}, {Priority: 0.8}, {Priority: 0.79}, {Priority: 0.5}, {}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o := &entryOrder{by: tt.by, now: now}
			last := -1
			for i, e := range tt.first {
				p := int(o.priority(e))
				if p <= last || p < provenance.PriorityEntry || p >= provenance.PriorityLink {
					t.Errorf("entry %d has priority %d after %d, want more, from %d and below %d", i, p, last, provenance.PriorityEntry, provenance.PriorityLink)
				}
				last = p
			}
		})
	}
	o := &entryOrder{by: ByLastMod, now: now}
	if future, none := o.priority(ago(-day)), o.priority(sitemap.Entry{}); future != none {
		t.Errorf("a date that is still to come gives priority %d, no date %d", future, none)
	}
	o.by = AsListed
	if a, b := o.priority(ago(0)), o.priority(sitemap.Entry{}); a != b {
		t.Errorf("as listed, priorities differ: %d and %d", a, b)
	}
}

// The detail of a skipped URL is shortened before it is kept.
func TestDetailIsShortened(t *testing.T) {
	f := new(Discovery).NewFound()
	f.skip(frontier.Item{}, weburl.URL{}, provenance.Provenance{}, output.BlockedAddress, strings.Repeat("x", 10*escape.MaxDetail))
	if n := len(f.skipped[0].Rejection.Detail); n > escape.MaxDetail {
		t.Errorf("%d bytes of a detail are kept, want at most %d", n, escape.MaxDetail)
	}
}
