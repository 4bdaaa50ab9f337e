package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
)

// newSite starts a website on loopback, so that the example needs no network.
func newSite() *httptest.Server {
	mux := http.NewServeMux()
	mux.HandleFunc("/robots.txt", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "User-agent: *\nDisallow: /private/\n")
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<a href="/public/a">a</a> <a href="/private/b">b</a> <a href="/moved">moved</a>`)
	})
	mux.Handle("/moved", http.RedirectHandler("/private/c", http.StatusFound))
	return httptest.NewServer(mux)
}
