package crawler

import (
	"context"
	"net/http"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/politeness"
)

// obeyRetryAfter has the server that a request went to wait, where the response asks for that
// (ROB-POL-04). The time counts from the end of the response, where ended is to be called.
func (c *Crawler) obeyRetryAfter(req *http.Request, resp *http.Response) (ended func()) {
	wait, host, recorded := c.slots.RetryAfter(req, resp)
	if wait == 0 {
		return func() {}
	}
	c.log.Info("host sent Retry-After", "host", host, "status", resp.StatusCode, "next", time.Now().Add(wait))
	if recorded {
		return func() {}
	}
	block := func() {
		c.learning.RLock()
		defer c.learning.RUnlock()
		if c.closed || c.failed() {
			return // a robots.txt that nobody waits for any more
		}
		if err := c.frontier.UpdateHost(c.books, host, frontier.HostUpdate{BlockUntil: time.Now().Add(wait)}); err != nil {
			c.fail(err)
		}
	}
	block()
	return block
}

// waitForServer has a server wait whose response to a request for robots.txt asked for that. It
// comes when the reason is written down, without which no server waits.
func (c *Crawler) waitForServer(slot *politeness.Slot, why error) error {
	until, busy := slot.Busy(why)
	if !busy || c.failed() { // then nothing is written down any more
		return nil
	}
	return c.frontier.UpdateHost(c.books, slot.Host(), frontier.HostUpdate{BlockUntil: until})
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
