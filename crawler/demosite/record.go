package demosite

import (
	"net/http"
	"slices"
	"sync"
	"time"
)

// A Request is a request to a host of the site, and its response.
type Request struct {
	Number int // from 1, in the order of starts

	// Start is the time when the site had read the request.
	Start time.Time

	// End is the time just before the site sent the last part of the response; zero while the
	// request is in flight. So the time from one End to the next Start is never shorter than
	// the delay of the client. If the client aborted the request, End is the time when the
	// site noticed.
	End time.Time

	Origin     string // of the requested host: "http://127.0.0.2:8080"
	Host       string // the Host header
	Method     string
	URI        string // path and query, as sent
	UserAgent  string
	Status     int           // of the response; 0 while the request is in flight
	RetryAfter time.Duration // the Retry-After of the response; 0: none
	Remote     string        // address of the client
}

// URL returns the requested URL.
func (r Request) URL() string { return r.Origin + r.URI }

// A record is the list of requests. It is safe for concurrent use.
type record struct {
	mu       sync.Mutex // guards requests
	requests []Request
}

// begin records the start of r, and returns its number.
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

// end records the end of a request.
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
