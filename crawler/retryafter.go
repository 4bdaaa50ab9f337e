package crawler

import (
	"net/http"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

// obeyRetryAfter has the server that a request went to wait, where the response asks for that
// (ROB-POL-04). The time counts from the end of the response, where ended is to be called.
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
