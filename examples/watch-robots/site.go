package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
)

// newSite starts a website on loopback whose robots.txt changes with each request.
func newSite() *httptest.Server {
	var requests atomic.Int64
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		switch requests.Add(1) % 5 {
		case 1:
			fmt.Fprint(w, "User-agent: *\nDisallow: /private/\n")
		case 2:
			fmt.Fprint(w, "# the same, in other words\nuser-agent: *\ndisallow: /private/\n")
		case 3:
			fmt.Fprint(w, "User-agent: *\nDisallow: /private\n")
		case 4:
			w.WriteHeader(http.StatusNotFound)
		default:
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
}
