package monitor

import (
	"context"

	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/frontier"
)

// A Crawl is the crawl that a [Server] shows, such as a [*crawler.Crawler]. The server calls its
// methods concurrently, from SetCrawl until the sink of [Server.Format] is closed.
type Crawl interface {
	// Status returns the state of the crawl. It is called once a second.
	Status() (*crawler.Status, error)
	// Host returns the state of a host in the frontier.
	Host(ctx context.Context, host frontier.Host) (frontier.HostRecord, error)
	// Pause stops leasing URLs, Resume ends the pause, Stop ends the crawl. They do not wait.
	Pause()
	Resume()
	Stop()
}
