package testserver

import (
	"fmt"
	"net/http"
	"time"
)

// A Request is a request to a host of a site, and its response.
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
	RetryAfter time.Duration // the Retry-After of the response; 0 if none
	Remote     string        // address of the client
}

// NewRequest returns the description of a request that has just been read. It has no Number.
func NewRequest(origin string, r *http.Request) Request {
	return Request{
		Start: time.Now(), Origin: origin, Host: r.Host, Method: r.Method,
		URI: r.RequestURI, UserAgent: r.UserAgent(), Remote: r.RemoteAddr,
	}
}

// Wait waits for d. It returns false if the client goes before, which closes left.
func Wait(left <-chan struct{}, d time.Duration) bool {
	select {
	case <-left:
		return false
	case <-time.After(d):
		return true
	}
}

// Finish records the end of the response.
func (r *Request) Finish(status int, retryAfter time.Duration) {
	r.Status, r.RetryAfter, r.End = status, retryAfter, time.Now()
}

// URL returns the requested URL.
func (r Request) URL() string { return r.Origin + r.URI }

// String returns number, method, URL and status of the request.
func (r Request) String() string {
	status := "in flight"
	if r.Status != 0 {
		status = fmt.Sprint(r.Status)
	}
	return fmt.Sprintf("#%d %s %s [%s]", r.Number, r.Method, r.URL(), status)
}
