package crawler

import (
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/politeness"
	"github.com/politecrawl/politecrawl/crawler/internal/record"
	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// blockOf returns what keeps the URLs of an origin from being requested.
func (c *Crawler) blockOf(h frontier.Host, o robotsext.Origin) (record.Block, error) {
	host, err := c.frontier.Host(c.life.CommitCtx, h)
	if err != nil {
		return record.Block{}, err
	}
	rec, err := politeness.ReadRecord(host, o)
	if err != nil {
		return record.Block{}, err
	}
	b := record.Block{Until: host.Due, Why: "the delay of its host has not passed"}
	if host.BlockedUntil.After(time.Now()) {
		b = record.Block{Until: host.BlockedUntil, Why: "its host sent Retry-After, and that has not passed"}
	}
	switch {
	case rec == nil:
	case rec.Outcome == robotsext.Unreachable:
		b.Until = latest(b.Until, rec.RetryAt)
	default:
		rec.File = robotstxt.Parse(rec.Body, nil)
		if opens, closed := politeness.ClosedUntil(c.network.robots.Group(rec), time.Now()); closed {
			b = record.Block{Until: latest(b.Until, opens), Why: "it is outside the Visit-time of its robots.txt"}
		}
	}
	return b, nil
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
