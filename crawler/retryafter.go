package crawler

import (
	"net/http"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

// obeyRetryAfter blocks the server of a response with Retry-After (ROB-POL-04). The time
// counts from the end of the response, when the caller calls ended.
func (c *Crawler) obeyRetryAfter(req *http.Request, resp *http.Response) (ended func()) {
	wait, host, recorded := c.network.slots.RetryAfter(req, resp)
	if wait == 0 {
		return func() {}
	}
	c.log.Info("host sent Retry-After", "host", host, "status", resp.StatusCode, "next", time.Now().Add(wait))
	if recorded {
		return func() {}
	}
	block := func() {
		c.lifecycle.WhileOpen(func() error {
			return c.frontier.UpdateHost(c.lifecycle.CommitCtx, host, frontier.HostUpdate{BlockUntil: time.Now().Add(wait)})
		})
	}
	block()
	return block
}
