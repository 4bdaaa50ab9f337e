package csvout

import (
	"fmt"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/output/internal/sinktest"
)

// writer writes pages, each with two links.
var writer = sinktest.Writer{
	Format: Format(nil),
	Most:   200,
	Results: func(n int) *output.Results {
		url := fmt.Sprintf("http://a.test/%d", n)
		return &output.Results{
			Pages: []*output.Page{{URL: url}},
			Links: []*output.Links{{URL: url, To: []output.Link{{URL: url + "/1"}, {URL: url + "/2"}}}},
		}
	},
}

func TestMain(m *testing.M) { writer.Main(m) }

// A writing process is killed many times. Each new process resumes at the last checkpoint. At the
// end the table has every page once.
func TestKilledWriterLosesNoCommittedRecord(t *testing.T) {
	dir := t.TempDir()
	pages := writer.Kill(t, dir)
	got := records(t, dir, PagesFile)[1:]
	if len(got) != pages || len(records(t, dir, LinksFile)) != 1+2*pages {
		t.Fatalf("%d pages, but %d count", len(got), pages)
	}
	for n, row := range got {
		if row[0] != fmt.Sprintf("http://a.test/%d", n) {
			t.Fatalf("page %d is %s", n, row[0])
		}
	}
}
