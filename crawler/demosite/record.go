package demosite

import (
	"net/http"
	"slices"
	"sync"
	"time"
)

// A Request is what one host of the site saw of one request.
type Request struct {
	Number int // from 1, in the order in which requests began
	// Start is when the request had been read. A client that waits before it
	// sends is never seen to start earlier than it did.
	Start time.Time
	// End is the moment before the last of the answer was handed to the
	// network; zero while it is being answered. A client that waits for the
	// end of the answer is never done before it. So the time from one
	// request's End to the next one's Start is at least what the client
	// waited, and needs no allowance. Of a request that its client gave up it
	// is the moment when the site noticed, which is later.
	End       time.Time
	Origin    string // of the host that got it: "http://127.0.0.2:8080"
	Host      string // the Host header
	Method    string
	URI       string // path and query as they were sent
	UserAgent string
	Status    int // of the answer; 0 while it is being answered
	// RetryAfter is what the answer asked for; 0: nothing.
	RetryAfter time.Duration
	Remote     string // the client's address
}

// URL is what was asked for.
func (r Request) URL() string { return r.Origin + r.URI }

// record is the list of requests. It is safe for concurrent use.
type record struct {
	mu       sync.Mutex // guards requests
	requests []Request
}

// begin notes that a host has got r, and returns its number.
func (c *record) begin(h *host, r *http.Request) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := len(c.requests) + 1
	c.requests = append(c.requests, Request{
		Number: n, Start: time.Now(), Origin: h.origin, Host: r.Host, Method: r.Method,
		URI: r.RequestURI, UserAgent: r.UserAgent(), Remote: r.RemoteAddr,
	})
	return n
}

// end notes that the answer to a request is on its way.
func (c *record) end(number, status int, retryAfter time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := &c.requests[number-1]
	r.Status, r.RetryAfter, r.End = status, retryAfter, time.Now()
}

func (c *record) all() []Request {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.requests)
}
