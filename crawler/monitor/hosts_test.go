package monitor

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

// asked is a crawl that counts for how many hosts it was asked.
type asked struct {
	Crawl
	hosts int
}

func (a *asked) Host(context.Context, string) (frontier.HostRecord, error) {
	a.hosts++
	return frontier.HostRecord{}, nil
}

// However many hosts there are, the frontier is asked for as many as are shown, and no
// list of them grows beyond its rows.
func TestRowsOfHostsAreBounded(t *testing.T) {
	list := make([]host, 10*(maxHostRows+maxRecent))
	for i := range list {
		list[i] = host{origin: fmt.Sprintf("http://%d.example", i), robots: new(robotsRow)}
	}
	crawl := new(asked)
	if rows, records := hostRows(t.Context(), crawl, list, time.Now()); len(rows) != maxHostRows || len(records) != maxHostRows || crawl.hosts != maxHostRows {
		t.Errorf("%d rows, %d records, %d hosts were asked for; want %d", len(rows), len(records), crawl.hosts, maxHostRows)
	}
	if rows := robotsRows(list); len(rows) != maxRecent {
		t.Errorf("%d rows of robots.txt, want %d", len(rows), maxRecent)
	}
}
