// Plain-http shows robots.txt heeded by an ordinary net/http client, without
// colly: its Transport is a gate.
//
//	go run ./examples/plain-http [URL…]
//
// It asks for each URL, or for some of a small site of its own, and says what
// came of it.
package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"

	"github.com/politecrawl/politecrawl/robotsext"
)

func main() {
	urls := os.Args[1:]
	if len(urls) == 0 {
		site := newSite()
		defer site.Close()
		urls = []string{site.URL + "/", site.URL + "/private/a", site.URL + "/moved"}
	}
	robots, err := robotsext.New("examplebot/1.0 (+https://example.com/bot)", nil)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	client := &http.Client{Transport: robots.Transport(nil)}
	for _, u := range urls {
		get(os.Stdout, client, u)
	}
}

// get asks for one URL. Redirects are checked too, hop by hop.
func get(w io.Writer, client *http.Client, u string) {
	resp, err := client.Get(u)
	blocked, isBlocked := errors.AsType[*robotsext.BlockedError](err)
	switch {
	case err == nil:
		fmt.Fprintln(w, u, resp.Status)
		resp.Body.Close()
	case !isBlocked:
		fmt.Fprintln(w, u, "failed:", err)
	case blocked.Reason == robotsext.Later:
		fmt.Fprintln(w, u, "must wait until", blocked.RetryAt)
	default:
		fmt.Fprintf(w, "%s disallowed: %s, line %d\n", blocked.URL, blocked.Rule, blocked.Rule.Line)
	}
}

// newSite is a web site on loopback, for trying the example without a network.
func newSite() *httptest.Server {
	mux := http.NewServeMux()
	mux.HandleFunc("/robots.txt", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "User-agent: *\nDisallow: /private/\n")
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "a page") })
	mux.Handle("/moved", http.RedirectHandler("/private/b", http.StatusFound))
	return httptest.NewServer(mux)
}
