package demosite

import (
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/testserver"
)

// A record is the list of requests. It is safe for concurrent use.
type record struct {
	mu       sync.Mutex // guards requests
	requests []testserver.Request
}

// begin records the start of r, and returns its number.
func (c *record) begin(h *host, r *http.Request) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	seen := testserver.NewRequest(h.origin, r)
	seen.Number = len(c.requests) + 1
	c.requests = append(c.requests, seen)
	return seen.Number
}

// end records the end of a request.
func (c *record) end(number, status int, retryAfter time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.requests[number-1].Finish(status, retryAfter)
}

// all returns all requests so far.
func (c *record) all() []testserver.Request {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.requests)
}
