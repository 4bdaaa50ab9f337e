package monitor

import (
	"context"

	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/frontier"
)

// A Crawl is a crawl as it is watched. [*crawler.Crawler] is one. All methods may be
// called by several goroutines at once, and from Begin until the sink of
// [Server.Format] is closed.
type Crawl interface {
	// Status returns how it is getting on. It is called once a second.
	Status() (*crawler.Status, error)
	// Host returns what its frontier knows of an origin.
	Host(ctx context.Context, host frontier.Host) (frontier.HostRecord, error)
	// Pause stops the handing out of URLs, Continue begins it again, Stop ends
	// the crawl. None of them waits.
	Pause()
	Continue()
	Stop()
}
