// How does a net/http client obey robots.txt, without colly? Its Transport checks every
// request.
//
//	go run ./examples/plain-http [URL…]
//
// It requests each URL, or some of a local site, and prints the outcome.
package main

import (
	"errors"
	"fmt"
	"log"
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
		log.Print(err)
		return
	}
	client := &http.Client{Transport: robots.Transport(nil)}
	for _, u := range urls {
		fmt.Println(get(client, u))
	}
}

// get requests one URL and returns the outcome. Each redirect is checked too.
func get(client *http.Client, u string) string {
	resp, err := client.Get(u)
	blocked, isBlocked := errors.AsType[*robotsext.BlockedError](err)
	switch {
	case err == nil:
		resp.Body.Close()
		return u + " " + resp.Status
	case !isBlocked:
		return fmt.Sprintf("%s failed: %v", u, err)
	case blocked.Reason == robotsext.Later:
		return fmt.Sprintf("%s must wait until %s", u, blocked.RetryAt)
	}
	return fmt.Sprintf("%s disallowed: %s, line %d", blocked.URL, blocked.Rule, blocked.Rule.Line)
}

// newSite starts a website on loopback, so that the example needs no network.
func newSite() *httptest.Server {
	mux := http.NewServeMux()
	mux.HandleFunc("/robots.txt", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "User-agent: *\nDisallow: /private/\n")
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "a page") })
	mux.Handle("/moved", http.RedirectHandler("/private/b", http.StatusFound))
	return httptest.NewServer(mux)
}
